#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "record.h"

namespace perf_ts {

/** Some contiguous bytes. */
struct Span {
  const uint8_t* data = nullptr;
  uint64_t size = 0;
};

/**
 * Records one after the other, in one piece or, where they wrap in their ring, in two. A header is
 * always in one piece, because pieces end at multiples of 8; a body may lie in both.
 */
struct RecordRun {
  Span parts[2];
  /** Counts of all of it; set by whoever walked it. */
  RecordCounts counts;

  uint64_t size() const { return parts[0].size + parts[1].size; }
};

/** How far a walk came, and what it met. */
struct RecordWalk {
  /** Whole records, from where the walk began. */
  uint64_t bytes = 0;
  RecordCounts counts;
};

/**
 * Walks the headers from the record boundary `from` over the records that end at or before `limit`
 * (at most the run's size), and stops early at a header that makes no sense: smaller than itself
 * or unaligned.
 */
RecordWalk WalkRecords(const RecordRun& run, uint64_t from, uint64_t limit);

/** Copies `bytes` from offset `from` on. */
void CopyOut(const RecordRun& run, uint64_t from, uint64_t bytes, uint8_t* to);

/** Whether a whole record is the MMAP2 of an executable user mapping. */
bool IsCodeMapping(const uint8_t* record, const RecordHeader& header);

/** Such records, one after the other. */
struct CodeMappings {
  std::vector<uint8_t> records;
  uint64_t count = 0;
  /** The number of those that had no room. */
  uint64_t left_out = 0;

  bool empty() const { return count == 0 && left_out == 0; }
  /** Adds those of `later`, or only their number where all have more than `most` bytes together. */
  void Add(const CodeMappings& later, size_t most);
};

/** Appends such records among the first `limit` bytes of the run, as long as `to` has at most
 * `most` bytes. */
void AppendCodeMappings(const RecordRun& run, uint64_t limit, size_t most, CodeMappings* to);

}  // namespace perf_ts
