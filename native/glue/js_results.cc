#include "js_results.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "../core/posix/errno_name.h"

namespace perf_ts {

namespace {

napi_value String(napi_env env, const std::string& text) {
  napi_value value = nullptr;
  napi_create_string_utf8(env, text.data(), text.size(), &value);
  return value;
}

napi_value Ids(napi_env env, const std::vector<uint64_t>& ids) {
  return TypedArrayToJs(env, napi_biguint64_array, ids.data(), ids.size(), sizeof(uint64_t));
}

napi_value BooleanToJs(napi_env env, bool value) {
  napi_value result = nullptr;
  napi_get_boolean(env, value, &result);
  return result;
}

/** `null` for a count that is not known, which is below 0. */
napi_value CountToJs(napi_env env, int64_t count) {
  napi_value result = nullptr;
  if (count < 0) {
    napi_get_null(env, &result);
  } else {
    napi_create_double(env, static_cast<double>(count), &result);
  }
  return result;
}

const char* ReasonName(EndReason reason) {
  switch (reason) {
    case EndReason::kStopped:
      return "stopped";
    case EndReason::kTargetExited:
      return "target-exited";
    case EndReason::kWriteError:
      return "write-error";
    case EndReason::kSizeLimit:
      return "size-limit";
  }
  return "";
}

napi_value RoundEndsToJs(napi_env env, const std::vector<RoundEnd>& rounds) {
  std::vector<double> ends;
  std::vector<uint64_t> times;
  for (const RoundEnd& round : rounds) {
    ends.push_back(static_cast<double>(round.end));
    times.push_back(round.at_ns);
  }
  return ObjectBuilder(env)
      .Value("ends",
             TypedArrayToJs(env, napi_float64_array, ends.data(), ends.size(), sizeof(double)))
      .Value("atNs", Ids(env, times))
      .object();
}

void Throw(napi_env env, const std::string& code, const std::string& message, const Error& error) {
  napi_value object = nullptr;
  napi_create_error(env, String(env, code), String(env, message), &object);
  const auto set = [&](const char* key, double number) {
    napi_value value = nullptr;
    napi_create_double(env, number, &value);
    napi_set_named_property(env, object, key, value);
  };
  set("errno", error.code_errno);
  set("eventIndex", error.event_index);
  set("cpu", error.cpu);
  set("pid", error.pid);
  napi_set_named_property(env, object, "operation", String(env, error.operation));
  napi_throw(env, object);
}

}  // namespace

ObjectBuilder& ObjectBuilder::Value(const char* key, napi_value value) {
  if (value != nullptr) napi_set_named_property(env_, object_, key, value);
  return *this;
}

ObjectBuilder& ObjectBuilder::Number(const char* key, double value) {
  napi_value number = nullptr;
  napi_create_double(env_, value, &number);
  return Value(key, number);
}

ObjectBuilder& ObjectBuilder::BigInt(const char* key, uint64_t value) {
  napi_value number = nullptr;
  napi_create_bigint_uint64(env_, value, &number);
  return Value(key, number);
}

ObjectBuilder& ObjectBuilder::Text(const char* key, const char* value) {
  return Value(key, String(env_, value));
}

napi_value TypedArrayToJs(napi_env env, napi_typedarray_type type, const void* data, size_t length,
                          size_t element_bytes) {
  const size_t bytes = length * element_bytes;
  void* copy = nullptr;
  napi_value buffer = nullptr, array = nullptr;
  if (napi_create_arraybuffer(env, bytes, &copy, &buffer) != napi_ok) return nullptr;
  if (bytes > 0) memcpy(copy, data, bytes);
  napi_create_typedarray(env, type, length, buffer, 0, &array);
  return array;
}

napi_value OpenedToJs(napi_env env, const Sampler& sampler) {
  const EventSet& events = *sampler.events();
  std::vector<std::vector<uint64_t>> ids(events.event_count());
  std::vector<uint64_t> sideband;
  for (const Instance& instance : events.instances()) {
    (instance.event < 0 ? sideband : ids[instance.event]).push_back(instance.id);
  }
  napi_value id_arrays = nullptr;
  napi_create_array_with_length(env, ids.size(), &id_arrays);
  for (uint32_t i = 0; i < ids.size(); i++) {
    napi_set_element(env, id_arrays, i, Ids(env, ids[i]));
  }
  // The whole system is task −1, which is no thread.
  std::vector<int32_t> tids = events.tasks();
  tids.erase(std::remove(tids.begin(), tids.end(), -1), tids.end());
  return ObjectBuilder(env)
      .Value("ids", id_arrays)
      .Value("sidebandIds", Ids(env, sideband))
      .Number("ringPages", events.ring_pages())
      .Number("sidebandPages", events.sideband_pages())
      .Number("childPid", sampler.child_pid())
      .Value("isSettled", BooleanToJs(env, events.settled()))
      .Value("tids",
             TypedArrayToJs(env, napi_int32_array, tids.data(), tids.size(), sizeof(int32_t)))
      .object();
}

napi_value TotalsToJs(napi_env env, const Totals& totals) {
  return ObjectBuilder(env)
      .Number("rounds", static_cast<double>(totals.rounds))
      .Number("bytes", static_cast<double>(totals.bytes))
      .Number("writtenBytes", static_cast<double>(totals.written_bytes))
      .Number("heldRounds", static_cast<double>(totals.held_rounds))
      .Number("samples", static_cast<double>(totals.counts.samples))
      .Number("lostRecords", static_cast<double>(totals.counts.lost_records))
      .Value("lostSamples", CountToJs(env, totals.lost_samples))
      .Number("lostSideband", static_cast<double>(totals.counts.lost_sideband))
      .Number("throttles", static_cast<double>(totals.counts.throttles))
      .Number("skippedBytes", static_cast<double>(totals.skipped_bytes))
      .object();
}

napi_value RecordingEndToJs(napi_env env, const RecordingEnd& end) {
  napi_value finals = nullptr;
  napi_create_array_with_length(env, end.finals.size(), &finals);
  for (size_t i = 0; i < end.finals.size(); i++) {
    const CounterReading& reading = end.finals[i];
    const napi_value final = ObjectBuilder(env)
                                 .BigInt("lost", reading.lost)
                                 .BigInt("value", reading.value)
                                 .BigInt("enabledNs", reading.enabled_ns)
                                 .BigInt("runningNs", reading.running_ns)
                                 .object();
    napi_set_element(env, finals, static_cast<uint32_t>(i), final);
  }
  return ObjectBuilder(env)
      .Text("kind", "recording-ended")
      .Text("reason", ReasonName(end.reason))
      .Number("errno", end.code_errno)
      .Value("totals", TotalsToJs(env, end.totals))
      .Value("finals", finals)
      .Number("dataEnd", static_cast<double>(end.data_end))
      .Value("roundEnds", RoundEndsToJs(env, end.round_ends))
      .Value("tasksLeft", BooleanToJs(env, end.tasks_left))
      .object();
}

napi_value SnapshotToJs(napi_env env, const WrittenSnapshot& snapshot) {
  return ObjectBuilder(env)
      .Text("kind", "snapshot-written")
      .Value("isWhole", BooleanToJs(env, snapshot.is_whole))
      .object();
}

napi_value SwitchedFileToJs(napi_env env, const SwitchedFile& file) {
  return ObjectBuilder(env)
      .Text("kind", "file-switched")
      .Value("totals", TotalsToJs(env, file.totals))
      .Number("dataEnd", static_cast<double>(file.data_end))
      .object();
}

napi_value ChildExitToJs(napi_env env, const ChildExit& exit) {
  return ObjectBuilder(env)
      .Text("kind", "child-exited")
      .Number("status", exit.status)
      .Number("signal", exit.signal)
      .object();
}

napi_value ExecFailureToJs(napi_env env, const ExecFailure& failure) {
  return ObjectBuilder(env)
      .Text("kind", "exec-failed")
      .Text("step", failure.step)
      .Text("code", ErrnoName(failure.code_errno).c_str())
      .object();
}

napi_value MappingsToJs(napi_env env, const Mail& mail) {
  const CodeMappings& mappings = mail.code_mappings;
  return ObjectBuilder(env)
      .Text("kind", "code-mapped")
      .Value("records", TypedArrayToJs(env, napi_uint8_array, mappings.records.data(),
                                       mappings.records.size(), 1))
      .Number("leftOut", static_cast<double>(mappings.left_out))
      .BigInt("sinceNs", mail.mappings_since_ns)
      .object();
}

napi_value ChunksToJs(napi_env env) {
  return ObjectBuilder(env).Text("kind", "chunks").object();
}

void ThrowError(napi_env env, const Error& error) {
  const std::string code = ErrnoName(error.code_errno);
  std::string message = std::string(error.operation) + ": " + strerror(error.code_errno);
  if (error.event_index >= 0) message += ", event " + std::to_string(error.event_index);
  if (error.cpu >= 0) message += ", CPU " + std::to_string(error.cpu);
  if (error.pid >= 0) message += ", pid " + std::to_string(error.pid);
  if (error.needed_fds > 0) {
    message += ", needs " + std::to_string(error.needed_fds) + " descriptors, RLIMIT_NOFILE is " +
               std::to_string(error.allowed_fds);
  }
  Throw(env, code, message, error);
}

void ThrowMisuse(napi_env env, const char* code, const char* message) {
  Throw(env, code, message, Error());
}

}  // namespace perf_ts
