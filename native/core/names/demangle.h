#pragma once

#include <cstddef>
#include <string>

namespace perf_ts {

/** Longest mangled name that is looked at, and longest result; beyond, the name stays mangled. */
constexpr size_t kMaxNameBytes = 64 * 1024;

/**
 * The C++ name behind an Itanium ABI symbol (`_Z…`, or `__Z…` with a further underscore); false for
 * every other string and for names that are malformed or too long in either form. Names come from
 * the profiled program's files, so this neither throws nor takes long, whatever they hold.
 */
bool Demangle(const char* mangled, std::string* out);

}  // namespace perf_ts
