#pragma once

#include <cstdint>

namespace perf_ts {

/** The failed call and its object, filled only where a function returns false or null. */
struct Error {
  /** errno of the failed call. */
  int code_errno = 0;
  /** The system call or step, `perf_event_open`, `mmap`, `execve` …; a string literal. */
  const char* operation = "";
  /** Index into the sampled events; −1 for the side-band event or none. */
  int event_index = -1;
  int cpu = -1;
  /** The task that was to be measured; −1 for none. */
  int pid = -1;
  /** EMFILE: descriptors that the session needs, and the hard limit; otherwise 0. */
  uint64_t needed_fds = 0;
  uint64_t allowed_fds = 0;
};

}  // namespace perf_ts
