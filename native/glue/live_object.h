#pragma once

#include <napi.h>

#include "js_options.h"
#include "js_results.h"
#include "notifier.h"

namespace perf_ts {

/**
 * An object for which a thread of the core works, and whose callback gets what that thread reports.
 * From `Begin` to `LetGo` it is a live handle, like a server that listens: it keeps its object and
 * the process alive.
 *
 * The destructor of the derived class ends the thread, which may be sending until then.
 */
template <class Self>
class LiveObject : public Napi::ObjectWrap<Self>, protected Notifier::Listener {
 protected:
  explicit LiveObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Self>(info) {}
  ~LiveObject() override {
    if (notifier_ != nullptr) notifier_->Close();
  }

  bool is_live() const { return notifier_ != nullptr; }

  /** The notifier for the core's thread; null with an error pending. `name`: of the argument. */
  Notifier* Begin(const Napi::Value& callback, const char* name) {
    Napi::Function function;
    if (!ReadFunction(callback, name, &function)) return nullptr;
    Notifier* const notifier = Notifier::Create(callback.Env(), this);
    if (notifier == nullptr) {
      ThrowMisuse(callback.Env(), "ERR_CLOSED", "the environment is ending");
      return nullptr;
    }
    notifier_ = notifier;
    callback_ = Napi::Persistent(function);
    this->Ref();
    return notifier;
  }

  /** Nothing is reported any more, and nothing keeps the object alive. */
  void LetGo() {
    if (notifier_ == nullptr) return;
    notifier_->Close();
    EndWithEnvironment();
    this->Unref();
  }

  /** Calls back as from the event loop's top: what the callback throws is an uncaught exception. */
  void Report(napi_value event) {
    if (notifier_ == nullptr || event == nullptr) return;  // closed by an earlier callback
    const napi_env env = this->Env();
    napi_value result;
    const napi_status status =
        napi_make_callback(env, nullptr, this->Value(), callback_.Value(), 1, &event, &result);
    napi_value exception = nullptr;
    if (status == napi_pending_exception &&
        napi_get_and_clear_last_exception(env, &exception) == napi_ok && exception != nullptr) {
      napi_fatal_exception(env, exception);
    }
  }

  /** The environment ends: the notifier closes itself, and the references go with the environment.
   */
  void EndWithEnvironment() {
    notifier_ = nullptr;
    callback_.Reset();
  }

 private:
  Notifier* notifier_ = nullptr;
  Napi::FunctionReference callback_;
};

}  // namespace perf_ts
