#include "loop_turns.h"

#include <dlfcn.h>
#include <string.h>

#include "monotonic.h"
#include "record_writer.h"

namespace perf_ts {
namespace {

using code_stream::ShortTurns;
using code_stream::Turn;
using code_stream::Type;

/** Short turns of this time are written together. */
constexpr uint64_t kGatherShortNs = 1'000'000'000;
/** A clock of the thread's CPU time takes a hundredth of it. */
constexpr uint64_t kMostShortNs = 50'000;
/** Libuv's own work between the wait and the first callback takes less. */
constexpr uint64_t kMostUncountedNs = 200'000;

/** Bucket of a turn below `kLeastTurnNs`: see `code_stream::ShortTurns`. */
int BucketOf(uint64_t length) {
  using namespace code_stream;
  if (length < (1u << kLeastOctave)) return 0;
  const int octave = 63 - __builtin_clzll(length);
  const auto within = static_cast<int>((length >> (octave - 3)) & (kBucketsOfOctave - 1));
  return 1 + (octave - kLeastOctave) * kBucketsOfOctave + within;
}

/** The turns of the calling thread's loop. */
thread_local LoopTurns* of_thread = nullptr;

template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

bool LoopTurns::Functions::IsUsable() const {
  const bool is_complete = handle_size && prepare_init && prepare_start && prepare_stop &&
                           check_init && check_start && check_stop && unref && configure &&
                           idle_time && backend_timeout && add_enter && remove_enter &&
                           add_prologue && remove_prologue;
  return is_complete && handle_size(uv_abi::kHandleType) == sizeof(uv_abi::Handle) &&
         handle_size(uv_abi::kPrepareType) <= kMostHandleBytes &&
         handle_size(uv_abi::kCheckType) <= kMostHandleBytes;
}

LoopTurns::Functions LoopTurns::FindFunctions() {
  return {Find<uv_abi::HandleSize>("uv_handle_size"),
          Find<uv_abi::Init>("uv_prepare_init"),
          Find<uv_abi::Start>("uv_prepare_start"),
          Find<uv_abi::Stop>("uv_prepare_stop"),
          Find<uv_abi::Init>("uv_check_init"),
          Find<uv_abi::Start>("uv_check_start"),
          Find<uv_abi::Stop>("uv_check_stop"),
          Find<uv_abi::Unref>("uv_unref"),
          Find<uv_abi::Configure>("uv_loop_configure"),
          Find<uv_abi::IdleTime>("uv_metrics_idle_time"),
          Find<uv_abi::BackendTimeout>("uv_backend_timeout"),
          Find<uv_abi::MetricsInfo>("uv_metrics_info"),
          Find<v8_abi::ChangeEnterCallback>(v8_abi::kAddEnterCallback),
          Find<v8_abi::ChangeEnterCallback>(v8_abi::kRemoveEnterCallback),
          Find<v8_abi::AddGcCallback>(v8_abi::kAddGcPrologue),
          Find<v8_abi::RemoveGcCallback>(v8_abi::kRemoveGcPrologue)};
}

void LoopTurns::Start(uv_loop_s* loop, void* isolate, Sender* sender) {
  uv_ = FindFunctions();
  // Node has it counted in all its loops; a program that embeds Node need not.
  if (!uv_.IsUsable() || uv_.configure(loop, uv_abi::kMetricsIdleTime) != 0) return;
  sender_ = sender;
  thread_ = pthread_self();
  flags_ = code_stream::kFirstTurn;
  check_ns_ = NowNs();
  begin_ns_.store(check_ns_, std::memory_order_relaxed);
  loop_.store(loop, std::memory_order_release);
  isolate_ = isolate;
  of_thread = this;
  uv_.add_enter(isolate, OnEnter);
  uv_.add_prologue(isolate, OnGcBegin, this, v8_abi::kAllGcTypes);
  const bool is_added = Add(uv_.prepare_init, uv_.prepare_start, &prepare_, OnPrepare) &&
                        Add(uv_.check_init, uv_.check_start, &check_, OnCheck);
  if (!is_added) Stop();
}

bool LoopTurns::Add(uv_abi::Init init, uv_abi::Start start, Place* place,
                    void (*callback)(uv_abi::Handle*)) {
  uv_abi::Handle* handle = place->handle();
  if (init(loop_.load(std::memory_order_relaxed), handle) != 0) return false;
  handle->data = this;
  const bool is_referenced = handle->flags == uv_abi::kReferenced;
  uv_.unref(handle);
  // The flag that has changed confirms its meaning. A handle that is the loop's own is not listed
  // by it, and does not keep it from being closed.
  if (!is_referenced || handle->flags != 0) return false;
  handle->flags |= uv_abi::kInternal;
  return start(handle, callback) == 0;
}

void LoopTurns::Remove(uv_abi::Stop stop, Place* place) {
  uv_abi::Handle* handle = place->handle();
  if (handle->data == nullptr) return;
  stop(handle);
  // libuv does so when a handle has been closed, which would take one more turn of a loop that may
  // have none.
  const uv_abi::Links links = handle->in_loop;
  links.previous->next = links.next;
  links.next->previous = links.previous;
  memset(place, 0, sizeof *place);
}

void LoopTurns::Stop() {
  if (loop_.load(std::memory_order_relaxed) == nullptr) return;
  Remove(uv_.check_stop, &check_);
  Remove(uv_.prepare_stop, &prepare_);
  uv_.remove_enter(isolate_, OnEnter);
  uv_.remove_prologue(isolate_, OnGcBegin, this);
  of_thread = nullptr;
  WriteOpen();
  loop_.store(nullptr, std::memory_order_release);
}

void LoopTurns::OnPrepare(uv_abi::Handle* handle) {
  auto* self = static_cast<LoopTurns*>(handle->data);
  uv_loop_s* loop = self->loop_.load(std::memory_order_relaxed);
  uint64_t now_ns = NowNs();
  const uint64_t begin_ns = self->begin_ns_.load(std::memory_order_relaxed);
  // It is 0 where a descriptor is new, too, and the loop waits. To ask for the time costs much of
  // the shortest turns alone: behind those, the one of before is too early, and so less is taken
  // off.
  const bool can_wait = self->uv_.backend_timeout(loop) != 0;
  if (can_wait || now_ns - begin_ns >= kMostShortNs) {
    self->cpu_before_ns_ = ThreadCpuNs();
    // That was a system call, behind which the kernel gives the CPU to those that have been waiting
    // for it: this time is the turn's, which no event ends.
    now_ns = NowNs();
  }
  if (begin_ns != 0) self->EndTurn(now_ns);
  self->idle_before_ns_.store(self->uv_.idle_time(loop), std::memory_order_relaxed);
  self->waits_since_ns_.store(now_ns, std::memory_order_relaxed);
  self->wait_end_ns_.store(0, std::memory_order_relaxed);
  self->begin_ns_.store(0, std::memory_order_release);
}

void LoopTurns::OnEnter(void*) {
  if (LoopTurns* self = of_thread) self->NoteEntered();
}

void LoopTurns::OnGcBegin(void*, int, int, void* data) {
  static_cast<LoopTurns*>(data)->NoteEntered();
}

uint64_t LoopTurns::CountedWaitEnd() const {
  const uint64_t idle_ns = uv_.idle_time(loop_.load(std::memory_order_relaxed)) -
                           idle_before_ns_.load(std::memory_order_relaxed);
  return waits_since_ns_.load(std::memory_order_relaxed) + idle_ns;
}

void LoopTurns::NoteEntered() {
  if (begin_ns_.load(std::memory_order_relaxed) != 0) return;
  if (wait_end_ns_.load(std::memory_order_relaxed) != 0) return;
  const uint64_t now_ns = NowNs();
  uint64_t end_ns = CountedWaitEnd();
  if (now_ns > end_ns + kMostUncountedNs) {
    const uint64_t ran_ns = ThreadCpuNs() - cpu_before_ns_;
    if (now_ns - ran_ns > end_ns) end_ns = now_ns - ran_ns;
  }
  wait_end_ns_.store(end_ns < now_ns ? end_ns : now_ns, std::memory_order_release);
}

bool LoopTurns::TakeWaitless() {
  if (uv_.metrics_info == nullptr) return false;
  uv_abi::Metrics metrics = {};
  uv_.metrics_info(loop_.load(std::memory_order_relaxed), &metrics);
  const uint64_t before = events_waiting_;
  events_waiting_ = metrics.events_waiting;
  return events_waiting_ != before;
}

void LoopTurns::OnCheck(uv_abi::Handle* handle) {
  auto* self = static_cast<LoopTurns*>(handle->data);
  const bool is_waitless = self->TakeWaitless();
  const uint64_t since_ns = self->waits_since_ns_.load(std::memory_order_relaxed);
  if (since_ns == 0) return;
  self->NoteEntered();
  self->check_ns_ = NowNs();
  const uint64_t begin_ns =
      is_waitless ? since_ns : self->wait_end_ns_.load(std::memory_order_relaxed);
  self->waited_ns_ = begin_ns - since_ns;
  self->begin_ns_.store(begin_ns, std::memory_order_release);
}

void LoopTurns::EndTurn(uint64_t now_ns) {
  const uint64_t begin_ns = begin_ns_.load(std::memory_order_relaxed);
  const uint64_t length = now_ns - begin_ns;
  if (length >= code_stream::kLeastTurnNs || flags_ != 0) {
    WriteTurn({begin_ns, length, check_ns_ - begin_ns, waited_ns_, flags_});
    flags_ = 0;
  } else {
    if (short_.from_ns == 0) short_.from_ns = begin_ns;
    short_.to_ns = now_ns;
    short_.length += length;
    short_.waited += waited_ns_;
    short_.counts[BucketOf(length)]++;
  }
  if (short_.from_ns != 0 && now_ns - short_.from_ns >= kGatherShortNs) WriteShort(now_ns);
}

void LoopTurns::WriteOpen() {
  uv_loop_s* loop = loop_.load(std::memory_order_acquire);
  if (loop == nullptr) return;
  uint64_t begin_ns = begin_ns_.load(std::memory_order_acquire);
  const uint64_t now_ns = NowNs();
  if (pthread_equal(thread_, pthread_self()) != 0) WriteShort(now_ns);
  if (begin_ns == 0) {
    // The loop waits until V8 is entered.
    begin_ns = wait_end_ns_.load(std::memory_order_acquire);
    if (begin_ns == 0) return;
  }
  if (now_ns < begin_ns + code_stream::kLeastTurnNs) return;
  WriteTurn({begin_ns, now_ns - begin_ns, 0, 0, code_stream::kOpenTurn});
}

void LoopTurns::WriteTurn(const Turn& turn) {
  WriteLazily(sender_, Type::kTurn, turn.begin_ns + turn.length, turn);
}

void LoopTurns::WriteShort(uint64_t now_ns) {
  if (short_.from_ns == 0) return;
  WriteLazily(sender_, Type::kShortTurns, now_ns, short_);
  short_ = ShortTurns{};
}

}  // namespace perf_ts
