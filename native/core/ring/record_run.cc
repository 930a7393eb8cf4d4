// Hot: once per record.
#include "record_run.h"

#include <algorithm>
#include <cstring>

namespace perf_ts {

namespace {

const uint8_t* At(const RecordRun& run, uint64_t offset) {
  const uint64_t first = run.parts[0].size;
  return offset < first ? run.parts[0].data + offset : run.parts[1].data + (offset - first);
}

}  // namespace

RecordWalk WalkRecords(const RecordRun& run, uint64_t from, uint64_t limit) {
  RecordWalk walk;
  uint64_t position = from;
  while (limit - position >= sizeof(RecordHeader)) {
    RecordHeader header;
    memcpy(&header, At(run, position), sizeof header);
    if (header.size < sizeof header || header.size % 8 != 0) break;
    if (header.size > limit - position) break;
    if (header.type == kRecordSample) {
      walk.counts.samples++;
    } else if (header.type == kRecordLost && header.size >= 24) {
      // struct { struct perf_event_header header; u64 id; u64 lost; struct sample_id sample_id; };
      uint64_t lost;
      memcpy(&lost, At(run, position + 16), sizeof lost);
      walk.counts.lost_records += lost;
    } else if (header.type == kRecordThrottle) {
      walk.counts.throttles++;
    }
    position += header.size;
  }
  walk.bytes = position - from;
  return walk;
}

void CopyOut(const RecordRun& run, uint64_t from, uint64_t bytes, uint8_t* to) {
  const uint64_t first = run.parts[0].size;
  const uint64_t in_first = from < first ? std::min(bytes, first - from) : 0;
  if (in_first > 0) memcpy(to, run.parts[0].data + from, in_first);
  const uint64_t rest = bytes - in_first;
  if (rest > 0) memcpy(to + in_first, run.parts[1].data + (from + in_first - first), rest);
}

}  // namespace perf_ts
