#include <napi.h>

#include "sampler_object.h"
#include "tools.h"

namespace {

/** Runs once per environment; nothing is shared between environments. */
Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("Sampler", perf_ts::SamplerObject::Define(env));
  perf_ts::DefineTools(env, exports);
  return exports;
}

}  // namespace

NODE_API_MODULE(perf_ts, Init)
