#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sender.h"
#include "v8_abi.h"

namespace perf_ts {

/**
 * The functions that await the one that runs, of one isolate, some 100 times a second. V8 walks
 * from a resumed function to those that await it when an Error is made, which a signal handler
 * can't do: V8 is asked to interrupt the code at its next check, some 50 µs behind the sample.
 *
 *     sample ── SIGURG ──▶ Note ── futex ──▶ sender's thread: RequestInterrupt
 *     interrupt ──▶ Capture: an Error is made ──▶ the event loop: its text, a record
 *
 * By then another function may run. V8 counts the microtasks that its queue has finished: what
 * runs in one is of one resumed function, whose awaiting functions stay as they are. A stack counts
 * for all samples with the same count and no others.
 */
class AsyncStacks {
 public:
  AsyncStacks() = default;
  AsyncStacks(const AsyncStacks&) = delete;
  AsyncStacks& operator=(const AsyncStacks&) = delete;

  void Start(void* isolate, Sender* sender);
  /** Keeps no stack any more, asked for or not; on the isolate's thread. */
  void Stop();

  /** Looks for V8's queue of microtasks, from within a callback of Node-API. */
  void FindQueue();
  /** Microtasks that have been finished before the one that runs now; `kNone` within none. */
  uint64_t Microtask() const;
  static constexpr uint64_t kNone = ~uint64_t{0};

  /** Keeps the stack of this moment, on the isolate's thread, within code. False: it can't. */
  using Keep = bool (*)(void* context, uint32_t number);
  /** Asks for stacks from now on, where this V8 can be asked. */
  void Begin(void (*interrupt)(void* isolate, void* data), Keep keep, void* context);

  /** Asks for no more. */
  void End() { keep_ = nullptr; }

  /** Called in the handler of a sample. Returns the number of the stack that was kept in this
   * microtask; 0: none.
   */
  uint32_t Note(uint64_t time_ns);
  /** Asks V8 for the stack that `Note` wants; on the sender's thread. */
  void Request();
  /** Called in the interrupt. */
  void Capture();
  /** Bound of the stacks that wait for the event loop. */
  static constexpr uint32_t kMostKept = 64;
  /** Writes a stack, as `src/register/contexts.cts` describes it. */
  void Write(uint32_t number, const char* text, size_t size);

 private:
  /** A stack that was kept, until it is written. */
  struct Kept {
    uint32_t number;
    uint64_t asked_ns;
    uint64_t kept_ns;
  };
  void* isolate_ = nullptr;
  Sender* sender_ = nullptr;
  /** V8's queue of microtasks; null: it is not known. */
  const volatile uint64_t* queue_ = nullptr;
  v8_abi::RequestInterrupt request_ = nullptr;
  void (*interrupt_)(void* isolate, void* data) = nullptr;
  Keep keep_ = nullptr;
  void* context_ = nullptr;

  /** The last sample that a stack was asked for, and its microtask. */
  volatile uint64_t asked_ns_ = 0;
  volatile uint64_t asked_microtask_ = kNone;
  /** `Note` wants a stack; and V8 was asked. */
  std::atomic<bool> is_wanted_{false};
  /** The last stack that was kept, and its microtask. */
  volatile uint64_t kept_microtask_ = kNone;
  volatile uint32_t last_number_ = 0;
  Kept kept_[kMostKept] = {};
};

}  // namespace perf_ts
