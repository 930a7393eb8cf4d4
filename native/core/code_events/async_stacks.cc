#include "async_stacks.h"

#include <dlfcn.h>

#include "monotonic.h"
#include "record_writer.h"

namespace perf_ts {
namespace {

constexpr uint64_t kLeastBetweenNs = 10'000'000;

/**
 * `v8::internal::MicrotaskQueue`, from V8 10 to 14:
 *
 *     functions, size, capacity, start, ring, finished, next, previous,
 *     i32 depth, suppressions, i32 policy, bool is_running
 */
constexpr int kFinishedWord = 5;
constexpr int kRunsWord = 9;
constexpr uint64_t kRuns = uint64_t{0xff} << 32;

template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void AsyncStacks::Start(void* isolate, Sender* sender) {
  isolate_ = isolate;
  sender_ = sender;
}

void AsyncStacks::FindQueue() {
  const auto context = Find<v8_abi::GetCurrentContext>(v8_abi::kGetCurrentContext);
  const auto queue = Find<v8_abi::GetMicrotaskQueue>(v8_abi::kGetMicrotaskQueue);
  if (isolate_ == nullptr || context == nullptr || queue == nullptr) return;
  void* current = context(isolate_);
  if (current != nullptr) queue_ = static_cast<const uint64_t*>(queue(current));
}

void AsyncStacks::Stop() {
  keep_ = nullptr;
  queue_ = nullptr;
  is_wanted_.store(false);
}

uint64_t AsyncStacks::Microtask() const {
  return queue_ == nullptr || (queue_[kRunsWord] & kRuns) == 0 ? kNone : queue_[kFinishedWord];
}

void AsyncStacks::Begin(void (*interrupt)(void*, void*), Keep keep, void* context) {
  request_ = Find<v8_abi::RequestInterrupt>(v8_abi::kRequestInterrupt);
  if (queue_ == nullptr || request_ == nullptr) return;
  interrupt_ = interrupt;
  context_ = context;
  keep_ = keep;
}

uint32_t AsyncStacks::Note(uint64_t time_ns) {
  if (keep_ == nullptr) return 0;
  const uint64_t microtask = Microtask();
  if (microtask == kNone) return 0;
  if (time_ns - asked_ns_ >= kLeastBetweenNs) {
    asked_ns_ = time_ns;
    asked_microtask_ = microtask;
    is_wanted_.store(true, std::memory_order_release);
    sender_->Wake();
  }
  return microtask == kept_microtask_ ? last_number_ : 0;
}

void AsyncStacks::Request() {
  if (is_wanted_.exchange(false, std::memory_order_acquire)) {
    request_(isolate_, interrupt_, nullptr);
  }
}

void AsyncStacks::Capture() {
  const uint64_t microtask = Microtask();
  if (keep_ == nullptr || microtask == kNone || microtask != asked_microtask_) return;
  const uint32_t number = last_number_ + 1;
  Kept& place = kept_[number % kMostKept];
  if (place.number != 0 || !keep_(context_, number)) return;
  place = {number, asked_ns_, NowNs()};
  last_number_ = number;
  kept_microtask_ = microtask;
}

void AsyncStacks::Write(uint32_t number, const char* text, size_t size) {
  Kept& place = kept_[number % kMostKept];
  if (place.number != number) return;
  const code_stream::AsyncStack stack = {place.number, static_cast<uint32_t>(size),
                                         place.kept_ns - place.asked_ns};
  WriteLazily(sender_, code_stream::Type::kAsyncStack, place.asked_ns, stack, text, size);
  place.number = 0;
}

}  // namespace perf_ts
