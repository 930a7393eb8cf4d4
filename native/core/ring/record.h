#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstring>

namespace perf_ts {

/**
 * Every record begins with
 *
 *     struct perf_event_header { u32 type; u16 misc; u16 size; };
 *
 * `size` counts the header and is a multiple of 8. A record is therefore at most 65 528 bytes.
 */
using RecordHeader = perf_event_header;
static_assert(sizeof(RecordHeader) == 8);

/** Record types up to 63 are the kernel's, from 64 on the tools'. */
constexpr uint32_t kRecordLost = 2;
constexpr uint32_t kRecordThrottle = 5;
constexpr uint32_t kRecordFork = 7;
constexpr uint32_t kRecordRead = 8;
constexpr uint32_t kRecordSample = 9;
constexpr uint32_t kRecordMmap2 = 10;
constexpr uint32_t kRecordLostSamples = 13;
/** A header alone. All rings were drained once: what comes is not older than the round before. */
constexpr uint32_t kRecordFinishedRound = 68;
/** Compressed records, in one piece of a stream that all of them together are. */
constexpr uint32_t kRecordCompressed = 81;

constexpr RecordHeader kFinishedRound = {kRecordFinishedRound, 0, sizeof(RecordHeader)};

constexpr uint32_t kMaxRecordBytes = 65536;

/** Counts that the drain thread makes while it walks the headers. */
struct RecordCounts {
  uint64_t samples = 0;
  /** Σ `lost` of PERF_RECORD_LOST in the rings of samples. */
  uint64_t lost_records = 0;
  /** Σ `lost` of side-band rings: records of forks, execs and mappings, not samples. */
  uint64_t lost_sideband = 0;
  uint64_t throttles = 0;

  void Add(const RecordCounts& other) {
    samples += other.samples;
    lost_records += other.lost_records;
    lost_sideband += other.lost_sideband;
    throttles += other.throttles;
  }
};

}  // namespace perf_ts
