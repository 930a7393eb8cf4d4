#pragma once

#include <node_api.h>

#include <cstdint>

#include "../core/code_events/async_stacks.h"

namespace perf_ts {

/**
 * The stacks that V8 keeps for `AsyncStacks`: in errors, whose text is made when the event loop
 * turns. All calls on the isolate's thread.
 */
class KeptStacks {
 public:
  KeptStacks() = default;
  KeptStacks(const KeptStacks&) = delete;
  KeptStacks& operator=(const KeptStacks&) = delete;

  /** Whether stacks are kept, or were until `Detach`. */
  bool is_begun() const { return describe_ != nullptr; }
  /**
   * Keeps the stacks that are asked for. `error`: V8's own `Error`; `describe`: makes a text of
   * one, or returns something else, and no more are kept. False where that can't be.
   */
  bool Begin(napi_env env, napi_value error, napi_value describe, AsyncStacks* stacks);
  /** Writes none any more: `AsyncStacks` goes. */
  void Detach() { stacks_ = nullptr; }
  /** Leaves no reference behind. */
  void End(napi_env env);

 private:
  static constexpr uint32_t kMost = AsyncStacks::kMostKept;

  static bool Keep(void* context, uint32_t number);
  static void Describe(napi_env env, napi_value describe, void* context, void*);
  /** The error that was kept first; null without. Its reference ends. */
  napi_value Take(napi_env env);

  AsyncStacks* stacks_ = nullptr;
  napi_env env_ = nullptr;
  napi_ref error_constructor_ = nullptr;
  napi_threadsafe_function describe_ = nullptr;
  /** Errors and the numbers of their stacks, until they are described: a ring. */
  napi_ref errors_[kMost] = {};
  uint32_t numbers_[kMost] = {};
  uint32_t first_ = 0;
  uint32_t count_ = 0;
};

}  // namespace perf_ts
