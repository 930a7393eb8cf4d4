#pragma once

#include <cstdint>

/**
 * The stream of an isolate: a header, then records, all little-endian, each a multiple of 8 bytes.
 * Read by `src/code/jit/code-record.ts`. Times are CLOCK_MONOTONIC, in nanoseconds; addresses are
 * those of the process.
 */
namespace perf_ts::code_stream {

struct Header {
  char magic[8];
  /** Numbers of this process in its own namespace. */
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
  /** `Positions` and their bytes: of the code that was added last. */
  kPositions = 8,
  /** `LineEnds` and their bytes: of a script, before positions in it. */
  kLineEnds = 9,
  /** `SourceMap` and a URL: of the script of the code that was added last. */
  kSourceMap = 10,
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

struct Positions {
  uint64_t start;
  /** Number of the script in this isolate. */
  uint32_t script;
  /** `kKnowsInlining`. */
  uint32_t flags;
  uint32_t count;
  /** Bytes of the entries, which follow as `EncodePositions` writes them; zeros fill up. */
  uint32_t size;
};

/** Entries tell inlined functions from the code's own. */
inline constexpr uint32_t kKnowsInlining = 1;

struct LineEnds {
  uint32_t script;
  uint32_t count;
  /** Bytes that follow: of each line the distance of its end, in UTF-16 units, from the last one's,
   * in groups of 7 bits; the first one's from 0. */
  uint64_t size;
};

struct SourceMap {
  uint32_t script;
  /** Bytes of the URL (`data:…`), which follows. */
  uint32_t size;
};

struct Lost {
  uint64_t records;
};

}  // namespace perf_ts::code_stream
