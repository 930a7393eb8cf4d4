#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "code_positions.h"
#include "stream.h"
#include "v8_memory.h"

namespace perf_ts {

/** Offsets of the fields that are read of V8's objects, which consist of 64-bit words. */
struct V8Layout {
  /** Bytes before the first instruction: the code object, or its table at once (`in_code` 0). */
  int before_code = 0;
  /** Bytes into the code object. */
  int in_code = 0;
  /** Bytes before the first bytecode, rounded down to a word: the bytecode's table. */
  int before_bytecode = 0;
  /** See `DecodePositionTable`. */
  int shift = 1;
  /** Bytes into a code object; V8 11 has these and does not describe them. */
  int flags_in_code = 0x30;
  int length_in_code = 0x38;
  /** The kind, among the flags, of baseline code; Maglev's and TurboFan's follow. 0: unknown. */
  uint32_t baseline_kind = 0;
  /** Bytes into a map: the type of the objects that begin with it. 0: unknown. */
  int type_in_map = 0;
  /** Type of a bytecode array, and bytes before its first bytecode. 0: unknown. */
  int bytecode_type = 0;
  int bytecode_head = 0;
  /** Slots of an interpreted function's frame, from its frame pointer. 0: unknown. */
  int array_in_frame = 0;
  int offset_in_frame = 0;
};

/** The fields between code that V8 announces and its tables. */
struct V8Fields {
  /** Words of the object that may be between a function's code and its bytecode. */
  static constexpr size_t kWrapperFields = 3;
  /** The code object, in front of machine code. */
  V8Field code;
  /** Fields of code objects: positions or lengths; the bytecode, or in its place a wrapper. */
  V8Field table;
  V8Field bytecode;
  V8Field wrapper;
  V8Field wrapped[kWrapperFields];
  /** The positions, in front of bytecode. */
  V8Field bytecode_table;
};

/**
 * Reads V8's own tables in the memory of this process: which position each instruction was made
 * for. V8 reports positions of TurboFan's code and of bytecode
 * alone, and only while it compiles; code that exists, and all of Maglev's, has them in its tables.
 *
 * No pointer is followed that may be a guess: the kernel reads, and fails where no memory is. Such
 * a read takes a microsecond, and each function needs several: fields that are proven (`V8Field`)
 * and this thread's stack are read without it. Where V8 keeps the tables of code is known for V8
 * 10 to 14 and confirmed by the first positions that V8 reports; if they are not there they are
 * looked for.
 *
 * V8 must not move its objects meanwhile: it calls the code event handler while it may not. All
 * objects, versions and checks: docs/v8-objects.md.
 */
class V8Heap {
 public:
  V8Heap();

  /** Takes what is known of V8 by its version and the program's symbols. */
  void FindLayout();
  void set_layout(V8Layout layout) { layout_ = layout; }
  const V8Layout& layout() const { return layout_; }

  /** The positions of machine code. False where they can't be read. */
  bool ReadCodePositions(const void* start, size_t length, CodePositions* out);

  bool ReadBytecodePositions(const void* start, size_t length, CodePositions* out);

  /** The positions of baseline code, by those of the bytecode that it was made of. */
  bool ReadBaselinePositions(const void* start, size_t length, CodePositions* out);

  /** Machine code that Maglev or TurboFan made, as its object describes it. */
  struct CodeObject {
    /** The first instruction. */
    uint64_t start;
    uint64_t length;
    /** The function's SharedFunctionInfo, as V8's pointer. */
    uint64_t shared;
    /** How V8 marks the compiler in names: `+` or `*`. */
    char sign;
  };

  /** Takes from some code, and its function, how objects of both begin. False: that is not known.
   */
  bool LearnCodeObjects(uint64_t start, uint64_t shared);

  /** The first word of each object with machine code, and how far it lies before the code. */
  uint64_t code_map() const { return code_map_; }
  uint64_t code_head() const;

  /** False where no optimized code of a function begins at `start`. */
  bool ReadCodeObject(uint64_t start, CodeObject* out);

  /** Takes that the bytecode of a function outside Node begins at `start`. */
  void NoteBytecode(const void* start);
  /** Takes that bytecode has moved. */
  void MoveBytecode(const void* from, const void* to);

  /** Bound of what `FindCallers` finds. */
  static constexpr size_t kMostCallers = 2;

  /** Finds interpreted functions that wait above `frame`, of this thread's stack; always called on
   * the same thread. They are the innermost, and behind one of Node the innermost outside Node.
   * Returns how many. */
  size_t FindCallers(const void* frame, code_stream::Caller* out);

  /** Words of this process's memory, up to the first that is not there. */
  size_t ReadWords(uint64_t address, uint64_t* to, size_t count);

  /** Compares the table of some machine code with what V8 reported for it. */
  void Confirm(const void* start, size_t length, const CodePositions& reported);

 private:
  static constexpr size_t kKnownBytecodes = 256;
  /** Bits by which bytecode outside Node is known: others may share one. */
  static constexpr size_t kNotedBytecodes = 1u << 16;
  struct CodeFields {
    uint64_t length;
    uint32_t kind;
    /** Data for deoptimization in optimized code, the bytecode or its wrapper in baseline code. */
    uint64_t data;
    /** Positions in optimized code, lengths in baseline code. */
    uint64_t table;
  };

  /** The bytes of an array that `field` leads to; valid until the next call. */
  bool ReadBytes(V8Field* field, uint64_t array, Bytes* out);
  bool ReadTable(V8Field* field, uint64_t array, int shift, size_t code_length, CodePositions* out);
  /** The object that a word in front of machine code leads to. */
  bool FindBeforeCode(uint64_t start, uint64_t* object) const;
  /** Reads the table by guesses alone. */
  bool TryLayout(V8Layout layout, uint64_t start, size_t length, CodePositions* out);
  bool Search(uint64_t start, size_t length, const CodePositions& reported);
  /** `announced`: V8 has reported that code begins there. */
  bool ReadCodeFields(uint64_t start, bool announced, CodeFields* out);
  /** The bytecode array that baseline code leads to. */
  bool FindBytecode(uint64_t data, uint64_t* array);
  bool FindProvenBytecode(uint64_t data, uint64_t* array) const;
  bool IsBytecode(uint64_t object);
  /** Whether the bytecode array behind V8's pointer `array`, of a frame, may be outside Node. */
  bool IsNoted(uint64_t array) const;
  static size_t BitOf(uint64_t start) { return start / sizeof(uint64_t) % kNotedBytecodes; }
  /** The function of a code object's data for deoptimization. */
  bool FindShared(uint64_t data, uint64_t* shared);

  V8Layout layout_;
  BytecodeSizes sizes_;
  bool is_confirmed_ = false;
  int searches_ = 0;
  /** First words of objects: with machine code, of functions. 0: unknown. */
  uint64_t code_map_ = 0;
  uint64_t shared_map_ = 0;
  V8Fields fields_;
  /** The first word of bytecode arrays; 0: unknown. */
  uint64_t bytecode_map_ = 0;
  /** Some of the bytecode arrays that were found on the stack. */
  uint64_t known_bytecode_[kKnownBytecodes] = {};
  std::bitset<kNotedBytecodes> noted_bytecode_;
  ThreadStack stack_;
  Growable<uint8_t> bytes_;
  Growable<uint8_t> bytecode_;
  CodePositions found_;
};

}  // namespace perf_ts
