#pragma once

#include <cstdint>

namespace perf_ts {

struct FdLimit {
  uint64_t soft = 0;
  uint64_t hard = 0;
};

/** Raises the soft RLIMIT_NOFILE, up to the hard one, where `needed` is more. Never lowers it. */
FdLimit RaiseFdLimit(uint64_t needed);

/** Descriptors that this process has open, 0 where /proc does not report it. */
uint64_t CountOpenFds();

}  // namespace perf_ts
