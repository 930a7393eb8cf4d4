#include "sampler_object.h"

namespace perf_ts {

Napi::Function SamplerObject::Define(Napi::Env env) {
  return DefineClass(env, "Sampler",
                     {
                         InstanceMethod<&SamplerObject::StartFile>("startFile"),
                         InstanceMethod<&SamplerObject::StartLive>("startLive"),
                         InstanceMethod<&SamplerObject::SwitchFile>("switchFile"),
                         InstanceMethod<&SamplerObject::KeepSideband>("keepSideband"),
                         InstanceMethod<&SamplerObject::Snapshot>("snapshot"),
                         InstanceMethod<&SamplerObject::Enable>("enable"),
                         InstanceMethod<&SamplerObject::Disable>("disable"),
                         InstanceMethod<&SamplerObject::SignalSamples>("signalSamples"),
                         InstanceMethod<&SamplerObject::Stop>("stop"),
                         InstanceMethod<&SamplerObject::TakeChunk>("takeChunk"),
                         InstanceMethod<&SamplerObject::Totals>("totals"),
                         InstanceMethod<&SamplerObject::Kill>("kill"),
                         InstanceMethod<&SamplerObject::Close>("close"),
                     });
}

SamplerObject::SamplerObject(const Napi::CallbackInfo& info) : LiveObject<SamplerObject>(info) {
  SamplerOptions options;
  if (!ReadSamplerOptions(info[0], &options)) return;
  Error error;
  sampler_ = Sampler::Open(options, &error);
  if (!sampler_) {
    ThrowError(info.Env(), error);
    return;
  }
  const napi_value opened = OpenedToJs(info.Env(), *sampler_);
  napi_set_named_property(info.Env(), info.This(), "opened", opened);
}

SamplerObject::~SamplerObject() {
  sampler_.reset();
}

bool SamplerObject::CheckOpen(Napi::Env env) {
  if (!sampler_->closed()) return true;
  ThrowMisuse(env, "ERR_CLOSED", "the session is closed");
  return false;
}

template <class Sink>
Napi::Value SamplerObject::Start(const Napi::CallbackInfo& info,
                                 bool (*read)(const Napi::Value&, Sink*),
                                 bool (Sampler::*start)(const Sink&, std::function<void()>,
                                                        Error*)) {
  const Napi::Env env = info.Env();
  Sink sink;
  if (!read(info[0], &sink) || !CheckOpen(env)) return env.Undefined();
  if (sampler_->started()) {
    ThrowMisuse(env, "ERR_STARTED", "the session was started before");
    return env.Undefined();
  }
  Notifier* const notifier = Begin(info[1], "onEvent");
  if (notifier == nullptr) return env.Undefined();
  Error error;
  if (!((*sampler_).*start)(
          sink, [notifier] { notifier->Send(); }, &error)) {
    ThrowError(env, error);
    LetGo();
  }
  return env.Undefined();
}

Napi::Value SamplerObject::StartFile(const Napi::CallbackInfo& info) {
  return Start(info, ReadFileSink, &Sampler::StartFile);
}

Napi::Value SamplerObject::StartLive(const Napi::CallbackInfo& info) {
  return Start(info, ReadLiveSink, &Sampler::StartLive);
}

Napi::Value SamplerObject::SwitchFile(const Napi::CallbackInfo& info) {
  FileSinkOptions options;
  if (!ReadFileSink(info[0], &options)) return info.Env().Undefined();
  if (!CheckOpen(info.Env())) return info.Env().Undefined();
  Error error;
  if (!sampler_->SwitchFile(options, &error)) ThrowError(info.Env(), error);
  return info.Env().Undefined();
}

Napi::Value SamplerObject::KeepSideband(const Napi::CallbackInfo& info) {
  bool keeps = false;
  if (ReadBoolean(info[0], "keep", &keeps)) sampler_->KeepSideband(keeps);
  return info.Env().Undefined();
}

Napi::Value SamplerObject::Snapshot(const Napi::CallbackInfo& info) {
  sampler_->Snapshot();
  return info.Env().Undefined();
}

Napi::Value SamplerObject::Enable(const Napi::CallbackInfo& info) {
  if (!CheckOpen(info.Env())) return info.Env().Undefined();
  Error error;
  if (!sampler_->Enable(&error)) ThrowError(info.Env(), error);
  return info.Env().Undefined();
}

Napi::Value SamplerObject::Disable(const Napi::CallbackInfo& info) {
  if (!CheckOpen(info.Env())) return info.Env().Undefined();
  sampler_->Disable();
  return info.Env().Undefined();
}

Napi::Value SamplerObject::SignalSamples(const Napi::CallbackInfo& info) {
  double tid;
  bool on = false;
  if (!ReadInteger(info[0], "tid", 1, INT32_MAX, &tid) || !ReadBoolean(info[1], "on", &on)) {
    return info.Env().Undefined();
  }
  return Napi::Boolean::New(info.Env(), sampler_->SignalSamples(static_cast<int>(tid), on));
}

Napi::Value SamplerObject::Stop(const Napi::CallbackInfo& info) {
  sampler_->Stop();
  return info.Env().Undefined();
}

Napi::Value SamplerObject::TakeChunk(const Napi::CallbackInfo& info) {
  std::unique_ptr<Chunk> chunk = sampler_->TakeChunk();
  if (!chunk) return info.Env().Null();
  const napi_value bytes =
      TypedArrayToJs(info.Env(), napi_uint8_array, chunk->data(), chunk->size(), 1);
  sampler_->RecycleChunk(std::move(chunk));
  return Napi::Value(info.Env(), bytes);
}

Napi::Value SamplerObject::Totals(const Napi::CallbackInfo& info) {
  return Napi::Value(info.Env(), TotalsToJs(info.Env(), sampler_->totals()));
}

Napi::Value SamplerObject::Kill(const Napi::CallbackInfo& info) {
  double signal;
  if (!ReadInteger(info[0], "signal", 0, 64, &signal)) return info.Env().Undefined();
  return Napi::Boolean::New(info.Env(), sampler_->Kill(static_cast<int>(signal)));
}

Napi::Value SamplerObject::Close(const Napi::CallbackInfo& info) {
  sampler_->Close();
  LetGo();
  return info.Env().Undefined();
}

void SamplerObject::OnNotified() {
  const napi_env env = Env();
  // A handle on the stack holds the object when LetGo drops the reference that kept it.
  const Napi::HandleScope scope(env);
  [[maybe_unused]] const Napi::Object self = Value();
  const Mail mail = sampler_->CollectMail();
  if (mail.chunks) Report(ChunksToJs(env));
  if (!mail.code_mappings.empty()) Report(MappingsToJs(env, mail));
  if (mail.exec_failure) Report(ExecFailureToJs(env, *mail.exec_failure));
  if (mail.snapshot) Report(SnapshotToJs(env, *mail.snapshot));
  if (mail.switched_file) Report(SwitchedFileToJs(env, *mail.switched_file));
  if (mail.recording_end) Report(RecordingEndToJs(env, *mail.recording_end));
  if (mail.child_exit) Report(ChildExitToJs(env, *mail.child_exit));
  // Events and rings stay until `close`: to close them can take the kernel seconds.
  if (mail.done) LetGo();
}

void SamplerObject::OnEnvironmentExit() {
  sampler_->Close();
  EndWithEnvironment();
}

}  // namespace perf_ts
