#include "js_options.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include "../core/event/event_attr.h"
#include "../core/zstd/zstd_stream.h"

namespace perf_ts {

namespace {

constexpr double kMaxInt = 2147483647;
constexpr double kMaxUint = 4294967295;
/** Highest signal number of the kernel. */
constexpr double kSignalCount = 64;
constexpr double kMaxSafe = 9007199254740991;

bool Wrong(Napi::Env env, const std::string& name, const char* expected) {
  if (!env.IsExceptionPending()) {
    Napi::TypeError::New(env, name + ": expected " + expected).ThrowAsJavaScriptException();
  }
  return false;
}

bool OutOfRange(Napi::Env env, const std::string& name, const std::string& expected) {
  if (!env.IsExceptionPending()) {
    Napi::RangeError::New(env, name + ": expected " + expected).ThrowAsJavaScriptException();
  }
  return false;
}

/**
 * Whether reading a property gave a value. While a worker is terminated it gives none, and no
 * exception is pending either; a value without an environment must not be asked anything.
 */
bool IsThere(const Napi::Env& env, const Napi::Value& value) {
  return !env.IsExceptionPending() && !value.IsEmpty();
}

bool Property(const Napi::Object& object, const char* name, Napi::Value* value) {
  *value = object.Get(name);
  return IsThere(object.Env(), *value);
}

bool ToObject(const Napi::Value& value, const char* name, Napi::Object* object) {
  if (!value.IsObject()) return Wrong(value.Env(), name, "an object");
  *object = value.As<Napi::Object>();
  return true;
}

template <typename T>
bool Integer(const Napi::Object& object, const char* name, double min, double max, T* out) {
  Napi::Value value;
  double number;
  if (!Property(object, name, &value) || !ReadInteger(value, name, min, max, &number)) return false;
  *out = static_cast<T>(number);
  return true;
}

/** Absent: left as it is. */
bool Flag(const Napi::Object& object, const char* name, bool* out) {
  Napi::Value value;
  if (!Property(object, name, &value)) return false;
  if (value.IsUndefined()) return true;
  return ReadBoolean(value, name, out);
}

/** Absent: left as it is. */
template <typename T>
bool OptionalInteger(const Napi::Object& object, const char* name, double min, double max, T* out) {
  Napi::Value value;
  if (!Property(object, name, &value)) return false;
  return value.IsUndefined() || Integer(object, name, min, max, out);
}

/** Absent is −1. */
bool OptionalFd(const Napi::Object& object, const char* name, int* out) {
  return OptionalInteger(object, name, 0, kMaxInt, out);
}

bool PowerOfTwo(const Napi::Object& object, const char* name, uint32_t* out) {
  if (!Integer(object, name, 1, 1 << 20, out)) return false;
  return (*out & (*out - 1)) == 0 || OutOfRange(object.Env(), name, "a power of two");
}

template <typename Each>
bool List(const Napi::Object& object, const char* name, Each each) {
  Napi::Value value;
  if (!Property(object, name, &value)) return false;
  if (!value.IsArray()) return Wrong(object.Env(), name, "an array");
  const Napi::Array array = value.As<Napi::Array>();
  for (uint32_t i = 0; i < array.Length(); i++) {
    const Napi::Value element = array.Get(i);
    if (!IsThere(object.Env(), element) || !each(element)) return false;
  }
  return true;
}

template <typename T>
bool Integers(const Napi::Object& object, const char* name, double min, double max,
              std::vector<T>* out) {
  return List(object, name, [&](const Napi::Value& element) {
    double number;
    if (!ReadInteger(element, name, min, max, &number)) return false;
    out->push_back(static_cast<T>(number));
    return true;
  });
}

/** Absent: left empty. */
bool OptionalIntegers(const Napi::Object& object, const char* name, double min, double max,
                      std::vector<int>* out) {
  Napi::Value value;
  if (!Property(object, name, &value)) return false;
  return value.IsUndefined() || Integers(object, name, min, max, out);
}

/**
 * UTF-8, and where the string has a lone surrogate U+DC80 … U+DCFF the byte that it stands for: the
 * strings of the kernel need not be UTF-8, and `src/base/byte-text.ts` keeps such bytes in this
 * way.
 */
std::string BytesOf(const std::u16string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); i++) {
    uint32_t code = text[i];
    const bool is_high = code >= 0xd800 && code < 0xdc00;
    if (is_high && i + 1 < text.size() && text[i + 1] >= 0xdc00 && text[i + 1] < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (text[++i] - 0xdc00);
    } else if (code >= 0xdc80 && code <= 0xdcff) {
      bytes += static_cast<char>(code - 0xdc00);
      continue;
    } else if (code >= 0xd800 && code < 0xe000) {
      code = 0xfffd;
    }
    if (code < 0x80) {
      bytes += static_cast<char>(code);
      continue;
    }
    const int following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const int lead = following == 1 ? 0xc0 : following == 2 ? 0xe0 : 0xf0;
    bytes += static_cast<char>(lead | (code >> (6 * following)));
    for (int left = following - 1; left >= 0; left--) {
      bytes += static_cast<char>(0x80 | ((code >> (6 * left)) & 0x3f));
    }
  }
  return bytes;
}

