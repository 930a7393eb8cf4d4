#pragma once

#include <cstddef>
#include <cstdint>

namespace perf_ts {

/**
 * Bytes on their way from the isolate to the sender, in blocks that are allocated as they fill. Not
 * synchronized. No operator new: the library is linked against no C++ runtime.
 */
class ByteQueue {
 public:
  struct Block {
    Block* next;
    size_t capacity;
    size_t used;
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
  };

  /** Bound of the memory that waits for a recorder that is slow; what does not fit is lost, and
   * counted. */
  static constexpr size_t kMostBytes = 64u << 20;

  ByteQueue() = default;
  ByteQueue(const ByteQueue&) = delete;
  ByteQueue& operator=(const ByteQueue&) = delete;
  ~ByteQueue();

  /** Room for `size` bytes in one piece, to be filled at once; null if there is no memory. */
  char* Append(size_t size);

  bool IsEmpty() const { return first_ == nullptr; }

  /** Everything appended, in order; the caller frees it. Null if there is nothing. */
  Block* TakeAll();

  /** Frees what `TakeAll` gave. */
  static void Free(Block* list);

 private:
  Block* first_ = nullptr;
  Block* last_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace perf_ts
