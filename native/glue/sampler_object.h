#pragma once

#include <napi.h>

#include <functional>
#include <memory>

#include "../core/session/sampler.h"
#include "live_object.h"

namespace perf_ts {

/**
 * `NativeSampler` of src/native/types.ts: converts and forwards.
 *
 * A session that was only opened belongs to its object and ends with it in the garbage collector.
 * A recording that runs is live until its last event was reported, `close` was called, or the
 * environment ends.
 */
class SamplerObject : public LiveObject<SamplerObject> {
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
  Napi::Value SignalSamples(const Napi::CallbackInfo& info);
  Napi::Value Stop(const Napi::CallbackInfo& info);
  Napi::Value TakeChunk(const Napi::CallbackInfo& info);
  Napi::Value Totals(const Napi::CallbackInfo& info);
  Napi::Value Kill(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  /** Starts with (sink, onEvent); an error is pending where the session can't be started. */
  template <class Sink>
  Napi::Value Start(const Napi::CallbackInfo& info, bool (*read)(const Napi::Value&, Sink*),
                    bool (Sampler::*start)(const Sink&, std::function<void()>, Error*));
  /** False with an error pending after `close`. */
  bool CheckOpen(Napi::Env env);

  void OnNotified() override;
  void OnEnvironmentExit() override;

  std::unique_ptr<Sampler> sampler_;
};

}  // namespace perf_ts
