#pragma once

#include <napi.h>

namespace perf_ts {

/** `libpfm`: the functions of src/native/libpfm-types.ts. */
Napi::Object DefineLibpfm(Napi::Env env);

}  // namespace perf_ts
