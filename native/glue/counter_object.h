#pragma once

#include <napi.h>

#include <memory>

#include "../core/counter/counter_group.h"

namespace perf_ts {

/** `NativeCounterGroup` of src/native/types.ts: converts and forwards. */
class CounterObject : public Napi::ObjectWrap<CounterObject> {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit CounterObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Enable(const Napi::CallbackInfo& info);
  Napi::Value Disable(const Napi::CallbackInfo& info);
  Napi::Value Read(const Napi::CallbackInfo& info);
  Napi::Value MapUserPages(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  /** False with ERR_CLOSED pending. */
  bool CheckOpen(Napi::Env env);
  Napi::Value Done(Napi::Env env, bool succeeded, const char* operation);

  /** Null when it did not open. */
  std::unique_ptr<CounterGroup> group_;
};

}  // namespace perf_ts
