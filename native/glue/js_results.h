#pragma once

#include <napi.h>

#include "../core/posix/error.h"
#include "../core/session/mailbox.h"
#include "../core/session/sampler.h"

namespace perf_ts {

/**
 * Builds a plain object. It goes on after a failed call, because that happens exactly when the
 * environment is being terminated and nobody will look at the object.
 */
class ObjectBuilder {
 public:
  explicit ObjectBuilder(napi_env env) : env_(env) { napi_create_object(env, &object_); }

  ObjectBuilder& Number(const char* key, double value);
  ObjectBuilder& BigInt(const char* key, uint64_t value);
  ObjectBuilder& Text(const char* key, const char* value);
  ObjectBuilder& Value(const char* key, napi_value value);
  napi_value object() const { return object_; }

 private:
  napi_env env_;
  napi_value object_ = nullptr;
};

/** A copy in a typed array of its own. Null when the environment is being terminated. */
napi_value TypedArrayToJs(napi_env env, napi_typedarray_type type, const void* data, size_t length,
                          size_t element_bytes);

/** Sets a function of the addon under its name. */
template <Napi::Function::Callback kCallback>
void Export(Napi::Object exports, const char* name) {
  exports.Set(name, Napi::Function::New<kCallback>(exports.Env(), name));
}

// The shapes of src/native/types.ts.

napi_value OpenedToJs(napi_env env, const Sampler& sampler);
napi_value TotalsToJs(napi_env env, const Totals& totals);
napi_value SnapshotToJs(napi_env env, const WrittenSnapshot& snapshot);
napi_value SwitchedFileToJs(napi_env env, const SwitchedFile& file);
napi_value RecordingEndToJs(napi_env env, const RecordingEnd& end);
napi_value ChildExitToJs(napi_env env, const ChildExit& exit);
napi_value ExecFailureToJs(napi_env env, const ExecFailure& failure);
napi_value MappingsToJs(napi_env env, const Mail& mail);
napi_value ChunksToJs(napi_env env);

/** Throws a NativeError. */
void ThrowError(napi_env env, const Error& error);
/** Throws a NativeError for a call that the session's state does not allow, `ERR_CLOSED`. */
void ThrowMisuse(napi_env env, const char* code, const char* message);

}  // namespace perf_ts
