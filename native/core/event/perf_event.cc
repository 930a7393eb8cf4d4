#include "perf_event.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace perf_ts {

namespace {

/**
 * The call again for as long as a signal interrupts it: perf_event_open waits for an exec of the
 * task to end, and any of Node's signals ends the wait.
 */
template <typename Call>
long Uninterrupted(Call call) {
  long result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

bool Control(int fd, unsigned long request, unsigned long argument) {
  return Uninterrupted([&] { return ioctl(fd, request, argument); }) == 0;
}

}  // namespace

Fd OpenEvent(EventAttr* attr, int pid, int cpu, int group_fd, unsigned long flags) {
  return Fd(static_cast<int>(Uninterrupted([&] {
    return syscall(SYS_perf_event_open, attr->data(), pid, cpu, group_fd,
                   PERF_FLAG_FD_CLOEXEC | flags);
  })));
}

bool ReadEventId(int fd, uint64_t* id) {
  return Uninterrupted([&] { return ioctl(fd, PERF_EVENT_IOC_ID, id); }) == 0;
}

bool EnableEvent(int fd) {
  return Control(fd, PERF_EVENT_IOC_ENABLE, 0);
}

bool DisableEvent(int fd) {
  return Control(fd, PERF_EVENT_IOC_DISABLE, 0);
}

bool PauseOutput(int fd, bool paused) {
  return Control(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, paused ? 1 : 0);
}

bool FilterEvent(int fd, const std::string& filter) {
  return Control(fd, PERF_EVENT_IOC_SET_FILTER, reinterpret_cast<unsigned long>(filter.c_str()));
}

bool SignalSamples(int fd, int tid, bool on) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return false;
  if (!on) return fcntl(fd, F_SETFL, flags & ~O_ASYNC) == 0;
  const f_owner_ex owner = {F_OWNER_TID, tid};
  return fcntl(fd, F_SETSIG, SIGURG) == 0 && fcntl(fd, F_SETOWN_EX, &owner) == 0 &&
         fcntl(fd, F_SETFL, flags | O_ASYNC) == 0;
}

bool RedirectOutput(int fd, int owner_fd) {
  return Control(fd, PERF_EVENT_IOC_SET_OUTPUT, static_cast<unsigned long>(owner_fd));
}

std::vector<uint64_t> ReadCounterWords(int fd, size_t members) {
  // A buffer that is too small gives ENOSPC, a larger one is filled as far as needed.
  std::vector<uint64_t> words(ReadingWords(members));
  const long bytes =
      Uninterrupted([&] { return read(fd, words.data(), words.size() * sizeof(uint64_t)); });
  words.resize(bytes < 0 ? 0 : static_cast<size_t>(bytes) / sizeof(uint64_t));
  return words;
}

ProbeResult ProbeEvent(EventAttr attr, int pid, int cpu) {
  const Fd fd = OpenEvent(&attr, pid, cpu, -1);
  if (fd.valid()) return {};
  ProbeResult result;
  result.code_errno = errno;
  if (result.code_errno == E2BIG) {
    memcpy(&result.kernel_attr_size, attr.data() + 4, sizeof result.kernel_attr_size);
  }
  return result;
}

}  // namespace perf_ts
