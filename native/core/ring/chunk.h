#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "record_run.h"

namespace perf_ts {

/** A block of whole records on its way to JavaScript. */
class Chunk {
 public:
  explicit Chunk(size_t capacity) : bytes_(new uint8_t[capacity]), capacity_(capacity) {}

  const uint8_t* data() const { return bytes_.get(); }
  size_t size() const { return size_; }
  size_t room() const { return capacity_ - size_; }

  /** Appends `bytes`, at most room(), of the run from `from` on. */
  void Append(const RecordRun& run, uint64_t from, uint64_t bytes);
  void Clear() { size_ = 0; }

 private:
  std::unique_ptr<uint8_t[]> bytes_;
  size_t capacity_;
  size_t size_ = 0;
};

/** Free list of chunks of one capacity, so that a steady recording allocates nothing. */
class ChunkPool {
 public:
  ChunkPool(size_t capacity, size_t keep) : capacity_(capacity), keep_(keep) {}

  std::unique_ptr<Chunk> Get();
  /** Keeps the chunk for the next Get, or frees it where enough are kept. */
  void Return(std::unique_ptr<Chunk> chunk);

 private:
  size_t capacity_;
  size_t keep_;
  std::vector<std::unique_ptr<Chunk>> free_;
};

}  // namespace perf_ts
