#include "recording_tools.h"

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/recording/kept_kernel.h"
#include "../core/recording/kernel_lines.h"
#include "../core/recording/met_addresses.h"
#include "js_options.h"
#include "js_results.h"

namespace perf_ts {

namespace {

constexpr double kMaxOffset = 9007199254740991.0;

/** A kernel address in JavaScript is negative: the signed form of its 64 bits. */
double SignedForm(uint64_t address) {
  return static_cast<double>(static_cast<int64_t>(address));
}
uint64_t Unsigned(double address) {
  return static_cast<uint64_t>(static_cast<int64_t>(address));
}

bool ReadFlag(const Napi::Value& value, const char* name, bool* flag) {
  if (!value.IsBoolean()) {
    Napi::TypeError::New(value.Env(), std::string(name) + ": expected a boolean")
        .ThrowAsJavaScriptException();
    return false;
  }
  *flag = value.As<Napi::Boolean>().Value();
  return true;
}

bool ReadRecords(const Napi::CallbackInfo& info, RecordedBytes* records) {
  double fd, from, to;
  if (!ReadInteger(info[0], "fd", 0, 1 << 30, &fd) ||
      !ReadInteger(info[1], "from", 0, kMaxOffset, &from) ||
      !ReadInteger(info[2], "to", 0, kMaxOffset, &to)) {
    return false;
  }
  *records = {static_cast<int>(fd), static_cast<uint64_t>(from), static_cast<uint64_t>(to)};
  return ReadFlag(info[3], "isCompressed", &records->compressed);
}

/** Addresses: whole numbers that fit 64 bits. */
bool ReadAddresses(const Napi::Value& value, const char* name, std::vector<uint64_t>* addresses) {
  const Napi::Env env = value.Env();
  if (!value.IsTypedArray() ||
      value.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) {
    Napi::TypeError::New(env, std::string(name) + ": expected a Float64Array")
        .ThrowAsJavaScriptException();
    return false;
  }
  const Napi::Float64Array array = value.As<Napi::Float64Array>();
  for (size_t i = 0; i < array.ElementLength(); i++) {
    const double address = array[i];
    if (!(address >= -kMaxOffset && address <= kMaxOffset)) {
      Napi::RangeError::New(env, std::string(name) + ": no address").ThrowAsJavaScriptException();
      return false;
    }
    addresses->push_back(Unsigned(address));
  }
  return true;
}

Napi::Value JsScanRecording(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  ScanRequest request;
  double kernel_from;
  if (!ReadRecords(info, &request.records) ||
      !ReadInteger(info[4], "kernelFrom", 0, kMaxOffset, &kernel_from)) {
    return env.Undefined();
  }
  request.kernel_from = static_cast<uint64_t>(kernel_from);
  ScanResult result;
  Error error;
  if (!ScanRecording(request, &result, &error)) {
    ThrowError(env, error);
    return env.Undefined();
  }
  std::vector<double> addresses;
  for (const uint64_t address : result.kernel_addresses) addresses.push_back(SignedForm(address));
  const std::vector<uint8_t>& mappings = result.code_mappings;
  return Napi::Value(
      env, ObjectBuilder(env)
               .Value("kernelAddresses", TypedArrayToJs(env, napi_float64_array, addresses.data(),
                                                        addresses.size(), sizeof(double)))
               .Value("codeMappings",
                      TypedArrayToJs(env, napi_uint8_array, mappings.data(), mappings.size(), 1))
               .object());
}

Napi::Value JsFindMetOwners(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  RecordedBytes records;
  std::vector<uint64_t> starts, ends;
  if (!ReadRecords(info, &records) || !ReadAddresses(info[4], "starts", &starts) ||
      !ReadAddresses(info[5], "ends", &ends)) {
    return env.Undefined();
  }
  if (!info[6].IsTypedArray() ||
      info[6].As<Napi::TypedArray>().TypedArrayType() != napi_uint32_array ||
      info[6].As<Napi::TypedArray>().ElementLength() != starts.size() ||
      ends.size() != starts.size()) {
    Napi::TypeError::New(env, "owners: expected a Uint32Array, one for each range")
        .ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const Napi::Uint32Array owners = info[6].As<Napi::Uint32Array>();
  std::vector<CodeRange> ranges;
  for (size_t i = 0; i < starts.size(); i++) {
    if (owners[i] >= starts.size()) {
      Napi::RangeError::New(env, "owners: more than ranges").ThrowAsJavaScriptException();
      return env.Undefined();
    }
    ranges.push_back({starts[i], ends[i], owners[i]});
  }
  std::vector<uint8_t> met;
  Error error;
  if (!FindMetOwners(records, std::move(ranges), &met, &error)) {
    ThrowError(env, error);
    return env.Undefined();
  }
  return Napi::Value(env, TypedArrayToJs(env, napi_uint8_array, met.data(), met.size(), 1));
}

Napi::Value JsReadKernelLines(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsString()) {
    Napi::TypeError::New(env, "path: expected a string").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  std::vector<uint64_t> addresses;
  if (!ReadAddresses(info[1], "addresses", &addresses)) return env.Undefined();
  std::string lines;
  Error error;
  if (!ReadKernelLines(info[0].As<Napi::String>().Utf8Value().c_str(), std::move(addresses), &lines,
                       &error)) {
    ThrowError(env, error);
    return env.Undefined();
  }
  return Napi::Value(env, TypedArrayToJs(env, napi_uint8_array, lines.data(), lines.size(), 1));
}

Napi::Value JsKeepKernel(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsString() || !info[1].IsString()) {
    Napi::TypeError::New(env, "path, key: expected strings").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  std::string proper;
  Error error;
  if (!ReadKernelProper(info[0].As<Napi::String>().Utf8Value().c_str(), &proper, &error)) {
    ThrowError(env, error);
    return env.Undefined();
  }
  if (proper.empty()) return env.Null();
  const std::string packed = PackKernel(info[1].As<Napi::String>().Utf8Value(), proper);
  return Napi::Value(env, TypedArrayToJs(env, napi_uint8_array, packed.data(), packed.size(), 1));
}

Napi::Value JsFindKeptKernelLines(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const bool has_bytes =
      info[2].IsTypedArray() && info[2].As<Napi::TypedArray>().TypedArrayType() == napi_uint8_array;
  if (!info[0].IsString() || !info[1].IsString() || !has_bytes) {
    Napi::TypeError::New(env, "path, key, kept: expected two strings and a Uint8Array")
        .ThrowAsJavaScriptException();
    return env.Undefined();
  }
  std::vector<uint64_t> addresses;
  if (!ReadAddresses(info[3], "addresses", &addresses)) return env.Undefined();
  const Napi::Uint8Array kept = info[2].As<Napi::Uint8Array>();
  const std::string_view proper =
      UnpackKernel({reinterpret_cast<const char*>(kept.Data()), kept.ByteLength()},
                   info[1].As<Napi::String>().Utf8Value());
  bool is_current = false;
  Error error;
  if (!proper.empty() && !IsStillKernelProper(info[0].As<Napi::String>().Utf8Value().c_str(),
                                              proper, &is_current, &error)) {
    ThrowError(env, error);
    return env.Undefined();
  }
  std::string lines;
  const bool has_all = is_current && FindKernelLines(proper, std::move(addresses), &lines);
  return Napi::Value(
      env, ObjectBuilder(env)
               .Value("isCurrent", Napi::Boolean::New(env, is_current))
               .Value("lines",
                      has_all ? TypedArrayToJs(env, napi_uint8_array, lines.data(), lines.size(), 1)
                              : napi_value(env.Null()))
               .object());
}

}  // namespace

void DefineRecordingTools(Napi::Env env, Napi::Object exports) {
  exports.Set("scanRecording", Napi::Function::New<JsScanRecording>(env, "scanRecording"));
  exports.Set("findMetOwners", Napi::Function::New<JsFindMetOwners>(env, "findMetOwners"));
  exports.Set("readKernelLines", Napi::Function::New<JsReadKernelLines>(env, "readKernelLines"));
  exports.Set("keepKernel", Napi::Function::New<JsKeepKernel>(env, "keepKernel"));
  exports.Set("findKeptKernelLines",
              Napi::Function::New<JsFindKeptKernelLines>(env, "findKeptKernelLines"));
}

}  // namespace perf_ts
