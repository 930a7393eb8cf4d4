#include "libpfm_object.h"

#include <string>

#include "../core/names/libpfm.h"
#include "js_options.h"
#include "js_results.h"

namespace perf_ts {
namespace {

/** The library, or null with an Error pending. */
const Libpfm* NeedLibrary(Napi::Env env) {
  std::string why;
  const Libpfm* const library = Libpfm::Load(&why);
  if (library == nullptr) Napi::Error::New(env, why).ThrowAsJavaScriptException();
  return library;
}

Napi::Value JsLoad(const Napi::CallbackInfo& info) {
  std::string why;
  const Libpfm* const library = Libpfm::Load(&why);
  ObjectBuilder result(info.Env());
  result.Number("version", library == nullptr ? 0 : library->version());
  result.Text("problem", why.c_str());
  return Napi::Value(info.Env(), result.object());
}

template <typename T, typename ToJs>
Napi::Value ArrayToJs(Napi::Env env, const std::vector<T>& items, const ToJs& to_js) {
  Napi::Array array = Napi::Array::New(env, items.size());
  for (uint32_t i = 0; i < items.size(); i++) {
    const Napi::HandleScope scope(env);
    array.Set(i, Napi::Value(env, to_js(items[i])));
  }
  return array;
}

Napi::Value JsModels(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Libpfm* const library = NeedLibrary(env);
  if (library == nullptr) return env.Undefined();
  return ArrayToJs(env, library->Models(), [&](const PfmModel& model) {
    return ObjectBuilder(env)
        .Number("id", model.id)
        .Text("name", model.name.c_str())
        .Text("description", model.description.c_str())
        .Number("type", model.type)
        .Value("isPresent", Napi::Boolean::New(env, model.is_present))
        .object();
  });
}

napi_value AttributeToJs(Napi::Env env, const PfmAttribute& attribute) {
  return ObjectBuilder(env)
      .Text("name", attribute.name.c_str())
      .Text("description", attribute.description.c_str())
      .Number("type", attribute.type)
      .Number("control", attribute.control)
      .Value("isDefault", Napi::Boolean::New(env, attribute.is_default))
      .Value("isPrecise", Napi::Boolean::New(env, attribute.is_precise))
      .object();
}

Napi::Value JsEvents(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  double model;
  if (!ReadInteger(info[0], "model", 0, 1 << 20, &model)) return env.Undefined();
  const Libpfm* const library = NeedLibrary(env);
  if (library == nullptr) return env.Undefined();
  const auto events = library->Events(static_cast<int>(model));
  return ArrayToJs(env, events, [&](const PfmEvent& event) {
    const auto attribute_to_js = [&](const PfmAttribute& each) { return AttributeToJs(env, each); };
    return ObjectBuilder(env)
        .Text("name", event.name.c_str())
        .Text("description", event.description.c_str())
        .Text("equivalent", event.equivalent.c_str())
        .Value("attributes", ArrayToJs(env, event.attributes, attribute_to_js))
        .object();
  });
}

Napi::Value JsEncodeAttr(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::string name;
  double levels;
  if (!ReadText(info[0], "name", &name) ||
      !ReadInteger(info[1], "privilegeLevels", 0, 31, &levels)) {
    return env.Undefined();
  }
  const Libpfm* const library = NeedLibrary(env);
  if (library == nullptr) return env.Undefined();
  const PfmEncoding found = library->EncodeAttr(name, static_cast<int>(levels));
  return Napi::Value(env,
                     ObjectBuilder(env)
                         .Number("error", found.error)
                         .Text("message", found.message.c_str())
                         .Text("fullName", found.full_name.c_str())
                         .Value("attr", TypedArrayToJs(env, napi_uint8_array, found.attr.data(),
                                                       found.attr.size(), 1))
                         .Number("cpu", found.cpu)
                         .object());
}

}  // namespace

Napi::Object DefineLibpfm(Napi::Env env) {
  Napi::Object libpfm = Napi::Object::New(env);
  Export<JsLoad>(libpfm, "load");
  Export<JsModels>(libpfm, "models");
  Export<JsEvents>(libpfm, "events");
  Export<JsEncodeAttr>(libpfm, "encodeAttr");
  return libpfm;
}

}  // namespace perf_ts
