#ifndef PERF_TS_DEMANGLED_SIZE_H_
#define PERF_TS_DEMANGLED_SIZE_H_

#include <cstddef>

namespace perf_ts {

/**
 * About how many bytes the demangled form of an Itanium ABI name (`_Z…`) has; infinity where the
 * name nests too deep. Mangling compresses: `S1_` stands for a whole type met before, that type may
 * contain two such references, and so on, so that 230 bytes can stand for 140 MB, which a demangler
 * would really print. This walks the grammar once and adds up sizes instead of text.
 *
 * An estimate, within a small factor for names that compilers make. Where a construct is not known
 * here, every later reference counts as all that came before it: never too little, for long names
 * too much.
 */
double EstimateDemangledBytes(const char* mangled, size_t length);

}  // namespace perf_ts

#endif  // PERF_TS_DEMANGLED_SIZE_H_
