#include "kept_stacks.h"

#include "../core/code_events/sample_contexts.h"
#include "unlisted_function.h"

namespace perf_ts {
namespace {

/** Frames of a stack with those that await it: V8 makes an error with at most so many. */
constexpr int32_t kMostFrames = 64;
constexpr size_t kMostTextBytes = 16 << 10;

}  // namespace

bool KeptStacks::Begin(napi_env env, napi_value error, napi_value describe, AsyncStacks* stacks) {
  env_ = env;
  if (napi_create_reference(env, error, 1, &error_constructor_) != napi_ok) return false;
  describe_ = CreateUnlistedFunction(env, describe, this, Describe);
  if (describe_ == nullptr) {
    napi_delete_reference(env, error_constructor_);
    return false;
  }
  stacks_ = stacks;
  stacks->Begin(SampleContexts::OnInterrupt, Keep, this);
  return true;
}

void KeptStacks::End(napi_env env) {
  Detach();
  if (describe_ != nullptr) {
    napi_release_threadsafe_function(describe_, napi_tsfn_abort);
    describe_ = nullptr;
    napi_delete_reference(env, error_constructor_);
  }
  while (count_ > 0) Take(env);
}

/** Called by V8 within code: makes an error, which runs no JavaScript. */
bool KeptStacks::Keep(void* context, uint32_t number) {
  auto* self = static_cast<KeptStacks*>(context);
  napi_env env = self->env_;
  napi_handle_scope scope;
  if (self->count_ == kMost || napi_open_handle_scope(env, &scope) != napi_ok) return false;
  const uint32_t place = (self->first_ + self->count_) % kMost;
  const char* limit = "stackTraceLimit";
  napi_value constructor, before, most, message, error;
  bool is_kept = napi_get_reference_value(env, self->error_constructor_, &constructor) == napi_ok &&
                 napi_get_named_property(env, constructor, limit, &before) == napi_ok &&
                 napi_create_int32(env, kMostFrames, &most) == napi_ok &&
                 napi_create_string_utf8(env, "", 0, &message) == napi_ok &&
                 napi_set_named_property(env, constructor, limit, most) == napi_ok;
  if (is_kept) {
    is_kept = napi_create_error(env, nullptr, message, &error) == napi_ok &&
              napi_create_reference(env, error, 1, &self->errors_[place]) == napi_ok;
    napi_set_named_property(env, constructor, limit, before);
  }
  napi_close_handle_scope(env, scope);
  if (!is_kept) return false;
  self->numbers_[place] = number;
  if (self->count_++ == 0) {
    napi_call_threadsafe_function(self->describe_, nullptr, napi_tsfn_nonblocking);
  }
  return true;
}

/** Called when the event loop turns after `Keep`. `env` is null while the environment ends. */
void KeptStacks::Describe(napi_env env, napi_value describe, void* context, void*) {
  auto* self = static_cast<KeptStacks*>(context);
  napi_value receiver;
  if (env == nullptr || napi_get_undefined(env, &receiver) != napi_ok) return;
  char text[kMostTextBytes];
  while (self->count_ > 0) {
    const uint32_t number = self->numbers_[self->first_ % kMost];
    napi_value error = self->Take(env), described;
    if (error == nullptr || self->stacks_ == nullptr) continue;
    size_t size = 0;
    if (napi_call_function(env, receiver, describe, 1, &error, &described) != napi_ok ||
        napi_get_value_string_utf8(env, described, text, sizeof text, &size) != napi_ok) {
      ForgetException(env);
      self->stacks_->End();
    }
    self->stacks_->Write(number, text, size);
  }
}

napi_value KeptStacks::Take(napi_env env) {
  napi_ref& reference = errors_[first_++ % kMost];
  count_--;
  napi_value error = nullptr;
  napi_get_reference_value(env, reference, &error);
  napi_delete_reference(env, reference);
  reference = nullptr;
  return error;
}

}  // namespace perf_ts
