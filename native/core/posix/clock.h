#pragma once

#include <cstdint>

namespace perf_ts {

/** Nanoseconds of a clock; false where this kernel does not have it. */
bool ReadClock(int clock_id, uint64_t* ns);

/** One instant on two clocks, nanoseconds. */
struct ClockPair {
  uint64_t wall_ns = 0;
  uint64_t clock_ns = 0;
};

/**
 * CLOCK_REALTIME and `clock_id` as near to each other as a few tries get: the pair whose two wall
 * readings, before and after, were closest; the wall time is their middle.
 */
bool ReadClockPair(int clock_id, ClockPair* pair);

}  // namespace perf_ts
