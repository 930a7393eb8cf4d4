#pragma once

#include <time.h>

#include <cstdint>

namespace perf_ts {

/** A clock of the kernel, nanoseconds. */
inline uint64_t ClockNs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

/** CLOCK_MONOTONIC, nanoseconds. */
inline uint64_t NowNs() {
  return ClockNs(CLOCK_MONOTONIC);
}

/** CPU time of the calling thread, nanoseconds. */
inline uint64_t ThreadCpuNs() {
  return ClockNs(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace perf_ts
