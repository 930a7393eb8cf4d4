#include "unlisted_function.h"

#include <dlfcn.h>
#include <stddef.h>

#include "../core/code_events/uv_abi.h"

namespace perf_ts {
namespace {

using namespace uv_abi;

constexpr size_t kMostWaiting = 16;

/** The handle that was added last; libuv walks them in their order. */
Handle* NewestHandle(napi_env env) {
  const auto walk = reinterpret_cast<Walk>(dlsym(RTLD_DEFAULT, "uv_walk"));
  uv_loop_s* loop = nullptr;
  if (walk == nullptr || napi_get_uv_event_loop(env, &loop) != napi_ok) return nullptr;
  Handle* newest = nullptr;
  walk(
      loop, [](Handle* handle, void* out) { *static_cast<Handle**>(out) = handle; }, &newest);
  return newest;
}

}  // namespace

napi_threadsafe_function CreateUnlistedFunction(napi_env env, napi_value function, void* context,
                                                napi_threadsafe_function_call_js call) {
  napi_value name;
  napi_threadsafe_function created = nullptr;
  if (napi_create_string_utf8(env, "perf-ts", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_threadsafe_function(env, function, nullptr, name, kMostWaiting, 1, nullptr,
                                      nullptr, context, call, &created) != napi_ok) {
    return nullptr;
  }
  Handle* handle = NewestHandle(env);
  const bool is_new = handle != nullptr && handle->flags == (kActive | kReferenced);
  napi_unref_threadsafe_function(env, created);
  // The flag that has changed confirms that the handle is the function's, and of this layout.
  if (is_new && handle->flags == kActive) handle->flags |= kInternal;
  return created;
}

void ForgetException(napi_env env) {
  bool is_pending = false;
  napi_value error;
  if (napi_is_exception_pending(env, &is_pending) == napi_ok && is_pending) {
    napi_get_and_clear_last_exception(env, &error);
  }
}

}  // namespace perf_ts
