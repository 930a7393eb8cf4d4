#include "backward_ring.h"

#include <algorithm>

namespace perf_ts {

namespace {

/** A record that was begun, and one of an interrupt that came meanwhile. */
constexpr uint64_t kUnfinishedRecords = 2;

uint64_t LargestRecord(const RecordRun& run) {
  uint64_t largest = 0;
  for (uint64_t at = 0; run.size() - at >= sizeof(RecordHeader);) {
    RecordHeader header;
    CopyOut(run, at, sizeof header, reinterpret_cast<uint8_t*>(&header));
    if (header.size < sizeof header || header.size > run.size() - at) break;
    largest = std::max<uint64_t>(largest, header.size);
    at += header.size;
  }
  return largest;
}

}  // namespace

RecordRun BackwardRing::Take() {
  const uint64_t head = LoadHead();
  // Positions run freely and wrap: the difference is what counts. No record begins at an odd place.
  const uint64_t written = read_to_ - head;
  const uint64_t bytes = head % sizeof(RecordHeader) == 0 ? std::min(written, size_) : 0;
  read_to_ = head;
  const uint64_t start = head & (size_ - 1);
  const uint64_t first = std::min(bytes, size_ - start);
  RecordRun run;
  run.parts[0] = {data_ + start, first};
  run.parts[1] = {data_, bytes - first};
  // In a ring that went round the oldest record is cut, and its neighbours are being written.
  const uint64_t unsafe = std::min(size_, kUnfinishedRecords * LargestRecord(run));
  const RecordWalk walk = WalkRecords(run, 0, std::min(bytes, size_ - unsafe));
  run.parts[0].size = std::min(first, walk.bytes);
  run.parts[1].size = walk.bytes - run.parts[0].size;
  run.counts = walk.counts;
  has_lost_ = walk.bytes < written;
  return run;
}

}  // namespace perf_ts
