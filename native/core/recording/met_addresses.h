#pragma once

#include <cstdint>
#include <vector>

#include "../posix/error.h"
#include "record_window.h"

namespace perf_ts {

/** The questions to a finished recording. */
struct ScanRequest {
  RecordedBytes records;
  /** Words from here on may be kernel addresses; before it stands what described the machine. */
  uint64_t kernel_from = 0;
  /** A program may map files without an end, under names of 4 KiB. */
  size_t most_mapping_bytes = 64 << 20;
};

struct ScanResult {
  /** Each once, in the order in which they were met. */
  std::vector<uint64_t> kernel_addresses;
  /** Whole MMAP2 records of executable user mappings, one behind the other. */
  std::vector<uint8_t> code_mappings;
  /** Mappings that came when these had their most bytes. */
  uint64_t mappings_left_out = 0;
};

/**
 * Reads the records once, a window at a time. They are not decoded: every word, at any multiple of
 * 4 bytes (what tracepoints bring starts 4 bytes off), that may be a kernel address counts as one.
 * A word that is none costs a name too many, no more. False with `*error` where reading fails; what
 * makes no sense as a record ends the search for mappings.
 */
bool ScanRecording(const ScanRequest& request, ScanResult* result, Error* error);

/** Addresses at which code of `owner` was mapped in some process. */
struct CodeRange {
  uint64_t start;
  uint64_t end;
  uint32_t owner;
};

/**
 * Finds the owners with a word in the samples that may be an address of theirs: one byte per owner,
 * 1 for met. Ends early when all are.
 */
bool FindMetOwners(const RecordedBytes& records, std::vector<CodeRange> ranges,
                   std::vector<uint8_t>* met, Error* error);

}  // namespace perf_ts
