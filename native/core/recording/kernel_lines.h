#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../posix/error.h"

namespace perf_ts {

/**
 * The lines of the kernel's symbol list, `/proc/kallsyms`, that name `addresses`, as they stand
 * there:
 *
 *   ffffffff81000000 T _text            │ the kernel proper, sorted by address: for each address
 * the …                                   │ lines of the symbol at or before it and of the next one
 *   ffffffffc0346f40 t connect  [hid]   │ modules, in the order of their loading: every line
 *
 * The list is read as far as an address may still be in it, and never held as a whole: making it is
 * most of its cost. Lines that perf takes for no symbol are left out of the kernel proper. Where
 * all addresses of it read 0, because the kernel hides them, one such line stands for it.
 */
bool ReadKernelLines(const char* path, std::vector<uint64_t> addresses, std::string* lines,
                     Error* error);

/**
 * Reads what stays the same until the machine starts again: the lines of the kernel proper
 * that are symbols. Modules and BPF programs come and go, these do not. `proper` stays empty where
 * the kernel hides its addresses, or does not give them in ascending order.
 */
bool ReadKernelProper(const char* path, std::string* proper, Error* error);

/**
 * The lines that `ReadKernelLines` gives, out of `proper` of this boot, without the list. False
 * where an address may be outside of the kernel proper, in a module say: then only the list tells.
 */
bool FindKernelLines(std::string_view proper, std::vector<uint64_t> addresses, std::string* lines);

/** `is_same`: the list begins as `proper` does, and shows its addresses. Reads no further. */
bool IsStillKernelProper(const char* path, std::string_view proper, bool* is_same, Error* error);

}  // namespace perf_ts
