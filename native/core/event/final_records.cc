#include "final_records.h"

#include <linux/perf_event.h>

#include "../ring/record.h"

namespace perf_ts {

namespace {

uint64_t Pair(uint32_t first, uint32_t second) {
  const uint32_t halves[2] = {first, second};
  uint64_t word;
  memcpy(&word, halves, sizeof word);
  return word;
}

// struct sample_id {
//     { u32 pid, tid; }   if PERF_SAMPLE_TID
//     { u64 time;     }   if PERF_SAMPLE_TIME
//     { u64 id;       }   if PERF_SAMPLE_ID
//     { u64 stream_id;}   if PERF_SAMPLE_STREAM_ID
//     { u32 cpu, res; }   if PERF_SAMPLE_CPU
//     { u64 id;       }   if PERF_SAMPLE_IDENTIFIER
// };                      if attr.sample_id_all
void AppendTrailer(const EventAttr& attr, const InstanceOrigin& origin,
                   std::vector<uint64_t>* words) {
  if (!attr.sample_id_all()) return;
  const uint64_t type = attr.sample_type();
  if ((type & PERF_SAMPLE_TID) != 0) words->push_back(Pair(origin.pid, origin.tid));
  if ((type & PERF_SAMPLE_TIME) != 0) words->push_back(origin.time_ns);
  if ((type & PERF_SAMPLE_ID) != 0) words->push_back(origin.event_id);
  // An instance that was opened is its own stream.
  if ((type & PERF_SAMPLE_STREAM_ID) != 0) words->push_back(origin.event_id);
  if ((type & PERF_SAMPLE_CPU) != 0) words->push_back(Pair(static_cast<uint32_t>(origin.cpu), 0));
  if ((type & PERF_SAMPLE_IDENTIFIER) != 0) words->push_back(origin.event_id);
}

/** `words[0]` is kept free for the header. */
std::vector<uint64_t> Finish(uint32_t type, const EventAttr& attr, const InstanceOrigin& origin,
                             std::vector<uint64_t> words) {
  AppendTrailer(attr, origin, &words);
  const uint16_t size = static_cast<uint16_t>(words.size() * sizeof(uint64_t));
  const RecordHeader header = {type, 0, size};
  memcpy(words.data(), &header, sizeof header);
  return words;
}

}  // namespace

// struct { struct perf_event_header header; u64 lost; struct sample_id sample_id; };
std::vector<uint64_t> LostSamplesRecord(const EventAttr& attr, uint64_t lost,
                                        const InstanceOrigin& origin) {
  return Finish(kRecordLostSamples, attr, origin, {0, lost});
}

// struct { struct perf_event_header header; u32 pid, tid; struct read_format values;
//          struct sample_id sample_id; };
std::vector<uint64_t> ReadRecord(const EventAttr& attr, const std::vector<uint64_t>& reading,
                                 const InstanceOrigin& origin) {
  std::vector<uint64_t> words = {0, Pair(origin.pid, origin.tid)};
  words.insert(words.end(), reading.begin(), reading.end());
  return Finish(kRecordRead, attr, origin, std::move(words));
}

}  // namespace perf_ts
