#include <node_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <new>

#include "../core/code_events/code_listener.h"
#include "../core/code_events/request_listener.h"
#include "heap_samples.h"
#include "kept_stacks.h"
#include "unlisted_function.h"

/**
 * The library that a profiled program takes in:
 *
 *   start(socketPath, existing, onEnd, recorderPid)
 *                connects to a recorder and sends the isolate's code; throws otherwise
 *   sends()      whether it does so now
 *   begin(kind, name), begin(kind, method, path), end(id, status, name),
 *   add(kind, agoMs, lengthMs, name)
 *                marks: `src/register/marks.cts`
 *   findContextFrame(), contextMark(), readContext(), contextCell(), armContexts()
 *                contexts of samples: `src/register/contexts.cts`
 *   beginWork(object, kind, asker), endWork(address, kind, goesOn)
 *                work for libuv's pool, for the same
 *   microtask(), startStacks(Error, describe)
 *                functions that await the one that runs, for the same
 *   startHeap(…), takeHeap(…)
 *                samples of V8's heap: `heap_samples.h`
 *   stop()       ends it; also called when the recorder is gone, before `onEnd`
 *   listen(socketPath, onRequest)
 *                lets recorders ask for it, of this user and root; `onRequest` gets their line and
 *                returns the answer
 *   isDeaf(socketPath)
 *                whether a socket is there that nobody listens at
 *
 * Loaded once in each isolate that is to be listened to. It has no C++ runtime and names no C
 * library, so that one file loads under glibc and musl, and adds nothing to the program.
 */
