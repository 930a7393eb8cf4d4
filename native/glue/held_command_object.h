#pragma once

#include <napi.h>

#include <memory>

#include "../core/command/held_command.h"
#include "notifier.h"

namespace perf_ts {

/**
 * `NativeHeldCommand` of src/native/types.ts: converts and forwards. From its release to its end it
 * is a live handle that keeps its object and the process alive.
 */
class HeldCommandObject : public Napi::ObjectWrap<HeldCommandObject>, private Notifier::Listener {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit HeldCommandObject(const Napi::CallbackInfo& info);
  ~HeldCommandObject() override;

 private:
  Napi::Value Release(const Napi::CallbackInfo& info);
  Napi::Value Kill(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);
  void LetGo();

  void OnNotified() override;
  void OnEnvironmentExit() override;

  std::unique_ptr<HeldCommand> command_;
  /** Set from the release to the end. */
  Notifier* notifier_ = nullptr;
  Napi::FunctionReference on_end_;
};

}  // namespace perf_ts
