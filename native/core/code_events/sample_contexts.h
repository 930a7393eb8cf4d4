#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "async_stacks.h"
#include "sender.h"
#include "v8_abi.h"
#include "v8_memory.h"

namespace perf_ts {

/**
 * The asynchronous context of one isolate's thread at each of its samples: which request the code
 * that was interrupted works for. The recorder has the kernel send SIGURG to the thread with each
 * sample; the handler runs before any other code of the program does, and notes the context, so
 * that a sample has the first context at or behind its time.
 *
 *     sample ── SIGURG ──▶ handler: ring ◀── sender's thread, 20 times a second: records
 *
 * SIGURG is ignored where nobody handles it: a signal that comes after an exec, or behind the end
 * of a recording, does nothing.
 *
 * The program's own side gives numbers to requests (`src/register/contexts.cts`). Where Node keeps
 * contexts in a frame that V8 hands on from promise to promise (Node 24 and later), the number is a
 * store in that frame, and the handler reads it in V8's heap; elsewhere hooks put it into a cell.
 */
class SampleContexts {
 public:
  SampleContexts() = default;
  SampleContexts(const SampleContexts&) = delete;
  SampleContexts& operator=(const SampleContexts&) = delete;

  void Start(void* isolate, Sender* sender);
  /** No signal is handled for this thread behind that; on it. */
  void Stop();

  /**
   * Looks for the place where V8 has the current frame, from within two frames or more, in turn:
   * returns how many places are left. `undefined`: V8's value of it, for no frame.
   */
  int FindFrame(uint64_t undefined);
  /** The bits above the number in a store of a frame. */
  uint32_t mark() const { return mark_; }
  /** The number in the current context, as the handler reads it; `kNone`. */
  uint32_t Read() const;
  /** The cell of hooks, which lives as long as the process. Null without memory. */
  uint32_t* Cell();

  /**
   * Handles signals from now on and asks the recorder for them. False where the program uses the
   * signal itself or blocks it, or the isolate's garbage collections are not announced.
   */
  bool Arm();
  /**
   * Notes that work for libuv's pool was made in the current context, and returns the address of
   * Node's object for it; 0: it is not known. `object`: V8's, by which JavaScript has it. `kind`:
   * below `kWorkKinds`, of its class. `asker`: the address of the work whose callback runs, 0:
   * none. The thread of the pool that does the work has the address of libuv's part of the object
   * on its stack.
   */
  uint64_t BeginWork(uint64_t object, uint32_t kind, uint64_t asker);
  /**
   * It was done for a loop of libuv. Without `goes_on` the memory may be another's from now on.
   */
  void EndWork(uint64_t address, uint32_t kind, bool goes_on, uint64_t loop);
  static constexpr uint32_t kWorkKinds = 32;
  AsyncStacks& stacks() { return stacks_; }
  /** Called by V8 within code, where `stacks` has asked. */
  static void OnInterrupt(void* isolate, void* data);
  /** Writes what was noted, and asks for no more where the program handles the signal now; on any
   * thread. */
  void Drain();

  static constexpr uint32_t kNone = ~uint32_t{0};

 private:
  /** A noted context. */
  struct Entry {
    uint64_t time_ns;
    uint32_t number;
    uint32_t stack;
  };
  static constexpr uint32_t kEntries = 4096;
  static constexpr int kMostPlaces = 64;

  static void OnSignal(int signal);
  /** That of the calling thread; null where it has none. */
  static SampleContexts* OfThread();
  /** Whether the process has our handler. */
  static bool IsOurs();
  static void OnGcBegin(void* isolate, int type, int flags, void* self);
  static void OnGcEnd(void* isolate, int type, int flags, void* self);
  void Note();
  uint32_t ReadFrame() const;
  bool WatchCollections();
  bool FindAddressField(uint64_t object);
  bool FindWork(uint64_t address, uint32_t kind, uint64_t loop);
  void WriteWork(uint64_t address, uint32_t kind, uint32_t number, uint64_t asker = 0,
                 uint32_t stack = 0);
  /** The number of the stack of calls around `frame`, which is written the first time. */
  uint32_t NoteStack(const void* frame);
  void Ask(bool on);
  void Disarm();

  AsyncStacks stacks_;
  Sender* sender_ = nullptr;
  void* isolate_ = nullptr;
  int tid_ = 0;
  bool is_armed_ = false;
  /** The recorder was asked, and not asked to end it. */
  std::atomic<bool> wants_signals_{false};
  uint32_t mark_ = 0;

  /** Words of the isolate that may be the place, and how many; −1: none was looked for. */
  uint32_t places_[kMostPlaces] = {};
  int place_count_ = -1;
  /** The place, null where the cell is used. */
  const volatile uint64_t* frame_ = nullptr;
  uint64_t undefined_ = 0;
  /** V8's types of a frame and of its table. */
  uint16_t frame_type_ = 0;
  uint16_t table_type_ = 0;
  uint32_t* cell_ = nullptr;
  /** The word of an object of Node that has the address of the one in C++; 0: not known. */
  int address_word_ = 0;
  /** Bytes from Node's object to libuv's work in it, by kind; 0: not known. */
  uint16_t work_offsets_[kWorkKinds] = {};
  ThreadStack stack_;
  /** Numbers of stacks that were written, by what their addresses come to; a later one may take
   * the place. */
  static constexpr uint32_t kKnownStacks = 256;
  struct KnownStack {
    uint64_t hash;
    uint32_t number;
  };
  KnownStack known_stacks_[kKnownStacks] = {};
  uint32_t stack_count_ = 0;

  /** Collections move objects: meanwhile the number that was current before one. */
  volatile int collections_ = 0;
  volatile uint32_t before_collection_ = kNone;
  v8_abi::RemoveGcCallback remove_prologue_ = nullptr;
  v8_abi::RemoveGcCallback remove_epilogue_ = nullptr;

  /** Written by the handler alone, emptied under the mutex. */
  Entry* entries_ = nullptr;
  std::atomic<uint32_t> written_{0};
  std::atomic<uint32_t> taken_{0};
  std::atomic<uint32_t> lost_{0};
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace perf_ts
