#include "notifier.h"

namespace perf_ts {

Notifier* Notifier::Create(napi_env env, Listener* listener) {
  napi_value name;
  if (napi_create_string_utf8(env, "perf-ts", NAPI_AUTO_LENGTH, &name) != napi_ok) return nullptr;
  Notifier* notifier = new Notifier(env, listener);
  constexpr size_t kAnyQueueLength = 0;
  constexpr size_t kThreads = 1;
  if (napi_create_threadsafe_function(env, nullptr, nullptr, name, kAnyQueueLength, kThreads,
                                      notifier, OnFinalize, notifier, OnCall,
                                      &notifier->function_) != napi_ok) {
    delete notifier;
    return nullptr;
  }
  // Hooks run in reverse order: this one before the thread-safe function's own.
  if (napi_add_env_cleanup_hook(env, OnCleanup, notifier) != napi_ok) {
    notifier->listener_ = nullptr;
    notifier->Release();
    return nullptr;
  }
  return notifier;
}

void Notifier::Send() {
  if (is_sent_.exchange(true, std::memory_order_acq_rel)) return;
  napi_call_threadsafe_function(function_, nullptr, napi_tsfn_nonblocking);
}

void Notifier::Close() {
  if (listener_ == nullptr) return;
  listener_ = nullptr;
  napi_remove_env_cleanup_hook(env_, OnCleanup, this);
  Release();
}

void Notifier::Release() {
  napi_release_threadsafe_function(function_, napi_tsfn_abort);
}

void Notifier::OnCall(napi_env env, napi_value, void* context, void*) {
  Notifier* self = static_cast<Notifier*>(context);
  // Before the listener looks: what comes from now on is told by another call.
  self->is_sent_.store(false, std::memory_order_release);
  // Without `env` the function is being torn down.
  if (env == nullptr || self->listener_ == nullptr) return;
  napi_handle_scope scope;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return;
  self->listener_->OnNotified();
  napi_close_handle_scope(env, scope);
}

void Notifier::OnFinalize(napi_env, void* data, void*) {
  delete static_cast<Notifier*>(data);
}

void Notifier::OnCleanup(void* data) {
  Notifier* self = static_cast<Notifier*>(data);
  Listener* listener = self->listener_;
  if (listener == nullptr) return;
  listener->OnEnvironmentExit();
  self->listener_ = nullptr;
  self->Release();
}

}  // namespace perf_ts
