#include "backward_ring.h"

#include <algorithm>

namespace perf_ts {

RecordRun BackwardRing::Take() {
  const uint64_t head = LoadHead();
  // Positions run freely and wrap: the difference is what counts. No record begins at an odd place.
  const uint64_t bytes = head % sizeof(RecordHeader) == 0 ? std::min(read_to_ - head, size_) : 0;
  read_to_ = head;
  const uint64_t start = head & (size_ - 1);
  const uint64_t first = std::min(bytes, size_ - start);
  RecordRun run;
  run.parts[0] = {data_ + start, first};
  run.parts[1] = {data_, bytes - first};
  // Where the ring went round, its oldest record is cut.
  const RecordWalk walk = WalkRecords(run, 0, bytes);
  run.parts[0].size = std::min(first, walk.bytes);
  run.parts[1].size = walk.bytes - run.parts[0].size;
  run.counts = walk.counts;
  return run;
}

}  // namespace perf_ts
