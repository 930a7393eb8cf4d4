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
  /** `Turn`: one of the event loop that took `kLeastTurnNs` or more. */
  kTurn = 11,
  /** `ShortTurns`: the sums and counts of the shorter turns of a second or so. */
  kShortTurns = 12,
  /** `Mark` and a name; its time is the begin. */
  kMark = 13,
  /** `MarkEnd` and a name: of a mark that was open. */
  kMarkEnd = 14,
  /** `Caller`: the interpreted function whose call V8 compiled the code for that was added last. */
  kCaller = 15,
  // 16 is written by the recorder.
  /** `Contexts`: of samples of this thread. */
  kContexts = 17,
  /** `Arm`: the thread handles signals of its samples, or no more. */
  kArm = 18,
  /** `Work`: for libuv's pool, begun or ended. */
  kWork = 19,
  /** `AsyncStack` and a text: the functions that awaited the one that ran. */
  kAsyncStack = 20,
  /** An answer to the recorder: all that was written before it was asked has been sent. The
   * `code_type` is the byte that the recorder has asked with. */
  kAnswer = 21,
  /** `WorkStack` and addresses: the callers of what gave work to libuv's pool. */
  kWorkStack = 22,
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

/**
 * An interpreted function while it waits for V8: its place in its bytecode is in its frame, of
 * which samples have no bytes. The addresses tell its frame in a callchain: they are what a walk by
 * frame pointers finds there in a row. A function of Node comes with the innermost one outside
 * Node, in a record of the same time.
 */
struct Caller {
  /** The bytecode at which the function has called. */
  uint64_t bytecode;
  /** Return addresses: of two calls behind its own, of its own, and of the one that called it. */
  uint64_t addresses[4];
};

struct Lost {
  uint64_t records;
};

/** A turn of the isolate's event loop: see `LoopTurns`. Lengths are nanoseconds. */
struct Turn {
  uint64_t begin_ns;
  uint64_t length;
  /** Part of it in callbacks of events; immediates, closing handles and timers have the rest. */
  uint64_t events_length;
  /** The wait before it. */
  uint64_t waited;
  /** `kFirstTurn`, `kOpenTurn`. */
  uint64_t flags;
};

/** The first that was seen: it may have begun earlier. */
inline constexpr uint32_t kFirstTurn = 1;
/** It had not ended when its program ended, or the recording. */
inline constexpr uint32_t kOpenTurn = 2;

inline constexpr uint64_t kLeastTurnNs = 1'000'000;
/**
 * Short turns are counts by length: bucket 0 has those below 2^10 ns; behind it
 * each octave up to 2^20 ns has eight of equal width.
 */
inline constexpr int kLeastOctave = 10;
inline constexpr int kOctaves = 10;
inline constexpr int kBucketsOfOctave = 8;
inline constexpr int kTurnBuckets = 1 + kOctaves * kBucketsOfOctave;

struct ShortTurns {
  /** Begin of the first and end of the last. */
  uint64_t from_ns;
  uint64_t to_ns;
  /** Sums: of the turns, and of the waits before them. */
  uint64_t length;
  uint64_t waited;
  uint32_t counts[kTurnBuckets];
  uint32_t reserved;
};

/** A span of time with a name; or its begin. */
struct Mark {
  /** Nanoseconds; `kOpenMark`: its end is another record. */
  uint64_t length;
  /** The number by which its end knows it; of a collection V8's type. */
  uint32_t id;
  /** `kGcMark`, or a kind of `src/register/marks.cts`: bits 8 to 15 are the binary logarithm of how
   * many such spans it stands for. */
  uint16_t kind;
  /** Bytes of the name, which follows; zeros fill up. */
  uint16_t name_size;
};

inline constexpr uint64_t kOpenMark = ~uint64_t{0};
inline constexpr uint32_t kGcMark = 0;

struct MarkEnd {
  uint32_t id;
  /** The status of HTTP; 0: none came. */
  uint32_t status;
  /** Bytes of a name that takes the place of the first one; 0: none. */
  uint32_t name_size;
  uint32_t reserved;
};

/** Contexts of samples, in the order of their times: see `SampleContexts`. */
struct Contexts {
  uint32_t count;
  /** Contexts that there was no room for, before the time of the record. */
  uint32_t lost;
};

struct Context {
  /** Nanoseconds since the time of the record. */
  uint32_t since_ns;
  /** The lower 20 bits of the number of the request's mark, 0: of one without a mark; all bits: no
   * request. */
  uint32_t number;
  /** The last stack that was kept when the sample's microtask ran; 0: none. */
  uint32_t stack;
};

/** See `AsyncStacks`. The time of its record is that of the sample that it was asked for. */
struct AsyncStack {
  uint32_t number;
  /** Bytes of the text, which follows: `src/register/contexts.cts`. */
  uint32_t size;
  /** Nanoseconds until it was kept: samples between are in the same microtask. */
  uint64_t length;
};

struct Work {
  /** The place of Node's object, which has libuv's work in it. */
  uint64_t address;
  /** A request's, as `Context` has it; `kWorkEnd`, or `kWorkFound`: the offset of the kind is
   * known now. */
  uint32_t number;
  uint16_t kind;
  /** Bytes from the address to libuv's work; 0: not known yet. The same for all of a kind. */
  uint16_t offset;
  /** The place of the work whose callback made this one; 0: none. */
  uint64_t asker;
  /** The `WorkStack` that it was made in; 0: not known. */
  uint32_t stack;
  uint32_t reserved;
};

/** Return addresses by frame pointers, the innermost first, follow. Each is as of the times of the
 * works that have the number. */
struct WorkStack {
  uint32_t number;
  uint32_t count;
};

inline constexpr uint32_t kWorkEnd = ~uint32_t{0} - 1;
inline constexpr uint32_t kWorkFound = ~uint32_t{0} - 2;

struct Arm {
  /** The thread's number in its own namespace. */
  uint32_t tid;
  uint32_t on;
};

}  // namespace perf_ts::code_stream
