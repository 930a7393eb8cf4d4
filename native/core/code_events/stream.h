#pragma once

#include <cstdint>

/**
 * The stream of an isolate: a header, then records, all little-endian, each a multiple of 8 bytes.
 * Read by `src/code/jit/code-events.ts`. Times are CLOCK_MONOTONIC, in nanoseconds; addresses are
 * those of the process.
 */
namespace perf_ts::code_stream {

struct Header {
  char magic[8];
  /** As this process sees itself: the namespace's numbers. */
  uint32_t pid;
  uint32_t tid;
  uint64_t time_ns;
  /** 0. */
  uint64_t flags;
};

inline constexpr char kMagic[8] = {'P', 'T', 'S', 'C', 'O', 'D', 'E', '1'};

enum class Type : uint16_t {
  /** `Added` and the name. */
  kAdded = 1,
  kMoved = 2,
  kRemoved = 3,
  /** All code that existed has been added. */
  kEnumerated = 5,
  /** `Lost`: records for which there was no memory. */
  kLost = 6,
  /** A line of JSON, filled up with newlines: `NodeNote` in `src/read/jit/node-notes.ts`. */
  kNote = 7,
};

struct Record {
  /** Bytes of the whole record. */
  uint32_t size;
  Type type;
  /** `v8_abi::CodeType`. */
  uint16_t code_type;
  uint64_t time_ns;
};

struct Added {
  uint64_t start;
  uint64_t length;
  /** Bytes of the name, which follows; zeros fill up to a multiple of 8. */
  uint64_t name_length;
};

struct Moved {
  uint64_t from;
  uint64_t length;
  uint64_t to;
};

struct Removed {
  uint64_t start;
  uint64_t length;
};

struct Lost {
  uint64_t records;
};

}  // namespace perf_ts::code_stream