bool Texts(const Napi::Object& object, const char* name, std::vector<std::string>* out) {
  return List(object, name, [&](const Napi::Value& element) {
    std::string text;
    if (!ReadText(element, name, &text)) return false;
    out->push_back(std::move(text));
    return true;
  });
}

bool ReadTarget(const Napi::Value& value, Target* target) {
  Napi::Object object;
  Napi::Value kind_value, command;
  std::string kind;
  if (!ToObject(value, "target", &object) || !Property(object, "kind", &kind_value) ||
      !ReadText(kind_value, "kind", &kind) || !Property(object, "command", &command)) {
    return false;
  }
  if (kind == "processes" || kind == "threads") {
    const bool whole = kind == "processes";
    target->kind = whole ? TargetKind::kProcesses : TargetKind::kThreads;
    if (!Integers(object, whole ? "pids" : "tids", 1, kMaxInt, &target->ids)) return false;
    return !target->ids.empty() || OutOfRange(object.Env(), "target", "at least one id");
  }
  if (kind != "command" && kind != "system") {
    return OutOfRange(object.Env(), "kind", "command, processes, threads or system");
  }
  target->kind = kind == "command" ? TargetKind::kCommand : TargetKind::kSystem;
  target->has_command = kind == "command" || !command.IsUndefined();
  return !target->has_command || ReadCommand(command, &target->command);
}

bool ReadEvents(const Napi::Object& object, std::vector<EventSpec>* events) {
  return List(object, "events", [&](const Napi::Value& element) {
    EventSpec event;
    Napi::Object spec;
    Napi::Value attr, filter;
    const double before = static_cast<double>(events->size());
    if (!ToObject(element, "event", &spec) || !Property(spec, "attr", &attr) ||
        !ReadAttr(attr, "attr", &event.attr) ||
        !Integer(spec, "leader", -1, before - 1, &event.leader) ||
        !Flag(spec, "ofCpus", &event.of_cpus) ||
        !OptionalIntegers(spec, "cpus", 0, kMaxInt, &event.cpus) ||
        !Property(spec, "filter", &filter) ||
        (!filter.IsUndefined() && !ReadText(filter, "filter", &event.filter))) {
      return false;
    }
    if (event.leader >= 0 && (*events)[event.leader].leader >= 0) {
      return OutOfRange(object.Env(), "leader", "the index of a group's leader");
    }
    std::sort(event.cpus.begin(), event.cpus.end());
    events->push_back(std::move(event));
    return true;
  });
}

}  // namespace

