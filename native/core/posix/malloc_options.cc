#include "malloc_options.h"

#include <dlfcn.h>

namespace perf_ts {

namespace {

/** glibc's <malloc.h>. */
constexpr int kTrimThreshold = -1;
constexpr int kMmapThreshold = -3;

}  // namespace

bool MapBlocksFrom(int bytes) {
  using Mallopt = int(int parameter, int value);
  // The name is looked up at run time: one binary is for both C libraries.
  const auto mallopt = reinterpret_cast<Mallopt*>(dlsym(RTLD_DEFAULT, "mallopt"));
  return mallopt != nullptr && mallopt(kMmapThreshold, bytes) == 1 &&
         mallopt(kTrimThreshold, bytes) == 1;
}

}  // namespace perf_ts
