#include "live_queue.h"

#include <algorithm>
#include <utility>

namespace perf_ts {

namespace {

RecordRun RoundMarker() {
  RecordRun run;
  run.parts[0] = {reinterpret_cast<const uint8_t*>(&kFinishedRound), sizeof kFinishedRound};
  return run;
}

}  // namespace

// A chunk takes any record, so that a record which does not fit always fits the next one.
LiveQueue::LiveQueue(const LiveSinkOptions& options)
    : pool_(std::max<size_t>(options.chunk_bytes, kMaxRecordBytes),
            std::max<size_t>(options.max_chunks, 1)),
      max_chunks_(std::max<size_t>(options.max_chunks, 1)) {}

RecordSink::Taken LiveQueue::TakeRound(const std::vector<RecordRun>& runs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Taken taken;
  for (const RecordRun& run : runs) {
    const uint64_t bytes = Append(run);
    taken.bytes += bytes;
    if (bytes < run.size()) {
      out_of_room_ = true;
      return taken;
    }
  }
  taken.closed = Append(RoundMarker()) > 0;
  out_of_room_ = !taken.closed;
  return taken;
}

uint64_t LiveQueue::Append(const RecordRun& run) {
  uint64_t from = 0;
  while (from < run.size()) {
    if (!waiting_.empty()) {
      Chunk& last = *waiting_.back();
      const uint64_t limit = std::min<uint64_t>(run.size(), from + last.room());
      const uint64_t fits = WalkRecords(run, from, limit).bytes;
      last.Append(run, from, fits);
      from += fits;
      if (from == run.size()) break;
    }
    if (bounded_ && waiting_.size() >= max_chunks_) break;
    waiting_.push_back(pool_.Get());
  }
  return from;
}

void LiveQueue::LiftBound() {
  const std::lock_guard<std::mutex> lock(mutex_);
  bounded_ = false;
}

std::unique_ptr<Chunk> LiveQueue::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (waiting_.empty()) return nullptr;
  std::unique_ptr<Chunk> chunk = std::move(waiting_.front());
  waiting_.pop_front();
  return chunk;
}

bool LiveQueue::Recycle(std::unique_ptr<Chunk> chunk) {
  const std::lock_guard<std::mutex> lock(mutex_);
  pool_.Return(std::move(chunk));
  return std::exchange(out_of_room_, false);
}

}  // namespace perf_ts
