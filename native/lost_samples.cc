#include "lost_samples.h"

#include <linux/perf_event.h>

#include "record.h"

namespace perf_ts {

namespace {

uint64_t Pair(uint32_t first, uint32_t second) {
  const uint32_t halves[2] = {first, second};
  uint64_t word;
  memcpy(&word, halves, sizeof word);
  return word;
}

}  // namespace

// struct {
//     struct perf_event_header header;
//     u64 lost;
//     struct sample_id {
//         { u32 pid, tid; }   if PERF_SAMPLE_TID
//         { u64 time;     }   if PERF_SAMPLE_TIME
//         { u64 id;       }   if PERF_SAMPLE_ID
//         { u64 stream_id;}   if PERF_SAMPLE_STREAM_ID
//         { u32 cpu, res; }   if PERF_SAMPLE_CPU
//         { u64 id;       }   if PERF_SAMPLE_IDENTIFIER
//     }                       if attr.sample_id_all
// };
std::vector<uint64_t> LostSamplesRecord(const EventAttr& attr, uint64_t lost,
                                        const LossOrigin& origin) {
  std::vector<uint64_t> words = {0, lost};
  if (attr.sample_id_all()) {
    const uint64_t type = attr.sample_type();
    if ((type & PERF_SAMPLE_TID) != 0) words.push_back(Pair(origin.pid, origin.pid));
    if ((type & PERF_SAMPLE_TIME) != 0) words.push_back(origin.time_ns);
    if ((type & PERF_SAMPLE_ID) != 0) words.push_back(origin.event_id);
    if ((type & PERF_SAMPLE_STREAM_ID) != 0) words.push_back(origin.event_id);
    if ((type & PERF_SAMPLE_CPU) != 0) words.push_back(Pair(static_cast<uint32_t>(origin.cpu), 0));
    if ((type & PERF_SAMPLE_IDENTIFIER) != 0) words.push_back(origin.event_id);
  }
  const uint16_t size = static_cast<uint16_t>(words.size() * sizeof(uint64_t));
  const RecordHeader header = {kRecordLostSamples, 0, size};
  memcpy(words.data(), &header, sizeof header);
  return words;
}

}  // namespace perf_ts
