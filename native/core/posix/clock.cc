#include "clock.h"

#include <time.h>

namespace perf_ts {

bool ReadClock(int clock_id, uint64_t* ns) {
  timespec now;
  if (clock_gettime(clock_id, &now) != 0) return false;
  *ns = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  return true;
}

bool ReadClockPair(int clock_id, ClockPair* pair) {
  constexpr int kTries = 8;
  uint64_t best_gap = UINT64_MAX;
  for (int i = 0; i < kTries; i++) {
    uint64_t before, clock, after;
    if (!ReadClock(CLOCK_REALTIME, &before) || !ReadClock(clock_id, &clock) ||
        !ReadClock(CLOCK_REALTIME, &after)) {
      return false;
    }
    const uint64_t gap = after - before;
    if (gap >= best_gap) continue;
    best_gap = gap;
    *pair = {before + gap / 2, clock};
  }
  return true;
}

}  // namespace perf_ts
