#ifndef PERF_TS_DEMANGLED_SIZE_H_
#define PERF_TS_DEMANGLED_SIZE_H_

#include <cstddef>

namespace perf_ts {

/**
 * About how many bytes the demangled form of an Itanium ABI name (`_Z…`) has; infinity where the
 * name nests too deep. Mangling compresses: `S1_` stands for a whole type met before, that type may
 * contain two such references, and so on, so that 230 bytes can stand for 140 MB, which a demangler
 * would really print. This walks the grammar and adds up sizes instead of text.
 *
 * The estimate is within a small factor for the constructs that long names of compilers have. Names
 * with others (most expressions, vendor qualifiers) get an upper bound, which is far too large for
 * long ones: 200 of the 500 000 names in Node 14 to 26, LLVM and Debian's libraries stay mangled by
 * it (docs/decisions/0051).
 */
double EstimateDemangledBytes(const char* mangled, size_t length);

}  // namespace perf_ts

#endif  // PERF_TS_DEMANGLED_SIZE_H_
