#pragma once

#include <napi.h>

#include <memory>

#include "../core/command/held_command.h"
#include "live_object.h"

namespace perf_ts {

/** `NativeHeldCommand` of src/native/types.ts: converts and forwards; live from its release to its
 * end. */
class HeldCommandObject : public LiveObject<HeldCommandObject> {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit HeldCommandObject(const Napi::CallbackInfo& info);
  ~HeldCommandObject() override;

 private:
  Napi::Value Release(const Napi::CallbackInfo& info);
  Napi::Value Kill(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  void OnNotified() override;
  void OnEnvironmentExit() override;

  std::unique_ptr<HeldCommand> command_;
};

}  // namespace perf_ts
