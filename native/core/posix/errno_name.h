#pragma once

#include <string>

namespace perf_ts {

/** `EACCES` for 13; `E123` for a number that has no name here. */
std::string ErrnoName(int code);

}  // namespace perf_ts
