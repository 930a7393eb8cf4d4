#include "notifier.h"

namespace perf_ts {

Notifier* Notifier::Create(napi_env env, Listener* listener) {
  uv_loop_t* loop = nullptr;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok) return nullptr;
  Notifier* notifier = new Notifier(env, listener);
  notifier->async_.data = notifier;
  if (uv_async_init(loop, &notifier->async_, OnAsync) != 0) {
    delete notifier;
    return nullptr;
  }
  if (napi_add_async_cleanup_hook(env, OnCleanup, notifier, &notifier->hook_) != napi_ok) {
    notifier->Close();
    return nullptr;
  }
  return notifier;
}

void Notifier::Close() {
  if (listener_ == nullptr) return;
  listener_ = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&async_), OnClosed);
}

void Notifier::OnAsync(uv_async_t* async) {
  Notifier* self = static_cast<Notifier*>(async->data);
  if (self->listener_ == nullptr) return;
  napi_handle_scope scope;
  if (napi_open_handle_scope(self->env_, &scope) != napi_ok) return;
  const napi_env env = self->env_;
  self->listener_->OnNotified();
  napi_close_handle_scope(env, scope);
}

void Notifier::OnClosed(uv_handle_t* handle) {
  Notifier* self = static_cast<Notifier*>(handle->data);
  // The environment waits with its end until the hook is removed: until libuv has let go.
  if (self->hook_ != nullptr) napi_remove_async_cleanup_hook(self->hook_);
  delete self;
}

void Notifier::OnCleanup(napi_async_cleanup_hook_handle, void* data) {
  Notifier* self = static_cast<Notifier*>(data);
  if (self->listener_ == nullptr) return;  // OnClosed is on its way.
  self->listener_->OnEnvironmentExit();
  self->Close();
}

}  // namespace perf_ts
