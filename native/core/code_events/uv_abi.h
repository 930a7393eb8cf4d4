#pragma once

#include <cstddef>
#include <cstdint>

/** libuv 1.x as programs export it, and the layout of its handles. */

struct uv_loop_s;

namespace perf_ts::uv_abi {

/** A place in a list of libuv. */
struct Links {
  Links* next;
  Links* previous;
};

/** `uv_handle_t`, whose flags are the last field that all handles have. */
struct Handle {
  void* data;
  void* loop;
  int type;
  void* close_callback;
  /** Its place in the list of the loop's handles, which `uv_walk` follows. */
  Links in_loop;
  void* reserved[4];
  Handle* next_closing;
  unsigned flags;
};

/** `UV_HANDLE_ACTIVE`, `UV_HANDLE_REF`, `UV_HANDLE_INTERNAL` of libuv's src/uv-common.h. */
inline constexpr unsigned kActive = 0x4;
inline constexpr unsigned kReferenced = 0x8;
inline constexpr unsigned kInternal = 0x10;

/** `uv_handle_type`. */
inline constexpr int kCheckType = 2;
inline constexpr int kHandleType = 5;
inline constexpr int kPrepareType = 9;
/** `UV_METRICS_IDLE_TIME` of `uv_loop_option`. */
inline constexpr int kMetricsIdleTime = 1;

using Walk = void (*)(uv_loop_s*, void (*)(Handle*, void*), void*);
using HandleSize = size_t (*)(int type);
using Init = int (*)(uv_loop_s*, Handle*);
using Start = int (*)(Handle*, void (*)(Handle*));
using Stop = int (*)(Handle*);
using Unref = void (*)(Handle*);
using Configure = int (*)(uv_loop_s*, int option, ...);
/** Milliseconds that the loop's next wait takes at most; 0: it does not wait. */
using BackendTimeout = int (*)(const uv_loop_s*);
/** Nanoseconds that the loop has waited for events since it began; may be called on any thread. */
using IdleTime = uint64_t (*)(uv_loop_s*);
/** `uv_metrics_t`; `events_waiting` are those that were there before the loop could wait. */
struct Metrics {
  uint64_t loop_count;
  uint64_t events;
  uint64_t events_waiting;
  uint64_t* reserved[13];
};
/** Fills in the loop's metrics; libuv has it from 1.45 on. */
using MetricsInfo = int (*)(uv_loop_s*, Metrics*);

}  // namespace perf_ts::uv_abi
