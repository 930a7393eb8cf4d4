#pragma once

#include <cstdint>

#include "bytecode_sizes.h"
#include "growable.h"

namespace perf_ts {

/** The place in a script that some code was made for. */
struct CodePosition {
  /** Bytes from the start of the code, up to the next entry's. */
  uint32_t offset;
  /** UTF-16 units from the start of the script of the innermost function; −1: unknown. */
  int32_t position;
  /** Number of the inlined call in this code, −1: of the function that the code is of. */
  int32_t inlining;
};

/** Entries of one piece of code, by ascending offset. */
using CodePositions = Growable<CodePosition>;

/** Bound of the entries of one piece of code. */
inline constexpr size_t kMostCodePositions = 1u << 18;

/**
 * V8's own table, `SourcePositionTableIterator` in src/codegen/source-position-table.cc: of each
 * entry two numbers in 7-bit groups, least first, the high bit set in all but the last.
 *
 *   first    (offset − last offset) << shift, and `shift` bits of what the position is
 *   second   zigzag(raw position − last one)
 *            raw: 1 bit external, 30 bits position + 1, 16 bits inlining + 1
 *
 * The offset begins at −1; an entry of that offset is the function's start, and is left out.
 * `shift` is 1, since V8 14 it is 2. False, with some of it decoded, if these bytes are no such
 * table of code that is `code_length` long.
 */
bool DecodePositionTable(const uint8_t* bytes, size_t size, int shift, size_t code_length,
                         CodePositions* out);

/** Bytes of something that lies in a table or an array. */
struct Bytes {
  const uint8_t* data;
  size_t size;
};

/**
 * The table of baseline code, `BytecodeOffsetIterator` in src/baseline/bytecode-offset-iterator.h:
 * numbers in groups as above. The first is the offset of the code for the first bytecode, each
 * other one how long the code for one bytecode is. The code for a bytecode has that one's position
 * in the table of the bytecode (`places`).
 *
 * False if the tables do not fit each other, to the last byte.
 */
bool DecodeBaselineTable(Bytes table, Bytes bytecode, const BytecodeSizes& sizes,
                         const CodePositions& places, size_t code_length, CodePositions* out);

/**
 * Appends the entries as they are sent: the offset's difference to the last one, times 2, plus 1
 * where the inlining is another than before, which then follows plus 1; then zigzag of the
 * position's difference. Numbers are in groups as above; all begin at 0, the inlining at −1. False
 * without memory.
 */
bool EncodePositions(const CodePositions& positions, Growable<uint8_t>* out);

/** Appends one number in groups of 7 bits. */
bool PushVarint(uint64_t value, Growable<uint8_t>* out);

}  // namespace perf_ts
