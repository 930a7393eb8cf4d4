#include <napi.h>

#include "counter_object.h"
#include "held_command_object.h"
#include "libpfm_object.h"
#include "recording_tools.h"
#include "sampler_object.h"
#include "tools.h"
#include "zstd_decoder_object.h"

namespace {

/** Runs once per environment; nothing is shared between environments. */
Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("CounterGroup", perf_ts::CounterObject::Define(env));
  exports.Set("HeldCommand", perf_ts::HeldCommandObject::Define(env));
  exports.Set("Sampler", perf_ts::SamplerObject::Define(env));
  exports.Set("ZstdDecoder", perf_ts::ZstdDecoderObject::Define(env));
  exports.Set("libpfm", perf_ts::DefineLibpfm(env));
  perf_ts::DefineTools(exports);
  perf_ts::DefineRecordingTools(exports);
  return exports;
}

}  // namespace

NODE_API_MODULE(perf_ts, Init)
