#pragma once

#include <napi.h>

namespace perf_ts {

/** Adds the functions of `NativeBinding` that need no session. */
void DefineTools(Napi::Env env, Napi::Object exports);

}  // namespace perf_ts
