#include "counter_object.h"

#include <cerrno>

#include "js_options.h"
#include "js_results.h"

namespace perf_ts {

namespace {

/** The memory of a typed array, without a copy. False with a TypeError pending. */
bool Memory(Napi::Env env, napi_value value, void** data, size_t* bytes) {
  bool is_typed_array = false;
  napi_typedarray_type type;
  size_t length = 0;
  if (napi_is_typedarray(env, value, &is_typed_array) != napi_ok || !is_typed_array ||
      napi_get_typedarray_info(env, value, &type, &length, data, nullptr, nullptr) != napi_ok ||
      type != napi_biguint64_array) {
    Napi::TypeError::New(env, "into: expected a BigUint64Array").ThrowAsJavaScriptException();
    return false;
  }
  *bytes = length * sizeof(uint64_t);
  return true;
}

}  // namespace

Napi::Function CounterObject::Define(Napi::Env env) {
  return DefineClass(env, "CounterGroup",
                     {
                         InstanceMethod<&CounterObject::Enable>("enable"),
                         InstanceMethod<&CounterObject::Disable>("disable"),
                         InstanceMethod<&CounterObject::Reset>("reset"),
                         InstanceMethod<&CounterObject::Read>("read"),
                         InstanceMethod<&CounterObject::MapUserPages>("mapUserPages"),
                         InstanceMethod<&CounterObject::ReadUser>("readUser"),
                         InstanceMethod<&CounterObject::Close>("close"),
                     });
}

CounterObject::CounterObject(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<CounterObject>(info) {
  CounterGroupOptions options;
  if (!ReadCounterGroupOptions(info[0], &options)) return;
  Error error;
  group_ = CounterGroup::Open(std::move(options), &error);
  if (!group_) {
    ThrowError(info.Env(), error);
    return;
  }
  const std::vector<uint64_t>& ids = group_->ids();
  const napi_value array =
      TypedArrayToJs(info.Env(), napi_biguint64_array, ids.data(), ids.size(), sizeof ids[0]);
  napi_set_named_property(info.Env(), info.This(), "ids", array);
}

bool CounterObject::CheckOpen(Napi::Env env) {
  if (group_ && !group_->closed()) return true;
  ThrowMisuse(env, "ERR_CLOSED", "the counter group is closed");
  return false;
}

Napi::Value CounterObject::Done(Napi::Env env, bool succeeded, const char* operation) {
  if (!succeeded) ThrowError(env, {errno, operation});
  return env.Undefined();
}

Napi::Value CounterObject::Enable(const Napi::CallbackInfo& info) {
  if (!CheckOpen(info.Env())) return info.Env().Undefined();
  return Done(info.Env(), group_->Enable(), "ioctl(PERF_EVENT_IOC_ENABLE)");
}

Napi::Value CounterObject::Disable(const Napi::CallbackInfo& info) {
  if (!CheckOpen(info.Env())) return info.Env().Undefined();
  return Done(info.Env(), group_->Disable(), "ioctl(PERF_EVENT_IOC_DISABLE)");
}

Napi::Value CounterObject::Reset(const Napi::CallbackInfo& info) {
  if (!CheckOpen(info.Env())) return info.Env().Undefined();
  return Done(info.Env(), group_->Reset(), "ioctl(PERF_EVENT_IOC_RESET)");
}

Napi::Value CounterObject::Read(const Napi::CallbackInfo& info) {
  void* data;
  size_t size;
  if (!CheckOpen(info.Env()) || !Memory(info.Env(), info[0], &data, &size)) {
    return info.Env().Undefined();
  }
  const ssize_t bytes = group_->Read(data, size);
  if (bytes < 0) return Done(info.Env(), false, "read");
  return Napi::Number::New(info.Env(), static_cast<double>(bytes));
}

Napi::Value CounterObject::MapUserPages(const Napi::CallbackInfo& info) {
  if (!CheckOpen(info.Env())) return info.Env().Undefined();
  return Napi::Boolean::New(info.Env(), group_->MapUserPages());
}

Napi::Value CounterObject::ReadUser(const Napi::CallbackInfo& info) {
  void* data;
  size_t size;
  if (!CheckOpen(info.Env()) || !Memory(info.Env(), info[0], &data, &size)) {
    return info.Env().Undefined();
  }
  if (size < group_->size() * sizeof(uint64_t)) {
    Napi::RangeError::New(info.Env(), "into: expected an element for each event")
        .ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  return Napi::Boolean::New(info.Env(), group_->ReadUser(static_cast<uint64_t*>(data)));
}

Napi::Value CounterObject::Close(const Napi::CallbackInfo& info) {
  if (group_) group_->Close();
  return info.Env().Undefined();
}

}  // namespace perf_ts
