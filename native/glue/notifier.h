#pragma once

#include <node_api.h>

#include <atomic>

namespace perf_ts {

/**
 * Lets another thread wake an environment's event loop, and reports when that environment ends.
 *
 * Heap-allocated and self-freeing, because the thread-safe function below needs its context until
 * it is finalized, which may come after the owner is gone. It keeps the loop alive until Close.
 */
class Notifier {
 public:
  /** Both are called on the environment's thread. */
  class Listener {
   public:
    /** After one or more calls of Send. A handle scope is open. */
    virtual void OnNotified() = 0;
    /** The environment ends: stop other threads from calling Send. The notifier closes itself. */
    virtual void OnEnvironmentExit() = 0;

   protected:
    ~Listener() = default;
  };

  /** Null when the environment has no loop to wake, or ends already. */
  static Notifier* Create(napi_env env, Listener* listener);

  /** Any thread, until Close. Calls before the listener's turn are one. */
  void Send();
  /** No call to the listener comes after this; the notifier frees itself. */
  void Close();

 private:
  Notifier(napi_env env, Listener* listener) : env_(env), listener_(listener) {}
  ~Notifier() = default;

  static void OnCall(napi_env env, napi_value function, void* self, void* data);
  static void OnFinalize(napi_env env, void* self, void* hint);
  static void OnCleanup(void* self);

  void Release();

  napi_env env_;
  /** Null once closed. */
  Listener* listener_;
  napi_threadsafe_function function_ = nullptr;
  /** A call is on its way to the environment's thread. */
  std::atomic<bool> is_sent_{false};
};

}  // namespace perf_ts
