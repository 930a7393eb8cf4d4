#pragma once

#include <node_api.h>
#include <uv.h>

namespace perf_ts {

/**
 * Lets another thread wake an environment's event loop, and tells when that environment ends.
 *
 * Heap-allocated and self-freeing, because libuv needs the handle until its close callback, which
 * may come after the owner is gone. It keeps the loop alive until Close.
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

  /** Any thread, until Close. */
  void Send() { uv_async_send(&async_); }
  /** No call to the listener comes after this; the notifier frees itself. */
  void Close();

 private:
  Notifier(napi_env env, Listener* listener) : env_(env), listener_(listener) {}
  ~Notifier() = default;

  static void OnAsync(uv_async_t* async);
  static void OnClosed(uv_handle_t* handle);
  static void OnCleanup(napi_async_cleanup_hook_handle hook, void* self);

  napi_env env_;
  /** Null once closed. */
  Listener* listener_;
  uv_async_t async_ = {};
  napi_async_cleanup_hook_handle hook_ = nullptr;
};

}  // namespace perf_ts
