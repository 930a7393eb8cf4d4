#pragma once

#include <napi.h>

namespace perf_ts {

/** Functions that look through a finished recording, and name what it met. */
void DefineRecordingTools(Napi::Object exports);

}  // namespace perf_ts
