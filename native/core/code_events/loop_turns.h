#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "sender.h"
#include "stream.h"
#include "uv_abi.h"
#include "v8_abi.h"

namespace perf_ts {

/**
 * Turns of one event loop. A turn begins when the loop has waited for events, and ends when it
 * waits again, so that it has everything that can delay an event: callbacks, and what they wait for
 * themselves.
 *
 *     wait │ callbacks of events │ immediates, closing, timers │ wait
 *          begin                 check                         prepare
 *
 * libuv calls a check handle behind the callbacks of events and a prepare handle just before the
 * wait; how long that took, it counts itself (`uv_metrics_idle_time`), but from the last signal on
 * that interrupted it (a child's end, a sample with `--requests`). What is missing is neither in
 * its count nor CPU time of the thread: where V8 is entered for the first callback much later, the
 * turn begins then, less the CPU time since `prepare`. A loop that found events before it could
 * wait has not waited: others had the CPU.
 */
class LoopTurns {
 public:
  LoopTurns() = default;
  LoopTurns(const LoopTurns&) = delete;
  LoopTurns& operator=(const LoopTurns&) = delete;

  /**
   * Writes the turns from now on, on the loop's thread; the one that runs now is the first. Does
   * nothing where the program exports no libuv of this layout, or not V8's functions.
   */
  void Start(uv_loop_s* loop, void* isolate, Sender* sender);
  /** Leaves nothing in the loop; on its thread. */
  void Stop();
  /** Writes the turn that has not ended, on any thread: its program ends, or its recording. Short
   * turns of other threads stay unwritten. */
  void WriteOpen();

 private:
  /** libuv's and V8's functions; null where this program does not export them, as `metrics_info`
   * may be. */
  struct Functions {
    uv_abi::HandleSize handle_size;
    uv_abi::Init prepare_init;
    uv_abi::Start prepare_start;
    uv_abi::Stop prepare_stop;
    uv_abi::Init check_init;
    uv_abi::Start check_start;
    uv_abi::Stop check_stop;
    uv_abi::Unref unref;
    uv_abi::Configure configure;
    uv_abi::IdleTime idle_time;
    uv_abi::BackendTimeout backend_timeout;
    uv_abi::MetricsInfo metrics_info;
    v8_abi::ChangeEnterCallback add_enter;
    v8_abi::ChangeEnterCallback remove_enter;
    v8_abi::AddGcCallback add_prologue;
    v8_abi::RemoveGcCallback remove_prologue;
    bool IsUsable() const;
  };
  /** A handle's place; libuv 1.x has 120 bytes for each of the two. */
  static constexpr size_t kMostHandleBytes = 256;
  struct alignas(16) Place {
    char bytes[kMostHandleBytes];
    uv_abi::Handle* handle() { return reinterpret_cast<uv_abi::Handle*>(bytes); }
  };

  static Functions FindFunctions();
  bool Add(uv_abi::Init init, uv_abi::Start start, Place* place, void (*callback)(uv_abi::Handle*));
  static void Remove(uv_abi::Stop stop, Place* place);
  static void OnPrepare(uv_abi::Handle* handle);
  static void OnCheck(uv_abi::Handle* handle);
  static void OnEnter(void* isolate);
  static void OnGcBegin(void* isolate, int type, int flags, void* data);
  void NoteEntered();
  /** Whether the loop has found events without a wait since the last call. */
  bool TakeWaitless();
  uint64_t CountedWaitEnd() const;
  void EndTurn(uint64_t now_ns);
  void WriteTurn(const code_stream::Turn& turn);
  void WriteShort(uint64_t now_ns);

  void* isolate_ = nullptr;
  Sender* sender_ = nullptr;
  /** Null where no turns are written. */
  std::atomic<uv_loop_s*> loop_{nullptr};
  pthread_t thread_{};
  Functions uv_ = {};
  Place prepare_ = {};
  Place check_ = {};
  /** Begin of the turn; 0 while the loop waits and calls what it waited for. */
  std::atomic<uint64_t> begin_ns_{0};
  /** End of the last turn, and what the loop had waited in all until then. */
  std::atomic<uint64_t> waits_since_ns_{0};
  std::atomic<uint64_t> idle_before_ns_{0};
  /** CPU time of the thread before the wait, or earlier. */
  uint64_t cpu_before_ns_ = 0;
  /** End of the wait, from the first callback on; 0 until then. */
  std::atomic<uint64_t> wait_end_ns_{0};
  uint64_t events_waiting_ = 0;
  uint64_t waited_ns_ = 0;
  uint64_t check_ns_ = 0;
  uint32_t flags_ = 0;
  code_stream::ShortTurns short_ = {};
};

}  // namespace perf_ts
