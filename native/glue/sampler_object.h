#pragma once

#include <napi.h>

#include <memory>

#include "../core/session/sampler.h"
#include "notifier.h"

namespace perf_ts {

/**
 * `NativeSampler` of src/native/types.ts: converts and forwards.
 *
 * A session that was only opened belongs to its object and ends with it in the garbage collector.
 * A recording that runs is a live handle, like a server that listens: it keeps its object and the
 * process alive until its last event was told, `close` was called, or the environment ends.
 */
class SamplerObject : public Napi::ObjectWrap<SamplerObject>, private Notifier::Listener {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit SamplerObject(const Napi::CallbackInfo& info);
  ~SamplerObject() override;

 private:
  Napi::Value StartFile(const Napi::CallbackInfo& info);
  Napi::Value StartLive(const Napi::CallbackInfo& info);
  Napi::Value SwitchFile(const Napi::CallbackInfo& info);
  Napi::Value KeepSideband(const Napi::CallbackInfo& info);
  Napi::Value Snapshot(const Napi::CallbackInfo& info);
  Napi::Value Enable(const Napi::CallbackInfo& info);
  Napi::Value Disable(const Napi::CallbackInfo& info);
  Napi::Value Stop(const Napi::CallbackInfo& info);
  Napi::Value TakeChunk(const Napi::CallbackInfo& info);
  Napi::Value Totals(const Napi::CallbackInfo& info);
  Napi::Value Kill(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  /** False with an error pending when the session can't be started (any more). */
  bool PrepareStart(const Napi::CallbackInfo& info);
  void FinishStart(bool started, const Error& error);
  /** The recording is over or never began: nothing of it keeps the object alive. */
  void LetGo();
  void Notify(napi_value event);

  void OnNotified() override;
  void OnEnvironmentExit() override;

  std::unique_ptr<Sampler> sampler_;
  /** While a recording runs. */
  Notifier* notifier_ = nullptr;
  Napi::FunctionReference on_event_;
};

}  // namespace perf_ts
