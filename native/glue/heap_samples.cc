#include "heap_samples.h"

#include <dlfcn.h>

#include "../core/code_events/growable.h"
#include "../core/code_events/v8_abi.h"

namespace perf_ts {
namespace {

/** Frames of a stack. */
constexpr int kMostFrames = 128;

template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

void* Isolate() {
  const auto get = Find<v8_abi::GetCurrentIsolate>(v8_abi::kGetCurrentIsolate);
  return get == nullptr ? nullptr : get();
}

/** The heap profiler of the isolate; null where it is not known. */
void* HeapProfiler() {
  void* isolate = Isolate();
  const auto get = Find<v8_abi::GetHeapProfiler>(v8_abi::kGetHeapProfiler);
  return get == nullptr || isolate == nullptr ? nullptr : get(isolate);
}

/** A list of JavaScript that grows. */
class List {
 public:
  explicit List(napi_env env) : env_(env) { napi_create_array(env, &array_); }

  napi_value array() const { return array_; }

  void Add(napi_value value) { napi_set_element(env_, array_, size_++, value); }
  void Add(double number) {
    napi_value value;
    if (napi_create_double(env_, number, &value) == napi_ok) Add(value);
  }
  /** A text: a handle of V8 is a value of Node-API. */
  void Add(const v8_abi::HeapNode::Text* text) {
    napi_value value = reinterpret_cast<napi_value>(const_cast<v8_abi::HeapNode::Text*>(text));
    if (value == nullptr) napi_create_string_utf8(env_, "", 0, &value);
    Add(value);
  }

 private:
  napi_env env_;
  napi_value array_ = nullptr;
  uint32_t size_ = 0;
};

struct Visit {
  const v8_abi::HeapNode* node;
  double caller;
};

/** Adds the nodes, callers before callees. A list in place of recursion: stacks may be deep. */
void AddNodes(const v8_abi::HeapNode* root, List* nodes, List* allocations) {
  Growable<Visit> pending;
  pending.Push({root, -1});
  for (double row = 0; pending.size() > 0; row++) {
    const auto [node, caller] = pending[pending.size() - 1];
    pending.Resize(pending.size() - 1);
    nodes->Add(caller);
    nodes->Add(node->name);
    nodes->Add(node->script);
    nodes->Add(static_cast<double>(node->script_id));
    nodes->Add(static_cast<double>(node->position));
    nodes->Add(static_cast<double>(node->line));
    nodes->Add(static_cast<double>(node->column));
    for (const auto* it = node->allocations.begin; it != node->allocations.end; it++) {
      allocations->Add(row);
      allocations->Add(static_cast<double>(it->bytes));
      allocations->Add(static_cast<double>(it->count));
    }
    for (auto* it = node->children.begin; it != node->children.end; it++) pending.Push({*it, row});
  }
}

bool BoolAt(napi_env env, napi_value value) {
  bool is = false;
  return napi_get_value_bool(env, value, &is) == napi_ok && is;
}

}  // namespace

napi_value StartHeap(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2], started;
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  uint32_t interval = 0;
  void* profiler = HeapProfiler();
  const auto start = Find<v8_abi::StartHeapSampling>(v8_abi::kStartHeapSampling);
  const bool can = count == 2 && profiler != nullptr && start != nullptr &&
                   Find<v8_abi::GetHeapProfile>(v8_abi::kGetHeapProfile) != nullptr &&
                   Find<v8_abi::StopHeapSampling>(v8_abi::kStopHeapSampling) != nullptr &&
                   napi_get_value_uint32(env, arguments[0], &interval) == napi_ok && interval > 0;
  const int flags = BoolAt(env, arguments[1]) ? 0 : v8_abi::kWithCollected;
  napi_get_boolean(env, can && start(profiler, interval, kMostFrames, flags), &started);
  return started;
}

napi_value TakeHeap(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2], none;
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  napi_get_null(env, &none);
  void* profiler = HeapProfiler();
  const auto get = Find<v8_abi::GetHeapProfile>(v8_abi::kGetHeapProfile);
  const auto stop = Find<v8_abi::StopHeapSampling>(v8_abi::kStopHeapSampling);
  if (count < 2 || profiler == nullptr || get == nullptr || stop == nullptr) return none;
  const auto collect = Find<v8_abi::CollectGarbage>(v8_abi::kCollectGarbage);
  if (BoolAt(env, arguments[1]) && collect != nullptr) collect(Isolate());
  v8_abi::HeapProfile* profile = get(profiler);
  if (profile == nullptr) return none;
  List both(env), nodes(env), allocations(env);
  if (const auto* root = profile->methods->get_root(profile)) AddNodes(root, &nodes, &allocations);
  profile->methods->destroy(profile);
  if (BoolAt(env, arguments[0])) stop(profiler);
  both.Add(nodes.array());
  both.Add(allocations.array());
  return both.array();
}

}  // namespace perf_ts
