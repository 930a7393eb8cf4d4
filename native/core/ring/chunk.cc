#include "chunk.h"

#include <utility>

namespace perf_ts {

void Chunk::Append(const RecordRun& run, uint64_t from, uint64_t bytes) {
  CopyOut(run, from, bytes, bytes_.get() + size_);
  size_ += bytes;
}

std::unique_ptr<Chunk> ChunkPool::Get() {
  if (free_.empty()) return std::make_unique<Chunk>(capacity_);
  std::unique_ptr<Chunk> chunk = std::move(free_.back());
  free_.pop_back();
  return chunk;
}

void ChunkPool::Return(std::unique_ptr<Chunk> chunk) {
  if (free_.size() >= keep_) return;
  chunk->Clear();
  free_.push_back(std::move(chunk));
}

}  // namespace perf_ts
