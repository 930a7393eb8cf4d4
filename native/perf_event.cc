#include "perf_event.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace perf_ts {

Fd OpenEvent(EventAttr* attr, int pid, int cpu, int group_fd, unsigned long flags) {
  return Fd(static_cast<int>(syscall(SYS_perf_event_open, attr->data(), pid, cpu, group_fd,
                                     PERF_FLAG_FD_CLOEXEC | flags)));
}

bool ReadEventId(int fd, uint64_t* id) {
  return ioctl(fd, PERF_EVENT_IOC_ID, id) == 0;
}

bool EnableEvent(int fd) {
  return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0;
}

bool DisableEvent(int fd) {
  return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) == 0;
}

bool PauseOutput(int fd, bool paused) {
  return ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, paused ? 1 : 0) == 0;
}

bool RedirectOutput(int fd, int owner_fd) {
  return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner_fd) == 0;
}

std::vector<uint64_t> ReadCounterWords(int fd, size_t members) {
  // A buffer that is too small gives ENOSPC, a larger one is filled as far as needed.
  std::vector<uint64_t> words(ReadingWords(members));
  const ssize_t bytes = read(fd, words.data(), words.size() * sizeof(uint64_t));
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