namespace perf_ts {
namespace {

struct Instance {
  CodeListener* listener = nullptr;
  napi_threadsafe_function gone = nullptr;
  napi_ref on_end = nullptr;
  KeptStacks stacks;
};

constexpr size_t kMostPathBytes = 256;

napi_value Throw(napi_env env, const char* code, const char* message) {
  napi_throw_error(env, code, message);
  return nullptr;
}

napi_value ThrowErrno(napi_env env, const char* operation, int code_errno) {
  char message[160];
  snprintf(message, sizeof message, "%s: %s", operation, strerror(code_errno));
  char code[16];
  snprintf(code, sizeof code, "%d", code_errno);
  return Throw(env, code, message);
}

void DestroyListener(Instance* instance) {
  if (instance->listener == nullptr) return;
  instance->stacks.Detach();
  instance->listener->~CodeListener();
  free(instance->listener);
  instance->listener = nullptr;
}

/** Leaves nothing of a recording behind; on the isolate's thread. */
void End(napi_env env, Instance* instance) {
  DestroyListener(instance);
  if (instance->gone != nullptr) {
    napi_release_threadsafe_function(instance->gone, napi_tsfn_abort);
    instance->gone = nullptr;
  }
  if (instance->on_end != nullptr) {
    napi_delete_reference(env, instance->on_end);
    instance->on_end = nullptr;
  }
  instance->stacks.End(env);
}

/** Called on the isolate's thread. */
void EndAndNotify(napi_env env, Instance* instance) {
  napi_value on_end = nullptr;
  if (instance->on_end != nullptr) napi_get_reference_value(env, instance->on_end, &on_end);
  End(env, instance);
  napi_value receiver;
  if (on_end == nullptr || napi_get_undefined(env, &receiver) != napi_ok) return;
  napi_call_function(env, receiver, on_end, 0, nullptr, nullptr);
  ForgetException(env);
}

/** Called when the event loop turns after `OnGone`. `env` is null while the environment ends. */
void HearOfEnd(napi_env env, napi_value, void* context, void*) {
  if (env != nullptr) EndAndNotify(env, static_cast<Instance*>(context));
}

void OnGone(void* context) {
  napi_call_threadsafe_function(static_cast<Instance*>(context)->gone, nullptr,
                                napi_tsfn_nonblocking);
}

/** Called on the sender's thread. */
void OnLook(void* context, Sender::Look look) {
  CodeListener* listener = static_cast<Instance*>(context)->listener;
  if (!look.is_last) listener->contexts().stacks().Request();
  if (look.is_last) listener->turns().WriteOpen();
  listener->contexts().Drain();
  listener->Answer(look.question);
}

void CleanUp(void* data) {
  DestroyListener(static_cast<Instance*>(data));
}

Instance* InstanceOf(napi_env env) {
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  return static_cast<Instance*>(data);
}

napi_value Start(napi_env env, napi_callback_info info) {
  size_t count = 4;
  napi_value arguments[4];
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  char path[kMostPathBytes];
  size_t length = 0;
  bool existing = false;
  if (count < 2 ||
      napi_get_value_string_utf8(env, arguments[0], path, sizeof path, &length) != napi_ok ||
      napi_get_value_bool(env, arguments[1], &existing) != napi_ok) {
    return Throw(env, "ERR_INVALID_ARG_TYPE",
                 "start(path, existing, onEnd): expected a path, a boolean");
  }
  Instance* instance = InstanceOf(env);
  if (instance->listener != nullptr) {
    if (!instance->listener->sender().IsGone()) {
      return Throw(env, "EALREADY", "this thread's code is sent to a recorder already");
    }
    // A thread in an endless loop was not told: its event loop never turns.
    EndAndNotify(env, instance);
  }
  const CodeListener::V8 v8 = CodeListener::FindV8();
  if (!v8.is_complete()) {
    return Throw(env, "ENOSYS", "this program does not export V8's code event handler");
  }
  void* memory = malloc(sizeof(CodeListener));
  if (memory == nullptr) return ThrowErrno(env, "malloc", 12);
  auto* listener = new (memory) CodeListener(v8);
  instance->listener = listener;
  const char* operation = "";
  int32_t recorder = 0;
  if (count > 3) napi_get_value_int32(env, arguments[3], &recorder);
  const int refusal = listener->sender().Connect(path, recorder, &operation);
  if (refusal != 0) {
    End(env, instance);
    return ThrowErrno(env, operation, refusal);
  }
  if (count > 2) {
    napi_valuetype type;
    napi_typeof(env, arguments[2], &type);
    if (type == napi_function) napi_create_reference(env, arguments[2], 1, &instance->on_end);
  }
  instance->gone = CreateUnlistedFunction(env, nullptr, instance, HearOfEnd);
  if (instance->gone == nullptr) {
    End(env, instance);
    return Throw(env, "EAGAIN", "napi_create_threadsafe_function failed");
  }
  // Before Node ends the function, which the sender's thread calls: what is added last runs first.
  napi_remove_env_cleanup_hook(env, CleanUp, instance);
  napi_add_env_cleanup_hook(env, CleanUp, instance);
  if (const int failure = listener->sender().Start(OnGone, OnLook, instance)) {
    End(env, instance);
    return ThrowErrno(env, "pthread_create", failure);
  }
  if (!listener->Start(existing)) {
    End(env, instance);
    return Throw(env, "EBUSY", "this thread is listened to already, or too many are");
  }
  uv_loop_s* loop = nullptr;
  if (napi_get_uv_event_loop(env, &loop) == napi_ok) {
    listener->turns().Start(loop, listener->isolate(), &listener->sender());
  }
  return nullptr;
}

napi_value Note(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value text;
  napi_get_cb_info(env, info, &count, &text, nullptr, nullptr);
  size_t size = 0;
  Instance* instance = InstanceOf(env);
  if (count < 1 || napi_get_value_string_utf8(env, text, nullptr, 0, &size) != napi_ok) {
    return Throw(env, "ERR_INVALID_ARG_TYPE", "note(json): expected a text");
  }
  auto* bytes = static_cast<char*>(malloc(size + 1));
  if (bytes == nullptr || instance->listener == nullptr) {
    free(bytes);
    return nullptr;
  }
  napi_get_value_string_utf8(env, text, bytes, size + 1, &size);
  instance->listener->WriteNote(bytes, size);
  free(bytes);
  return nullptr;
}

napi_value SetInterpretedFrames(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr);
  bool on = false;
  const CodeListener::V8 v8 = CodeListener::FindV8();
  if (count < 1 || napi_get_value_bool(env, argument, &on) != napi_ok || !v8.is_complete()) {
    return nullptr;
  }
  CodeListener::SetInterpretedFrames(v8, on);
  return nullptr;
}

/** Bytes of a name of a mark; the rest is cut off, behind a whole character. */
constexpr size_t kMostMarkBytes = 400;
constexpr size_t kMostUrlBytes = 128;
struct MarkName {
  char text[kMostMarkBytes];
  size_t size = 0;
  /** Empty for what is no text. */
  MarkName(napi_env env, napi_value value) {
    if (napi_get_value_string_utf8(env, value, text, sizeof text, &size) != napi_ok) size = 0;
  }
  /** ` /path` behind a method, without the query. Two texts cost less than the sum of them. */
  void AddPath(napi_env env, napi_value path) {
    if (size + 1 + kMostUrlBytes >= sizeof text) return;
    char* place = text + size + 1;
    size_t length = 0;
    if (napi_get_value_string_utf8(env, path, place, kMostUrlBytes + 1, &length) != napi_ok) return;
    text[size] = ' ';
    const void* query = memchr(place, '?', length);
    size += 1 + (query == nullptr ? length : static_cast<const char*>(query) - place);
  }
};

/** The marks of an isolate that is recorded; else null. */
Marks* MarksOf(napi_env env) {
  const Instance* instance = InstanceOf(env);
  return instance->listener == nullptr ? nullptr : &instance->listener->marks();
}

napi_value BeginMark(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value arguments[3], id;
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  uint32_t kind = 0, number = 0;
  Marks* marks = MarksOf(env);
  if (marks != nullptr && napi_get_value_uint32(env, arguments[0], &kind) == napi_ok) {
    MarkName name(env, arguments[1]);
    if (count > 2) name.AddPath(env, arguments[2]);
    number = marks->Begin(kind, name.text, name.size);
  }
  napi_create_uint32(env, number, &id);
  return id;
}

napi_value EndMark(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value arguments[3];
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  uint32_t id = 0, status = 0;
  Marks* marks = MarksOf(env);
  if (marks == nullptr || napi_get_value_uint32(env, arguments[0], &id) != napi_ok) return nullptr;
  if (napi_get_value_uint32(env, arguments[1], &status) != napi_ok) status = 0;
  const MarkName name(env, arguments[2]);
  marks->End(id, status, name.text, name.size);
  return nullptr;
}

uint64_t NanosOf(napi_env env, napi_value value) {
  double ms = 0;
  const bool is_time = napi_get_value_double(env, value, &ms) == napi_ok && ms > 0 && ms < 1e12;
  return is_time ? static_cast<uint64_t>(ms * 1e6) : 0;
}

napi_value AddMark(napi_env env, napi_callback_info info) {
  size_t count = 4;
  napi_value arguments[4];
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  uint32_t kind = 0;
  Marks* marks = MarksOf(env);
  if (marks == nullptr || napi_get_value_uint32(env, arguments[0], &kind) != napi_ok)
    return nullptr;
  const MarkName name(env, arguments[3]);
  marks->Add(kind, NanosOf(env, arguments[1]), NanosOf(env, arguments[2]), name.text, name.size);
  return nullptr;
}

napi_value FindContextFrame(napi_env env, napi_callback_info) {
  const Instance* instance = InstanceOf(env);
  napi_value undefined, places;
  napi_get_undefined(env, &undefined);
  // A value of Node-API is a handle of V8.
  const uint64_t word = *reinterpret_cast<const uint64_t*>(undefined);
  const int count =
      instance->listener == nullptr ? 0 : instance->listener->contexts().FindFrame(word);
  napi_create_int32(env, count, &places);
  return places;
}

napi_value ContextMark(napi_env env, napi_callback_info) {
  const Instance* instance = InstanceOf(env);
  napi_value mark;
  napi_create_uint32(env, instance->listener == nullptr ? 0 : instance->listener->contexts().mark(),
                     &mark);
  return mark;
}

napi_value ReadContext(napi_env env, napi_callback_info) {
  const Instance* instance = InstanceOf(env);
  napi_value number;
  const uint32_t read =
      instance->listener == nullptr ? SampleContexts::kNone : instance->listener->contexts().Read();
  napi_create_uint32(env, read, &number);
  return number;
}

napi_value ContextCell(napi_env env, napi_callback_info) {
  const Instance* instance = InstanceOf(env);
  uint32_t* cell = instance->listener == nullptr ? nullptr : instance->listener->contexts().Cell();
  napi_value buffer;
  if (cell == nullptr || napi_create_external_arraybuffer(env, cell, sizeof *cell, nullptr, nullptr,
                                                          &buffer) != napi_ok) {
    return nullptr;
  }
  return buffer;
}

napi_value ArmContexts(napi_env env, napi_callback_info) {
  const Instance* instance = InstanceOf(env);
  napi_value armed;
  napi_get_boolean(env, instance->listener != nullptr && instance->listener->contexts().Arm(),
                   &armed);
  return armed;
}

napi_value Microtask(napi_env env, napi_callback_info) {
  const Instance* instance = InstanceOf(env);
  uint64_t finished = AsyncStacks::kNone;
  if (instance->listener != nullptr) {
    AsyncStacks& stacks = instance->listener->contexts().stacks();
    stacks.FindQueue();
    finished = stacks.Microtask();
  }
  napi_value number;
  napi_create_double(env, finished == AsyncStacks::kNone ? -1 : static_cast<double>(finished),
                     &number);
  return number;
}

napi_value StartStacks(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  Instance* instance = InstanceOf(env);
  if (instance->listener == nullptr || instance->stacks.is_begun()) return nullptr;
  AsyncStacks* stacks = &instance->listener->contexts().stacks();
  if (!instance->stacks.Begin(env, arguments[0], arguments[1], stacks)) return nullptr;
  // Before Node ends the function, as `Start` does.
  napi_remove_env_cleanup_hook(env, CleanUp, instance);
  napi_add_env_cleanup_hook(env, CleanUp, instance);
  return nullptr;
}

napi_value BeginWork(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value arguments[3], address;
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  const Instance* instance = InstanceOf(env);
  uint32_t kind = 0;
  double asker = 0;
  uint64_t begun = 0;
  if (instance->listener != nullptr && napi_get_value_uint32(env, arguments[1], &kind) == napi_ok &&
      napi_get_value_double(env, arguments[2], &asker) == napi_ok && asker >= 0) {
    // A value of Node-API is a handle of V8.
    const uint64_t word = *reinterpret_cast<const uint64_t*>(arguments[0]);
    begun = instance->listener->contexts().BeginWork(word, kind, static_cast<uint64_t>(asker));
  }
  napi_create_double(env, static_cast<double>(begun), &address);
  return address;
}

napi_value EndWork(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value arguments[3];
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  const Instance* instance = InstanceOf(env);
  double address = 0;
  uint32_t kind = 0;
  bool goes_on = false;
  uv_loop_s* loop = nullptr;
  if (instance->listener != nullptr &&
      napi_get_value_double(env, arguments[0], &address) == napi_ok && address >= 0 &&
      napi_get_value_uint32(env, arguments[1], &kind) == napi_ok &&
      napi_get_value_bool(env, arguments[2], &goes_on) == napi_ok &&
      napi_get_uv_event_loop(env, &loop) == napi_ok) {
    instance->listener->contexts().EndWork(static_cast<uint64_t>(address), kind, goes_on,
                                           reinterpret_cast<uint64_t>(loop));
  }
  return nullptr;
}

napi_value Sends(napi_env env, napi_callback_info) {
  const Instance* instance = InstanceOf(env);
  napi_value sends;
  napi_get_boolean(env, instance->listener != nullptr && !instance->listener->sender().IsGone(),
                   &sends);
  return sends;
}

/** The one listener of this process. */
RequestListener request_listener;
napi_threadsafe_function requests = nullptr;

void CloseListener(void*) {
  request_listener.Close();
}

/** Called on the main thread. `env` is null while the environment ends. */
void AnswerRequest(napi_env env, napi_value on_request, void*, void* data) {
  auto* request = static_cast<Request*>(data);
  constexpr size_t kMostAnswerBytes = 4096;
  char answer[kMostAnswerBytes];
  size_t size = 0;
  napi_value receiver, text, returned;
  if (env != nullptr && napi_get_undefined(env, &receiver) == napi_ok &&
      napi_create_string_utf8(env, request->text, request->size, &text) == napi_ok &&
      napi_call_function(env, receiver, on_request, 1, &text, &returned) == napi_ok &&
      napi_get_value_string_utf8(env, returned, answer, sizeof answer, &size) != napi_ok) {
    size = 0;
  }
  request->Answer(answer, size);
}

void OnRequest(void*, Request* request) {
  const auto mode = napi_tsfn_nonblocking;
  if (napi_call_threadsafe_function(requests, request, mode) != napi_ok) request->Answer("", 0);
}

napi_value Listen(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  char path[kMostPathBytes];
  size_t length = 0;
  if (count < 2 ||
      napi_get_value_string_utf8(env, arguments[0], path, sizeof path, &length) != napi_ok) {
    return Throw(env, "ERR_INVALID_ARG_TYPE", "listen(path, onRequest): expected a path");
  }
  if (requests != nullptr) return Throw(env, "EALREADY", "this process listens already");
  requests = CreateUnlistedFunction(env, arguments[1], nullptr, AnswerRequest);
  if (requests == nullptr) {
    return Throw(env, "EAGAIN", "napi_create_threadsafe_function failed");
  }
  napi_add_env_cleanup_hook(env, CloseListener, nullptr);
  const char* operation = "";
  const int failure = request_listener.Listen(path, OnRequest, nullptr, &operation);
  if (failure == 0) return nullptr;
  napi_release_threadsafe_function(requests, napi_tsfn_abort);
  requests = nullptr;
  napi_remove_env_cleanup_hook(env, CloseListener, nullptr);
  return ThrowErrno(env, operation, failure);
}

napi_value IsDeaf(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument, is_deaf;
  napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr);
  char path[kMostPathBytes];
  size_t length = 0;
  const bool is_given =
      count > 0 && napi_get_value_string_utf8(env, argument, path, sizeof path, &length) == napi_ok;
  napi_get_boolean(env, is_given && RequestListener::IsDeaf(path), &is_deaf);
  return is_deaf;
}

