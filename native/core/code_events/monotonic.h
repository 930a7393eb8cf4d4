#pragma once

#include <time.h>

#include <cstdint>

namespace perf_ts {

/** CLOCK_MONOTONIC, nanoseconds. */
inline uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace perf_ts
