#include "sampler_object.h"

#include "js_options.h"
#include "js_results.h"

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
                         InstanceMethod<&SamplerObject::Stop>("stop"),
                         InstanceMethod<&SamplerObject::TakeChunk>("takeChunk"),
                         InstanceMethod<&SamplerObject::Totals>("totals"),
                         InstanceMethod<&SamplerObject::Kill>("kill"),
                         InstanceMethod<&SamplerObject::Close>("close"),
                     });
}

SamplerObject::SamplerObject(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<SamplerObject>(info) {
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
  // Joins the thread, which may be sending until then.
  sampler_.reset();
  if (notifier_ != nullptr) notifier_->Close();
}

bool SamplerObject::PrepareStart(const Napi::CallbackInfo& info) {
  if (sampler_->closed()) {
    ThrowMisuse(info.Env(), "ERR_CLOSED", "the session is closed");
    return false;
  }
  if (sampler_->started()) {
    ThrowMisuse(info.Env(), "ERR_STARTED", "the session was started before");
    return false;
  }
  if (!info[1].IsFunction()) {
    Napi::TypeError::New(info.Env(), "onEvent: expected a function").ThrowAsJavaScriptException();
    return false;
  }
  notifier_ = Notifier::Create(info.Env(), this);
  if (notifier_ == nullptr) {
    ThrowMisuse(info.Env(), "ERR_CLOSED", "the environment is ending");
    return false;
  }
  on_event_ = Napi::Persistent(info[1].As<Napi::Function>());
  Ref();
  return true;
}

void SamplerObject::FinishStart(bool started, const Error& error) {
  if (started) return;
  ThrowError(Env(), error);
  LetGo();
}

Napi::Value SamplerObject::StartFile(const Napi::CallbackInfo& info) {
  FileSinkOptions options;
  if (!ReadFileSink(info[0], &options) || !PrepareStart(info)) return info.Env().Undefined();
  Error error;
  Notifier* notifier = notifier_;
  FinishStart(sampler_->StartFile(
                  options, [notifier] { notifier->Send(); }, &error),
              error);
  return info.Env().Undefined();
}

Napi::Value SamplerObject::StartLive(const Napi::CallbackInfo& info) {
  LiveSinkOptions options;
  if (!ReadLiveSink(info[0], &options) || !PrepareStart(info)) return info.Env().Undefined();
  Error error;
  Notifier* notifier = notifier_;
  FinishStart(sampler_->StartLive(
                  options, [notifier] { notifier->Send(); }, &error),
              error);
  return info.Env().Undefined();
}

Napi::Value SamplerObject::SwitchFile(const Napi::CallbackInfo& info) {
  FileSinkOptions options;
  if (!ReadFileSink(info[0], &options)) return info.Env().Undefined();
  if (sampler_->closed()) {
    ThrowMisuse(info.Env(), "ERR_CLOSED", "the session is closed");
    return info.Env().Undefined();
  }
  Error error;
  if (!sampler_->SwitchFile(options, &error)) ThrowError(info.Env(), error);
  return info.Env().Undefined();
}

Napi::Value SamplerObject::KeepSideband(const Napi::CallbackInfo& info) {
  if (!info[0].IsBoolean()) {
    Napi::TypeError::New(info.Env(), "keep: expected a boolean").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  sampler_->KeepSideband(info[0].As<Napi::Boolean>().Value());
  return info.Env().Undefined();
}

Napi::Value SamplerObject::Snapshot(const Napi::CallbackInfo& info) {
  sampler_->Snapshot();
  return info.Env().Undefined();
}

Napi::Value SamplerObject::Enable(const Napi::CallbackInfo& info) {
  if (sampler_->closed()) {
    ThrowMisuse(info.Env(), "ERR_CLOSED", "the session is closed");
    return info.Env().Undefined();
  }
  Error error;
  if (!sampler_->Enable(&error)) ThrowError(info.Env(), error);
  return info.Env().Undefined();
}

Napi::Value SamplerObject::Disable(const Napi::CallbackInfo& info) {
  if (sampler_->closed()) {
    ThrowMisuse(info.Env(), "ERR_CLOSED", "the session is closed");
    return info.Env().Undefined();
  }
  sampler_->Disable();
  return info.Env().Undefined();
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

void SamplerObject::LetGo() {
  if (notifier_ == nullptr) return;
  notifier_->Close();
  notifier_ = nullptr;
  on_event_.Reset();
  Unref();
}

void SamplerObject::OnNotified() {
  const napi_env env = Env();
  // A handle on the stack holds the object when LetGo drops the reference that kept it.
  const Napi::HandleScope scope(env);
  [[maybe_unused]] const Napi::Object self = Value();
  const Mail mail = sampler_->CollectMail();
  if (mail.chunks) Notify(ChunksToJs(env));
  if (mail.exec_failure) Notify(ExecFailureToJs(env, *mail.exec_failure));
  if (mail.snapshot) Notify(SnapshotToJs(env, *mail.snapshot));
  if (mail.switched_file) Notify(SwitchedFileToJs(env, *mail.switched_file));
  if (mail.recording_end) Notify(RecordingEndToJs(env, *mail.recording_end));
  if (mail.child_exit) Notify(ChildExitToJs(env, *mail.child_exit));
  // Events and rings stay until `close`: to close them can take the kernel seconds.
  if (mail.done && notifier_ != nullptr) LetGo();
}

/** Calls back as from the event loop's top: what the callback throws is an uncaught exception. */
void SamplerObject::Notify(napi_value event) {
  if (notifier_ == nullptr || event == nullptr) return;  // closed by an earlier callback
  const napi_env env = Env();
  napi_value result;
  const napi_status status =
      napi_make_callback(env, nullptr, Value(), on_event_.Value(), 1, &event, &result);
  napi_value exception = nullptr;
  if (status == napi_pending_exception &&
      napi_get_and_clear_last_exception(env, &exception) == napi_ok && exception != nullptr) {
    napi_fatal_exception(env, exception);
  }
}

void SamplerObject::OnEnvironmentExit() {
  sampler_->Close();
  // The notifier closes itself, and the references go with the environment.
  notifier_ = nullptr;
  on_event_.Reset();
}

}  // namespace perf_ts
