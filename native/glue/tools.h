#pragma once

#include <napi.h>

namespace perf_ts {

/** Adds the functions of `NativeBinding` that need no session. */
void DefineTools(Napi::Object exports);

}  // namespace perf_ts