bool ReadCommand(const Napi::Value& value, CommandSpec* command) {
  Napi::Object object;
  Napi::Value path, user;
  if (!ToObject(value, "command", &object) || !Property(object, "path", &path) ||
      !ReadText(path, "path", &command->path) || !Texts(object, "argv", &command->argv) ||
      !Texts(object, "env", &command->env) ||
      !Flag(object, "stdoutToStderr", &command->stdout_to_stderr) ||
      !OptionalIntegers(object, "inheritedFds", 3, kMaxInt, &command->inherited_fds) ||
      !OptionalIntegers(object, "blockingFds", 0, 2, &command->blocking_fds) ||
      !OptionalIntegers(object, "ignoredSignals", 1, kSignalCount, &command->ignored_signals) ||
      !OptionalInteger(object, "softFdLimit", 0, kMaxSafe, &command->soft_fd_limit) ||
      !Property(object, "user", &user)) {
    return false;
  }
  if (command->argv.empty()) return OutOfRange(object.Env(), "argv", "at least the program's name");
  if (user.IsUndefined()) return true;
  command->change_user = true;
  Napi::Object identity;
  return ToObject(user, "user", &identity) &&
         Integer(identity, "uid", 0, kMaxUint, &command->uid) &&
         Integer(identity, "gid", 0, kMaxUint, &command->gid) &&
         Integers(identity, "groups", 0, kMaxUint, &command->groups);
}

bool ReadInteger(const Napi::Value& value, const char* name, double min, double max, double* out) {
  if (!value.IsNumber()) return Wrong(value.Env(), name, "a number");
  *out = value.As<Napi::Number>().DoubleValue();
  if (*out >= min && *out <= max && *out == std::floor(*out)) return true;
  return OutOfRange(value.Env(), name,
                    "a whole number between " + std::to_string(static_cast<int64_t>(min)) +
                        " and " + std::to_string(static_cast<int64_t>(max)));
}

bool ReadText(const Napi::Value& value, const char* name, std::string* text) {
  if (!value.IsString()) return Wrong(value.Env(), name, "a string");
  *text = BytesOf(value.As<Napi::String>().Utf16Value());
  if (text->find('\0') == std::string::npos) return true;
  return OutOfRange(value.Env(), name, "a string without NUL");
}

bool ReadBoolean(const Napi::Value& value, const char* name, bool* flag) {
  if (!value.IsBoolean()) return Wrong(value.Env(), name, "a boolean");
  *flag = value.As<Napi::Boolean>().Value();
  return true;
}

bool ReadFunction(const Napi::Value& value, const char* name, Napi::Function* function) {
  if (!value.IsFunction()) return Wrong(value.Env(), name, "a function");
  *function = value.As<Napi::Function>();
  return true;
}

template <typename T>
bool ReadTypedArray(const Napi::Value& value, const char* name, T* array) {
  constexpr bool is_bytes = std::is_same_v<T, Napi::Uint8Array>;
  constexpr bool is_words = std::is_same_v<T, Napi::Uint32Array>;
  constexpr auto type = is_bytes   ? napi_uint8_array
                        : is_words ? napi_uint32_array
                                   : napi_float64_array;
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) {
    return Wrong(value.Env(), name,
                 is_bytes   ? "a Uint8Array"
                 : is_words ? "a Uint32Array"
                            : "a Float64Array");
  }
  *array = value.As<T>();
  return true;
}

template bool ReadTypedArray(const Napi::Value&, const char*, Napi::Uint8Array*);
template bool ReadTypedArray(const Napi::Value&, const char*, Napi::Uint32Array*);
template bool ReadTypedArray(const Napi::Value&, const char*, Napi::Float64Array*);

bool ReadAttr(const Napi::Value& value, const char* name, std::vector<uint8_t>* attr) {
  Napi::Uint8Array bytes;
  if (!ReadTypedArray(value, name, &bytes)) return false;
  attr->assign(bytes.Data(), bytes.Data() + bytes.ByteLength());
  uint32_t size = 0;
  if (attr->size() >= EventAttr::kMinSize) memcpy(&size, attr->data() + 4, sizeof size);
  // The kernel reads as many bytes as the size field states.
  if (size >= EventAttr::kMinSize && size == attr->size()) return true;
  return OutOfRange(value.Env(), name, "attr bytes as many as their size field says, at least 64");
}

