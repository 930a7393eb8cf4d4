#include "tools.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "../core/command/child_process.h"
#include "../core/counter/cpuid.h"
#include "../core/event/attach.h"
#include "../core/event/perf_event.h"
#include "../core/event/period_probe.h"
#include "../core/names/demangle.h"
#include "../core/posix/clock.h"
#include "../core/posix/connection_user.h"
#include "../core/posix/errno_name.h"
#include "../core/posix/fd_limit.h"
#include "../core/posix/file_identity.h"
#include "../core/posix/malloc_options.h"
#include "../core/posix/peer.h"
#include "../core/posix/signal_origin.h"
#include "../core/zstd/libzstd.h"
#include "js_options.h"
#include "js_results.h"

namespace perf_ts {

namespace {

Napi::Value JsProbeEvent(const Napi::CallbackInfo& info) {
  std::vector<uint8_t> attr;
  double pid, cpu;
  if (!ReadAttr(info[0], "attr", &attr) || !ReadInteger(info[1], "pid", -1, 1 << 30, &pid) ||
      !ReadInteger(info[2], "cpu", -1, 1 << 30, &cpu)) {
    return info.Env().Undefined();
  }
  const ProbeResult result =
      ProbeEvent(EventAttr(std::move(attr)), static_cast<int>(pid), static_cast<int>(cpu));
  const std::string code = result.code_errno == 0 ? "" : ErrnoName(result.code_errno);
  return Napi::Value(info.Env(), ObjectBuilder(info.Env())
                                     .Number("errno", result.code_errno)
                                     .Text("code", code.c_str())
                                     .Number("kernelAttrSize", result.kernel_attr_size)
                                     .object());
}

/** Three numbers of each sample, one array for each start. */
Napi::Value JsProbePeriods(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::vector<uint8_t> attr;
  double starts, samples, max_cpu_ns;
  if (!ReadAttr(info[0], "attr", &attr) || !ReadInteger(info[1], "starts", 1, 100, &starts) ||
      !ReadInteger(info[2], "samples", 1, 1000, &samples) ||
      !ReadInteger(info[3], "maxCpuNs", 1, 1e9, &max_cpu_ns)) {
    return env.Undefined();
  }
  PeriodProbeOptions options;
  options.starts = static_cast<uint32_t>(starts);
  options.samples = static_cast<uint32_t>(samples);
  options.max_cpu_ns = static_cast<uint64_t>(max_cpu_ns);
  options.touches_pages = info[4].ToBoolean().Value();
  std::vector<ProbedSamples> probed;
  Error error;
  if (!ProbePeriods(EventAttr(std::move(attr)), options, &probed, &error)) {
    ThrowError(env, error);
    return env.Undefined();
  }
  Napi::Array result = Napi::Array::New(env, probed.size());
  for (size_t i = 0; i < probed.size(); i++) {
    const std::vector<double> numbers(probed[i].begin(), probed[i].end());
    result.Set(static_cast<uint32_t>(i),
               Napi::Value(env, TypedArrayToJs(env, napi_float64_array, numbers.data(),
                                               numbers.size(), sizeof(double))));
  }
  return result;
}

/** An exception of the callbacks ends it and goes on to the caller. */
Napi::Value JsAttachThreads(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  AttachTarget target;
  Napi::Function open, close;
  if (!ReadAttachTarget(info[0], &target) || !ReadFunction(info[1], "open", &open) ||
      !ReadFunction(info[2], "close", &close)) {
    return env.Undefined();
  }
  Attachment attachment;
  attachment.open = [&](int tid) {
    const Napi::HandleScope scope(env);
    const Napi::Value opened = open.Call({Napi::Number::New(env, tid)});
    if (env.IsExceptionPending() || opened.IsEmpty()) return Opened::kFailed;
    return opened.ToBoolean().Value() ? Opened::kYes : Opened::kGone;
  };
  attachment.close = [&](int tid) {
    const Napi::HandleScope scope(env);
    if (!env.IsExceptionPending()) close.Call({Napi::Number::New(env, tid)});
  };
  const AttachOutcome outcome = AttachThreads(target, attachment);
  if (env.IsExceptionPending()) return env.Undefined();
  if (outcome.result == AttachResult::kNoTarget) {
    ThrowError(env, {errno, "opendir(/proc/PID/task)", -1, -1, outcome.pid});
    return env.Undefined();
  }
  return Napi::Boolean::New(env, outcome.result == AttachResult::kSettled);
}

Napi::Value JsDemangle(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsArray()) {
    Napi::TypeError::New(env, "names: expected an array").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const Napi::Array names = info[0].As<Napi::Array>();
  Napi::Array results = Napi::Array::New(env, names.Length());
  std::string name, readable;
  for (uint32_t i = 0; i < names.Length(); i++) {
    const Napi::HandleScope scope(env);
    const Napi::Value value = names.Get(i);
    if (env.IsExceptionPending() || value.IsEmpty()) return env.Undefined();
    const bool is_mangled = value.IsString() &&
                            !(name = value.As<Napi::String>().Utf8Value()).empty() &&
                            Demangle(name.c_str(), &readable);
    if (is_mangled) {
      results.Set(i, Napi::String::New(env, readable));
    } else {
      results.Set(i, env.Null());
    }
  }
  return results;
}

Napi::Value JsRaiseFdLimit(const Napi::CallbackInfo& info) {
  double needed;
  if (!ReadInteger(info[0], "needed", 0, 1 << 30, &needed)) return info.Env().Undefined();
  const FdLimit limit = RaiseFdLimit(static_cast<uint64_t>(needed));
  return Napi::Value(info.Env(), ObjectBuilder(info.Env())
                                     .Number("soft", static_cast<double>(limit.soft))
                                     .Number("hard", static_cast<double>(limit.hard))
                                     .object());
}

Napi::Value JsSetFileIdentity(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  constexpr double kMaxId = 4294967294.0;
  double uid, gid;
  Napi::Uint32Array groups;
  if (!ReadInteger(info[0], "uid", 0, kMaxId, &uid) ||
      !ReadInteger(info[1], "gid", 0, kMaxId, &gid) ||
      !ReadTypedArray(info[2], "groups", &groups)) {
    return env.Undefined();
  }
  FileIdentity identity{static_cast<uid_t>(uid), static_cast<gid_t>(gid), {}};
  identity.groups.assign(groups.Data(), groups.Data() + groups.ElementLength());
  const int error = SetFileIdentity(identity);
  if (error != 0) ThrowError(env, {error, "setfsuid"});
  return env.Undefined();
}

Napi::Value JsReadClockPair(const Napi::CallbackInfo& info) {
  double clock;
  if (!ReadInteger(info[0], "clockId", -(1 << 30), 1 << 30, &clock)) return info.Env().Undefined();
  ClockPair pair;
  if (!ReadClockPair(static_cast<int>(clock), &pair)) {
    ThrowError(info.Env(), {errno, "clock_gettime"});
    return info.Env().Undefined();
  }
  return Napi::Value(info.Env(), ObjectBuilder(info.Env())
                                     .BigInt("wallNs", pair.wall_ns)
                                     .BigInt("clockNs", pair.clock_ns)
                                     .object());
}

Napi::Value JsReadCpuid(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  double cpu;
  Napi::Uint32Array leaves;
  if (!ReadTypedArray(info[0], "leaves, each with its sub-leaf", &leaves) ||
      !ReadInteger(info[1], "cpu", -1, 1 << 20, &cpu)) {
    return env.Undefined();
  }
  if (!kHasCpuid) return env.Null();
  std::vector<uint32_t> registers;
  {
    const CpuPin pin(static_cast<int>(cpu));
    if (pin.error() != 0) {
      Error error{pin.error(), "sched_setaffinity"};
      error.cpu = static_cast<int>(cpu);
      ThrowError(env, error);
      return env.Undefined();
    }
    for (size_t i = 0; i + 1 < leaves.ElementLength(); i += 2) {
      const CpuidRegisters read = ReadCpuid(leaves[i], leaves[i + 1]);
      registers.insert(registers.end(), {read.eax, read.ebx, read.ecx, read.edx});
    }
  }
  return Napi::Value(env, TypedArrayToJs(env, napi_uint32_array, registers.data(), registers.size(),
                                         sizeof(uint32_t)));
}

Napi::Value JsReapOrphans(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(ChildProcess::ReapOrphans()));
}

Napi::Value JsSetNonBlocking(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  double fd;
  if (!ReadInteger(info[0], "fd", 0, 1 << 30, &fd)) return env.Undefined();
  const bool on = info[1].ToBoolean();
  const int flags = fcntl(static_cast<int>(fd), F_GETFL);
  const int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  const bool done =
      flags >= 0 && (wanted == flags || fcntl(static_cast<int>(fd), F_SETFL, wanted) == 0);
  return Napi::Boolean::New(env, done);
}

/** (peerAddress, peerPort, ownAddress, ownPort): a uid, null for none, undefined where unknown. */
Napi::Value JsConnectionUser(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::string peer, own;
  double peer_port, own_port;
  if (!ReadText(info[0], "peerAddress", &peer) ||
      !ReadInteger(info[1], "peerPort", 0, UINT16_MAX, &peer_port) ||
      !ReadText(info[2], "ownAddress", &own) ||
      !ReadInteger(info[3], "ownPort", 0, UINT16_MAX, &own_port)) {
    return env.Undefined();
  }
  const ConnectionUser user = FindConnectionUser({peer.c_str(), static_cast<uint16_t>(peer_port)},
                                                 {own.c_str(), static_cast<uint16_t>(own_port)});
  if (user.kind == ConnectionUserKind::kUnknown) return env.Undefined();
  if (user.kind == ConnectionUserKind::kNone) return env.Null();
  return Napi::Number::New(env, user.uid);
}

Napi::Value JsPeerOf(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  double fd;
  if (!ReadInteger(info[0], "fd", 0, 1 << 30, &fd)) return env.Undefined();
  const Peer peer = PeerOf(static_cast<int>(fd));
  if (!peer.known) return env.Null();
  return Napi::Value(env,
                     ObjectBuilder(env).Number("pid", peer.pid).Number("uid", peer.uid).object());
}

Napi::Value JsNoteSignalOrigin(const Napi::CallbackInfo& info) {
  double signal;
  if (!ReadInteger(info[0], "signal", 1, kSignalCount, &signal)) return info.Env().Undefined();
  return Napi::Boolean::New(info.Env(), NoteSignalOrigin(static_cast<int>(signal)));
}

Napi::Value JsSenderOfSignal(const Napi::CallbackInfo& info) {
  double signal;
  if (!ReadInteger(info[0], "signal", 1, kSignalCount, &signal)) return info.Env().Undefined();
  return Napi::Number::New(info.Env(), SenderOfSignal(static_cast<int>(signal)));
}

/** Empty where libzstd can be used. */
Napi::Value JsZstdProblem(const Napi::CallbackInfo& info) {
  std::string why;
  Libzstd::Load(&why);
  return Napi::String::New(info.Env(), why);
}

Napi::Value JsMapBlocksFrom(const Napi::CallbackInfo& info) {
  double bytes;
  if (!ReadInteger(info[0], "bytes", 1 << 16, 1 << 25, &bytes)) return info.Env().Undefined();
  return Napi::Boolean::New(info.Env(), MapBlocksFrom(static_cast<int>(bytes)));
}

Napi::Value JsExitNow(const Napi::CallbackInfo& info) {
  double status;
  if (!ReadInteger(info[0], "status", 0, 255, &status)) return info.Env().Undefined();
  _exit(static_cast<int>(status));
}

}  // namespace

void DefineTools(Napi::Object exports) {
  Export<JsProbeEvent>(exports, "probeEvent");
  Export<JsProbePeriods>(exports, "probePeriods");
  Export<JsAttachThreads>(exports, "attachThreads");
  Export<JsDemangle>(exports, "demangle");
  Export<JsRaiseFdLimit>(exports, "raiseFdLimit");
  Export<JsReadCpuid>(exports, "readCpuid");
  Export<JsSetFileIdentity>(exports, "setFileIdentity");
  Export<JsReapOrphans>(exports, "reapOrphans");
  Export<JsSetNonBlocking>(exports, "setNonBlocking");
  Export<JsConnectionUser>(exports, "connectionUser");
  Export<JsPeerOf>(exports, "peerOf");
  Export<JsNoteSignalOrigin>(exports, "noteSignalOrigin");
  Export<JsSenderOfSignal>(exports, "senderOfSignal");
  Export<JsZstdProblem>(exports, "zstdProblem");
  Export<JsExitNow>(exports, "exitNow");
  Export<JsMapBlocksFrom>(exports, "mapBlocksFrom");
  Export<JsReadClockPair>(exports, "readClockPair");
}

}  // namespace perf_ts
