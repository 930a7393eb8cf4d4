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

/** Pages to read, and memory for their values, which is JavaScript's too. */
struct UserReader {
  std::shared_ptr<UserPages> pages;
  std::shared_ptr<uint64_t[]> values;
};

/** Hot: a plain function without arguments, since crossing over costs more than the counters do. */
napi_value ReadUser(napi_env env, napi_callback_info info) {
  void* data = nullptr;
  napi_get_cb_info(env, info, nullptr, nullptr, nullptr, &data);
  const UserReader* reader = static_cast<UserReader*>(data);
  napi_value result = nullptr;
  napi_get_boolean(env, ReadUserCounters(*reader->pages, reader->values.get()), &result);
  return result;
}

/**
 * `NativeUserReader`; null where Node was built without external memory. The array's memory and the
 * function hold what they need themselves, whatever is collected or closed first.
 */
napi_value UserReaderToJs(napi_env env, const std::shared_ptr<UserPages>& pages) {
  const size_t length = pages->size();
  const std::shared_ptr<uint64_t[]> values(new uint64_t[length]());
  auto* owner = new std::shared_ptr<uint64_t[]>(values);
  napi_value buffer = nullptr, array = nullptr, function = nullptr;
  const napi_status status = napi_create_external_arraybuffer(
      env, values.get(), length * sizeof(uint64_t),
      [](napi_env, void*, void* hint) { delete static_cast<std::shared_ptr<uint64_t[]>*>(hint); },
      owner, &buffer);
  if (status != napi_ok) {
    delete owner;
    return nullptr;
  }
  auto* reader = new UserReader{pages, values};
  if (napi_create_typedarray(env, napi_biguint64_array, length, buffer, 0, &array) != napi_ok ||
      napi_create_function(env, "read", NAPI_AUTO_LENGTH, ReadUser, reader, &function) != napi_ok ||
      napi_add_finalizer(
          env, function, reader,
          [](napi_env, void* data, void*) { delete static_cast<UserReader*>(data); }, nullptr,
          nullptr) != napi_ok) {
    delete reader;
    return nullptr;
  }
  return ObjectBuilder(env).Value("values", array).Value("read", function).object();
}

}  // namespace

Napi::Function CounterObject::Define(Napi::Env env) {
  return DefineClass(env, "CounterGroup",
                     {
                         InstanceMethod<&CounterObject::Enable>("enable"),
                         InstanceMethod<&CounterObject::Disable>("disable"),
                         InstanceMethod<&CounterObject::Read>("read"),
                         InstanceMethod<&CounterObject::MapUserPages>("mapUserPages"),
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
  const Napi::Env env = info.Env();
  if (!CheckOpen(env)) return env.Undefined();
  const std::shared_ptr<UserPages> pages = group_->MapUserPages();
  if (!pages) return env.Null();
  const napi_value reader = UserReaderToJs(env, pages);
  return reader == nullptr ? env.Null() : Napi::Value(env, reader);
}

Napi::Value CounterObject::Close(const Napi::CallbackInfo& info) {
  if (group_) group_->Close();
  return info.Env().Undefined();
}

}  // namespace perf_ts
