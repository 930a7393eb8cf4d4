#include "held_command_object.h"

#include "../core/posix/errno_name.h"
#include "js_options.h"
#include "js_results.h"

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
    : Napi::ObjectWrap<HeldCommandObject>(info) {
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
  // Joins the thread, which may be sending until then.
  command_.reset();
  if (notifier_ != nullptr) notifier_->Close();
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
  if (!info[0].IsFunction()) {
    Napi::TypeError::New(env, "onEnd: expected a function").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  Notifier* notifier = Notifier::Create(env, this);
  if (notifier == nullptr) {
    ThrowMisuse(env, "ERR_CLOSED", "the environment is ending");
    return env.Undefined();
  }
  notifier_ = notifier;
  on_end_ = Napi::Persistent(info[0].As<Napi::Function>());
  Ref();
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

void HeldCommandObject::LetGo() {
  if (notifier_ == nullptr) return;
  notifier_->Close();
  notifier_ = nullptr;
  on_end_.Reset();
  Unref();
}

void HeldCommandObject::OnNotified() {
  const std::optional<CommandEnd> end = command_->end();
  if (!end || notifier_ == nullptr) return;
  const napi_env env = Env();
  const Napi::HandleScope scope(env);
  // A handle on the stack holds the object when LetGo drops the reference that kept it.
  const Napi::Object self = Value();
  const Napi::Function on_end = on_end_.Value();
  const bool has_run = end->failed_step == nullptr;
  const std::string failed_code = has_run ? "" : ErrnoName(end->failed_errno);
  const napi_value told = ObjectBuilder(env)
                              .Text("failedStep", has_run ? "" : end->failed_step)
                              .Text("failedCode", failed_code.c_str())
                              .Number("status", end->status)
                              .Number("signal", end->signal)
                              .BigInt("endNs", end->end_ns)
                              .Number("userUs", static_cast<double>(end->user_us))
                              .Number("systemUs", static_cast<double>(end->system_us))
                              .object();
  LetGo();
  napi_value result;
  const napi_status status = napi_make_callback(env, nullptr, self, on_end, 1, &told, &result);
  napi_value exception = nullptr;
  if (status == napi_pending_exception &&
      napi_get_and_clear_last_exception(env, &exception) == napi_ok && exception != nullptr) {
    napi_fatal_exception(env, exception);
  }
}

void HeldCommandObject::OnEnvironmentExit() {
  command_->Close();
  // The notifier closes itself, and the reference goes with the environment.
  notifier_ = nullptr;
  on_end_.Reset();
}

}  // namespace perf_ts
