#pragma once

namespace perf_ts {

/**
 * Test hook: milliseconds that the environment's `variable` makes a thread sleep in each of its
 * turns, so that what it works for fills and losses can be provoked. 0 without it.
 */
int HoldMs(const char* variable);

/** All of it, whatever signals come. */
void SleepMs(int ms);

}  // namespace perf_ts
