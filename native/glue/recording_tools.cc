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

bool ReadRecords(const Napi::CallbackInfo& info, RecordedBytes* records) {
  double fd, from, to;
  if (!ReadInteger(info[0], "fd", 0, 1 << 30, &fd) ||
      !ReadInteger(info[1], "from", 0, kMaxOffset, &from) ||
      !ReadInteger(info[2], "to", 0, kMaxOffset, &to)) {
    return false;
  }
  *records = {static_cast<int>(fd), static_cast<uint64_t>(from), static_cast<uint64_t>(to)};
  return ReadBoolean(info[3], "isCompressed", &records->compressed);
}

/** Addresses: whole numbers that fit 64 bits. */
bool ReadAddresses(const Napi::Value& value, const char* name, std::vector<uint64_t>* addresses) {
  Napi::Float64Array array;
  if (!ReadTypedArray(value, name, &array)) return false;
  for (size_t i = 0; i < array.ElementLength(); i++) {
    const double address = array[i];
    if (!(address >= -kMaxOffset && address <= kMaxOffset)) {
      Napi::RangeError::New(value.Env(), std::string(name) + ": no address")
          .ThrowAsJavaScriptException();
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
               .Value("mappingsLeftOut",
                      Napi::Number::New(env, static_cast<double>(result.mappings_left_out)))
               .object());
}

Napi::Value JsFindMetOwners(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  RecordedBytes records;
  std::vector<uint64_t> starts, ends;
  Napi::Uint32Array owners;
  if (!ReadRecords(info, &records) || !ReadAddresses(info[4], "starts", &starts) ||
      !ReadAddresses(info[5], "ends", &ends) || !ReadTypedArray(info[6], "owners", &owners)) {
    return env.Undefined();
  }
  if (owners.ElementLength() != starts.size() || ends.size() != starts.size()) {
    Napi::TypeError::New(env, "owners: expected one for each range").ThrowAsJavaScriptException();
    return env.Undefined();
  }
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
  std::string path, lines;
  std::vector<uint64_t> addresses;
  if (!ReadText(info[0], "path", &path) || !ReadAddresses(info[1], "addresses", &addresses)) {
    return env.Undefined();
  }
  Error error;
  if (!ReadKernelLines(path.c_str(), std::move(addresses), &lines, &error)) {
    ThrowError(env, error);
    return env.Undefined();
  }
  return Napi::Value(env, TypedArrayToJs(env, napi_uint8_array, lines.data(), lines.size(), 1));
}

Napi::Value JsKeepKernel(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::string path, key, proper;
  if (!ReadText(info[0], "path", &path) || !ReadText(info[1], "key", &key)) return env.Undefined();
  Error error;
  if (!ReadKernelProper(path.c_str(), &proper, &error)) {
    ThrowError(env, error);
    return env.Undefined();
  }
  if (proper.empty()) return env.Null();
  const std::string packed = PackKernel(key, proper);
  return Napi::Value(env, TypedArrayToJs(env, napi_uint8_array, packed.data(), packed.size(), 1));
}

Napi::Value JsFindKeptKernelLines(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::string path, key;
  Napi::Uint8Array kept;
  std::vector<uint64_t> addresses;
  if (!ReadText(info[0], "path", &path) || !ReadText(info[1], "key", &key) ||
      !ReadTypedArray(info[2], "kept", &kept) || !ReadAddresses(info[3], "addresses", &addresses)) {
    return env.Undefined();
  }
  const std::string_view proper =
      UnpackKernel({reinterpret_cast<const char*>(kept.Data()), kept.ByteLength()}, key);
  bool is_current = false;
  Error error;
  if (!proper.empty() && !IsStillKernelProper(path.c_str(), proper, &is_current, &error)) {
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

void DefineRecordingTools(Napi::Object exports) {
  Export<JsScanRecording>(exports, "scanRecording");
  Export<JsFindMetOwners>(exports, "findMetOwners");
  Export<JsReadKernelLines>(exports, "readKernelLines");
  Export<JsKeepKernel>(exports, "keepKernel");
  Export<JsFindKeptKernelLines>(exports, "findKeptKernelLines");
}

}  // namespace perf_ts