bool ReadSamplerOptions(const Napi::Value& value, SamplerOptions* options) {
  Napi::Object object;
  Napi::Value target, sideband;
  if (!ToObject(value, "options", &object) || !ReadEvents(object, &options->events) ||
      !Property(object, "sideband", &sideband) ||
      !ReadAttr(sideband, "sideband", &options->sideband) ||
      !Integers(object, "cpus", -1, kMaxInt, &options->cpus) ||
      !Integers(object, "sidebandCpus", 0, kMaxInt, &options->sideband_cpus) ||
      !OptionalFd(object, "cgroupFd", &options->cgroup_fd) ||
      !Property(object, "target", &target) || !ReadTarget(target, &options->target) ||
      !PowerOfTwo(object, "ringPages", &options->ring_pages) ||
      !PowerOfTwo(object, "sidebandPages", &options->sideband_pages) ||
      !Integer(object, "latencyMs", 1, kMaxInt, &options->latency_ms) ||
      !Flag(object, "delayed", &options->delayed)) {
    return false;
  }
  if (options->events.empty()) return OutOfRange(object.Env(), "events", "at least one");
  if (options->cpus.empty()) return OutOfRange(object.Env(), "cpus", "at least one");
  const bool any = std::find(options->cpus.begin(), options->cpus.end(), -1) != options->cpus.end();
  return !any || options->cpus.size() == 1 || OutOfRange(object.Env(), "cpus", "-1 by itself");
}

bool ReadCounterGroupOptions(const Napi::Value& value, CounterGroupOptions* options) {
  Napi::Object object;
  if (!ToObject(value, "options", &object) ||
      !List(object, "events",
            [&](const Napi::Value& element) {
              std::vector<uint8_t> attr;
              if (!ReadAttr(element, "event", &attr)) return false;
              options->events.emplace_back(std::move(attr));
              return true;
            }) ||
      !Integer(object, "pid", -1, kMaxInt, &options->pid) ||
      !Integer(object, "cpu", -1, kMaxInt, &options->cpu) ||
      !OptionalFd(object, "cgroupFd", &options->cgroup_fd)) {
    return false;
  }
  return !options->events.empty() || OutOfRange(object.Env(), "events", "at least one");
}

bool ReadFileSink(const Napi::Value& value, FileSinkOptions* options) {
  Napi::Object object;
  return ToObject(value, "sink", &object) && Integer(object, "fd", 0, kMaxInt, &options->fd) &&
         Integer(object, "dataOffset", 0, kMaxSafe, &options->data_offset) &&
         Integer(object, "dataSize", 0, kMaxSafe, &options->data_size) &&
         Flag(object, "stream", &options->stream) &&
         Integer(object, "maxBytes", 0, kMaxSafe, &options->max_bytes) &&
         Flag(object, "marksRounds", &options->marks_rounds) &&
         OptionalInteger(object, "compressionLevel", 0, ZstdCompressor::kMaxLevel,
                         &options->compression_level);
}

bool ReadLiveSink(const Napi::Value& value, LiveSinkOptions* options) {
  Napi::Object object;
  return ToObject(value, "sink", &object) &&
         Integer(object, "maxChunks", 1, kMaxInt, &options->max_chunks) &&
         Integer(object, "chunkBytes", 1, 1 << 30, &options->chunk_bytes);
}

bool ReadAttachTarget(const Napi::Value& value, AttachTarget* target) {
  Napi::Object object;
  return ToObject(value, "target", &object) &&
         Integers(object, "pids", 1, kMaxInt, &target->pids) &&
         Integers(object, "tids", 1, kMaxInt, &target->tids) &&
         Integers(object, "cpus", 0, kMaxInt, &target->cpus) &&
         Flag(object, "inherits", &target->inherits);
}

}  // namespace perf_ts
