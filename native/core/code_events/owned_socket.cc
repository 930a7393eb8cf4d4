#include "owned_socket.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace perf_ts {
namespace {

/** glibc's own fcntl and fstat have versions that older ones and musl lack. */
bool ReadStatus(int fd, struct stat* status) {
  return syscall(SYS_fstat, fd, status) == 0;
}

/** A copy of the descriptor under a high number, where the limit allows that. */
Fd Raised(Fd fd) {
  const auto raised =
      static_cast<int>(syscall(SYS_fcntl, fd.get(), F_DUPFD_CLOEXEC, kLeastOwnedFd));
  return raised < 0 ? static_cast<Fd&&>(fd) : Fd(raised);
}

}  // namespace

OwnedSocket::OwnedSocket(Fd socket) : fd_(Raised(static_cast<Fd&&>(socket))) {
  struct stat status = {};
  if (!ReadStatus(fd_.get(), &status)) return;
  inode_ = status.st_ino;
  device_ = status.st_dev;
}

OwnedSocket::~OwnedSocket() {
  if (get() < 0) fd_.Release();
}

int OwnedSocket::get() const {
  struct stat status = {};
  const bool is_ours = fd_.valid() && ReadStatus(fd_.get(), &status) && S_ISSOCK(status.st_mode) &&
                       status.st_ino == inode_ && status.st_dev == device_;
  return is_ours ? fd_.get() : -1;
}

}  // namespace perf_ts
