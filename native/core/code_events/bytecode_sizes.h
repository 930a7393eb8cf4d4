#pragma once

#include <cstddef>
#include <cstdint>

namespace perf_ts {

/**
 * Lengths of the bytecodes of one V8, `Bytecodes::kBytecodeSizes` in
 * src/interpreter/bytecodes.cc. V8 12 and before export that table; later ones have it in their
 * full symbol table only, which is too long to be read in the program. The minor version is a
 * Node's for all of its life.
 */
class BytecodeSizes {
 public:
  /** Lengths of no version: all are 0. */
  BytecodeSizes() = default;

  static BytecodeSizes Of(int major, int minor);

  bool is_known() const { return digits_ != nullptr; }

  /** Bytes of the instruction at `code`, a prefix for wide operands included; 0: it is none. */
  size_t LengthOf(const uint8_t* code, size_t size) const;

 private:
  /** Two digits for each bytecode: bytes of its operands that have one size, and number of the
   * others. */
  const char* digits_ = nullptr;
  size_t count_ = 0;
};

}  // namespace perf_ts
