#include "held_command_object.h"

#include "../core/posix/errno_name.h"

namespace perf_ts {

Napi::Function HeldCommandObject::Define(Napi::Env env) {
  return DefineClass(env, "HeldCommand",
                     {
                         InstanceMethod<&HeldCommandObject::Release>("release"),
                         InstanceMethod<&HeldCommandObject::Kill>("kill"),
                         InstanceMethod<&HeldCommandObject::Close>("close"),
                     });
}

HeldCommandObject::HeldCommandObject(const Napi::CallbackInfo& info)
    : LiveObject<HeldCommandObject>(info) {
  CommandSpec spec;
  if (!ReadCommand(info[0], &spec)) return;
  Error error;
  command_ = HeldCommand::Spawn(spec, &error);
  if (!command_) {
    ThrowError(info.Env(), error);
    return;
  }
  info.This().As<Napi::Object>().Set("pid", Napi::Number::New(info.Env(), command_->pid()));
}

HeldCommandObject::~HeldCommandObject() {
  command_.reset();
}

Napi::Value HeldCommandObject::Release(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (command_->pid() < 0) {
    ThrowMisuse(env, "ERR_CLOSED", "the command is closed");
    return env.Undefined();
  }
  if (command_->released()) {
    ThrowMisuse(env, "ERR_STARTED", "the command was released before");
    return env.Undefined();
  }
  Notifier* const notifier = Begin(info[0], "onEnd");
  if (notifier == nullptr) return env.Undefined();
  Error error;
  uint64_t start_ns = 0;
  if (!command_->Release([notifier] { notifier->Send(); }, &start_ns, &error)) {
    LetGo();
    ThrowError(env, error);
    return env.Undefined();
  }
  return Napi::BigInt::New(env, start_ns);
}

Napi::Value HeldCommandObject::Kill(const Napi::CallbackInfo& info) {
  double signal;
  if (!ReadInteger(info[0], "signal", 0, 64, &signal)) return info.Env().Undefined();
  return Napi::Boolean::New(info.Env(), command_->Kill(static_cast<int>(signal)));
}

Napi::Value HeldCommandObject::Close(const Napi::CallbackInfo& info) {
  command_->Close();
  LetGo();
  return info.Env().Undefined();
}

void HeldCommandObject::OnNotified() {
  const std::optional<CommandEnd> end = command_->end();
  if (!end || !is_live()) return;
  const napi_env env = Env();
  const Napi::HandleScope scope(env);
  // A handle on the stack holds the object when LetGo drops the reference that kept it.
  [[maybe_unused]] const Napi::Object self = Value();
  const bool has_run = end->failed_step == nullptr;
  const std::string failed_code = has_run ? "" : ErrnoName(end->failed_errno);
  const napi_value ended = ObjectBuilder(env)
                               .Text("failedStep", has_run ? "" : end->failed_step)
                               .Text("failedCode", failed_code.c_str())
                               .Number("status", end->status)
                               .Number("signal", end->signal)
                               .BigInt("endNs", end->end_ns)
                               .Number("userUs", static_cast<double>(end->user_us))
                               .Number("systemUs", static_cast<double>(end->system_us))
                               .object();
  Report(ended);
  LetGo();
}

void HeldCommandObject::OnEnvironmentExit() {
  command_->Close();
  EndWithEnvironment();
}

}  // namespace perf_ts
