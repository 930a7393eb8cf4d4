#pragma once

#include <cstddef>
#include <cstdint>

/**
 * The part of V8's embedder interface that this library uses, as Node 18 to 26 lay it out on 64-bit
 * machines. The functions are looked up by name when the library is loaded, so that one binary
 * serves all of these versions; V8's headers are not included.
 *
 * Specification: `struct JitCodeEvent` in V8's include/v8-callbacks.h, and `Isolate` in
 * include/v8-isolate.h.
 */
namespace perf_ts::v8_abi {

enum class EventType : int {
  kCodeAdded = 0,
  kCodeMoved = 1,
  kCodeRemoved = 2,
  kLinePosition = 3,
  kLinesBegin = 4,
  kLinesEnd = 5,
};

enum class CodeType : int { kByteCode = 0, kMachineCode = 1, kWebAssembly = 2 };

struct CodeEvent {
  EventType type;
  CodeType code_type;
  /** First instruction; of bytecode: its first byte. */
  void* code_start;
  size_t code_length;
  /** Handle of the function's SharedFunctionInfo; null where the code is of no script. */
  void* script;
  /** Output of kLinesBegin; kLinePosition and kLinesEnd have what it left there. */
  void* user_data;
  void* wasm_source_info;
  union {
    /** Name of kCodeAdded; not terminated. */
    struct {
      const char* text;
      size_t length;
    } name;
    /** Position of kLinePosition. */
    struct {
      /** Bytes from the start of the code. */
      size_t offset;
      /** Characters from the start of the script. */
      size_t position;
      int position_type;
    } line;
    /** New address of kCodeMoved. */
    void* new_code_start;
  };
  void* isolate;
};

using Handler = void (*)(const CodeEvent*);

/** `v8::Isolate::GetCurrent()`. */
using GetCurrentIsolate = void* (*)();
inline constexpr char kGetCurrentIsolate[] = "_ZN2v87Isolate10GetCurrentEv";

/** `v8::Isolate::SetJitCodeEventHandler(options, handler)`; one handler per isolate. */
using SetHandler = void (*)(void* isolate, int options, Handler);
inline constexpr char kSetHandler[] =
    "_ZN2v87Isolate22SetJitCodeEventHandlerENS_19JitCodeEventOptionsEPFvPKNS_12JitCodeEventEE";

/** `v8::V8::SetFlagsFromString(flags)`. */
using SetFlags = void (*)(const char* flags);
inline constexpr char kSetFlags[] = "_ZN2v82V818SetFlagsFromStringEPKc";

/** `v8::UnboundScript::GetId()`: of the script of a handle. It allocates nothing. */
using GetScriptId = int (*)(void* script);
inline constexpr char kGetScriptId[] = "_ZNK2v813UnboundScript5GetIdEv";

/** `v8::V8::GetVersion()`: `11.3.244.8-node.38`. */
using GetVersion = const char* (*)();
inline constexpr char kGetVersion[] = "_ZN2v82V810GetVersionEv";

/** `v8::ScriptCompiler::CachedDataVersionTag()`: a hash of V8's version, its flags and the CPU. */
using GetVersionTag = uint32_t (*)();
inline constexpr char kGetVersionTag[] = "_ZN2v814ScriptCompiler20CachedDataVersionTagEv";

/** `v8::MemoryRange`. */
struct MemoryRange {
  const void* start;
  size_t length;
};

/** `v8::Isolate::CopyCodePages(capacity, pages)`: where code lies, most of it not mapped. */
using GetCodePages = size_t (*)(void* isolate, size_t capacity, MemoryRange* pages);
inline constexpr char kGetCodePages[] = "_ZN2v87Isolate13CopyCodePagesEmPNS_11MemoryRangeE";

/** `v8::Isolate::AddBeforeCallEnteredCallback(callback)`: V8 calls it before it runs JavaScript for
 * the program's native code. */
using EnterCallback = void (*)(void* isolate);
using ChangeEnterCallback = void (*)(void* isolate, EnterCallback);
inline constexpr char kAddEnterCallback[] = "_ZN2v87Isolate28AddBeforeCallEnteredCallbackEPFvPS0_E";
inline constexpr char kRemoveEnterCallback[] =
    "_ZN2v87Isolate31RemoveBeforeCallEnteredCallbackEPFvPS0_E";

/** `v8::Isolate::GCCallbackWithData`; the type is a `v8::GCType`. */
using GcCallback = void (*)(void* isolate, int type, int flags, void* data);

/** `v8::Isolate::AddGCPrologueCallback(callback, data, types)`, and its like. */
using AddGcCallback = void (*)(void* isolate, GcCallback, void* data, int types);
using RemoveGcCallback = void (*)(void* isolate, GcCallback, void* data);
inline constexpr char kAddGcPrologue[] =
    "_ZN2v87Isolate21AddGCPrologueCallbackEPFvPS0_NS_6GCTypeENS_15GCCallbackFlagsEPvES4_S2_";
inline constexpr char kAddGcEpilogue[] =
    "_ZN2v87Isolate21AddGCEpilogueCallbackEPFvPS0_NS_6GCTypeENS_15GCCallbackFlagsEPvES4_S2_";
inline constexpr char kRemoveGcPrologue[] =
    "_ZN2v87Isolate24RemoveGCPrologueCallbackEPFvPS0_NS_6GCTypeENS_15GCCallbackFlagsEPvES4_";
inline constexpr char kRemoveGcEpilogue[] =
    "_ZN2v87Isolate24RemoveGCEpilogueCallbackEPFvPS0_NS_6GCTypeENS_15GCCallbackFlagsEPvES4_";
/** `v8::kGCTypeAll` of every version. */
inline constexpr int kAllGcTypes = 31;
/** Kinds that move objects: scavenges, minor mark-sweep and mark-compact. */
inline constexpr int kMovingGcTypes = 7;

/** `v8::Isolate::GetContinuationPreservedEmbedderData()`: a handle; Node's frame of contexts. */
using GetEmbedderData = const uint64_t* (*)(void* isolate);
inline constexpr char kGetEmbedderData[] = "_ZN2v87Isolate36GetContinuationPreservedEmbedderDataEv";

/** `v8::Isolate::GetCurrentContext()`: a handle. */
using GetCurrentContext = void* (*)(void* isolate);
inline constexpr char kGetCurrentContext[] = "_ZN2v87Isolate17GetCurrentContextEv";

/** `v8::Context::GetMicrotaskQueue()`. */
using GetMicrotaskQueue = void* (*)(void* context);
inline constexpr char kGetMicrotaskQueue[] = "_ZN2v87Context17GetMicrotaskQueueEv";

/** `v8::Isolate::RequestInterrupt(callback, data)`, on any thread; called within code. */
using RequestInterrupt = void (*)(void* isolate, void (*)(void* isolate, void* data), void* data);
inline constexpr char kRequestInterrupt[] = "_ZN2v87Isolate16RequestInterruptEPFvPS0_PvES2_";

/** `v8::Isolate::GetHeapProfiler()`. */
using GetHeapProfiler = void* (*)(void* isolate);
inline constexpr char kGetHeapProfiler[] = "_ZN2v87Isolate15GetHeapProfilerEv";

/** `v8::HeapProfiler::StartSamplingHeapProfiler(interval, depth, flags)`; false: it does so
 * already. */
using StartHeapSampling = bool (*)(void* profiler, uint64_t interval, int depth, int flags);
inline constexpr char kStartHeapSampling[] =
    "_ZN2v812HeapProfiler25StartSamplingHeapProfilerEmiNS0_13SamplingFlagsE";
/** Flags: what a collection of either kind has taken stays among the samples. */
inline constexpr int kWithCollected = 6;

using StopHeapSampling = void (*)(void* profiler);
inline constexpr char kStopHeapSampling[] = "_ZN2v812HeapProfiler24StopSamplingHeapProfilerEv";

/** The begin of a `std::vector` of each C++ library. */
template <typename Item>
struct Vector {
  Item* begin;
  Item* end;
  Item* capacity;
};

/** `v8::AllocationProfile::Node`. */
struct HeapNode {
  struct Text;
  struct Allocation {
    size_t bytes;
    unsigned int count;
  };
  /** Handles. */
  const Text* name;
  const Text* script;
  int script_id;
  int position;
  /** Line and column, from 1; 0: not known. */
  int line;
  int column;
  uint32_t id;
  Vector<HeapNode*> children;
  Vector<Allocation> allocations;
};

/** `v8::AllocationProfile`: its table of virtual functions. */
struct HeapProfile {
  struct Methods {
    HeapNode* (*get_root)(HeapProfile*);
    void* get_samples;
    void* destroy_in_place;
    void (*destroy)(HeapProfile*);
  };
  const Methods* methods;
};

/** `v8::HeapProfiler::GetAllocationProfile()`; null: nothing is sampled. */
using GetHeapProfile = HeapProfile* (*)(void* profiler);
inline constexpr char kGetHeapProfile[] = "_ZN2v812HeapProfiler20GetAllocationProfileEv";

/** `v8::Isolate::LowMemoryNotification()`: collects all garbage. */
using CollectGarbage = void (*)(void* isolate);
inline constexpr char kCollectGarbage[] = "_ZN2v87Isolate21LowMemoryNotificationEv";

/** A `position_type`: every entry of a table is reported so, statements once more before. */
inline constexpr int kAnyPosition = 0;

/** An option: the handler is called at once for all code that exists. */
inline constexpr int kEnumerateExisting = 1;

}  // namespace perf_ts::v8_abi
