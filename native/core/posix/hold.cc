#include "hold.h"

#include <time.h>

#include <cerrno>
#include <cstdlib>

namespace perf_ts {

int HoldMs(const char* variable) {
  const char* const hold = getenv(variable);
  return hold == nullptr ? 0 : atoi(hold);
}

void SleepMs(int ms) {
  timespec left = {ms / 1000, (ms % 1000) * 1'000'000L};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

}  // namespace perf_ts