napi_value Stop(napi_env env, napi_callback_info) {
  End(env, InstanceOf(env));
  return nullptr;
}

void Export(napi_env env, napi_value exports, const char* name, napi_callback callback) {
  napi_value function;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, nullptr, &function) != napi_ok)
    return;
  napi_set_named_property(env, exports, name, function);
}

/** `process.exit()` ends no environment: what is queued would be lost with the thread that sends
 * it. */
__attribute__((destructor)) void FlushAtExit() {
  CodeListener::FlushAll();
  request_listener.Close();
}

}  // namespace
}  // namespace perf_ts

NAPI_MODULE_INIT() {
  using namespace perf_ts;
  void* memory = malloc(sizeof(Instance));
  if (memory == nullptr) return exports;
  auto* instance = new (memory) Instance();
  napi_set_instance_data(
      env, instance, [](napi_env, void* data, void*) { free(data); }, nullptr);
  napi_add_env_cleanup_hook(env, CleanUp, instance);
  Export(env, exports, "start", Start);
  Export(env, exports, "setInterpretedFrames", SetInterpretedFrames);
  Export(env, exports, "note", Note);
  Export(env, exports, "listen", Listen);
  Export(env, exports, "isDeaf", IsDeaf);
  Export(env, exports, "sends", Sends);
  Export(env, exports, "begin", BeginMark);
  Export(env, exports, "end", EndMark);
  Export(env, exports, "add", AddMark);
  Export(env, exports, "findContextFrame", FindContextFrame);
  Export(env, exports, "contextMark", ContextMark);
  Export(env, exports, "readContext", ReadContext);
  Export(env, exports, "contextCell", ContextCell);
  Export(env, exports, "armContexts", ArmContexts);
  Export(env, exports, "microtask", Microtask);
  Export(env, exports, "startStacks", StartStacks);
  Export(env, exports, "beginWork", BeginWork);
  Export(env, exports, "endWork", EndWork);
  Export(env, exports, "startHeap", StartHeap);
  Export(env, exports, "takeHeap", TakeHeap);
  Export(env, exports, "stop", Stop);
  return exports;
}
