#pragma once

#include <cstddef>
#include <cstdint>

#include "growable.h"
#include "v8_abi.h"
#include "v8_heap.h"

namespace perf_ts {

/**
 * Finds machine code that V8 leaves out when it lists what exists: it goes from each function to
 * its code, and a loop that was replaced while it ran (OSR) is no function's code, though the next
 * call enters it again. Neither is code that was replaced and still runs.
 *
 *   listing:  Note each event ──▶ functions (SharedFunctionInfo) and their names
 *   then:     code pages ──▶ code objects that V8 did not list ──▶ their functions ──▶ names
 *
 * V8 must not move its objects meanwhile; all of it is done on the isolate's thread.
 */
class UnlistedCode {
 public:
  explicit UnlistedCode(V8Heap* heap) : heap_(heap) {}

  /** Keeps the name of a listed function, and which code is listed. */
  void Note(const v8_abi::CodeEvent& event);

  /** Searches these pages. `found` gets an event for each piece, as V8 would have given it. */
  void Find(const v8_abi::MemoryRange* pages, size_t count,
            void (*found)(void* context, const v8_abi::CodeEvent&), void* context);

 private:
  struct Listed {
    /** 0: bytecode. */
    uint64_t start;
    uint64_t shared;
    uint32_t name_at;
    uint32_t name_size;
  };
  struct Piece {
    V8Heap::CodeObject code;
    const Listed* named;
  };

  bool Learn();
  void SearchPages(const v8_abi::MemoryRange& pages);
  void SearchBlock(uint64_t address, size_t size);
  /** Leaves the pieces that are not listed, and whose function is. */
  void KeepUnlisted();
  void Report(const Piece& piece, void (*found)(void*, const v8_abi::CodeEvent&), void* context);

  V8Heap* heap_;
  Growable<Listed> listed_;
  Growable<char> names_;
  /** Pieces are sorted by start until they are named, then by function. */
  Growable<Piece> pieces_;
  Growable<uint64_t> words_;
  Growable<char> name_;
};

}  // namespace perf_ts
