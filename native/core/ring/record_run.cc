// Hot: once per record.
#include "record_run.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace perf_ts {

namespace {

/**
 * struct { struct perf_event_header header; u32 pid, tid; u64 addr, len, pgoff; file id or build
 * ID, 24 bytes; u32 prot, flags; char filename[]; … };
 */
constexpr size_t kMmap2Prot = 64;
constexpr size_t kMmap2Name = 72;

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

bool IsCodeMapping(const uint8_t* record, const RecordHeader& header) {
  if (header.type != kRecordMmap2 || header.size <= kMmap2Name) return false;
  uint32_t protection;
  memcpy(&protection, record + kMmap2Prot, sizeof protection);
  return (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER &&
         (protection & PROT_EXEC) != 0;
}

void CodeMappings::Add(const CodeMappings& later, size_t most) {
  const bool fits = records.size() + later.records.size() <= most;
  if (fits) records.insert(records.end(), later.records.begin(), later.records.end());
  (fits ? count : left_out) += later.count;
  left_out += later.left_out;
}

void AppendCodeMappings(const RecordRun& run, uint64_t limit, size_t most, CodeMappings* to) {
  RecordHeader header;
  std::vector<uint8_t>& records = to->records;
  for (uint64_t at = 0; at < limit; at += header.size) {
    memcpy(&header, At(run, at), sizeof header);
    if (header.type != kRecordMmap2) continue;
    const size_t before = records.size();
    records.resize(before + header.size);
    CopyOut(run, at, header.size, records.data() + before);
    const bool is_code = IsCodeMapping(records.data() + before, header);
    const bool fits = records.size() <= most;
    if (is_code) (fits ? to->count : to->left_out)++;
    if (!is_code || !fits) records.resize(before);
  }
}

}  // namespace perf_ts
