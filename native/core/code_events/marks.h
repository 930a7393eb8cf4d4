#pragma once

#include <cstddef>
#include <cstdint>

#include "sender.h"
#include "stream.h"
#include "v8_abi.h"

namespace perf_ts {

/**
 * Spans of time of one isolate with a name: garbage collections, which V8 announces, and what the
 * program's own side reports (`src/register/marks.cts`). Everything on the isolate's thread. A span
 * is written when it begins, so that one whose program dies is seen, or when it has ended.
 */
class Marks {
 public:
  Marks() = default;
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  /** Writes collections from now on. */
  void Start(void* isolate, Sender* sender);
  /** V8 forgets the callbacks. */
  void Stop();

  /** `kind`: `code_stream::Mark::kind`. Returns the number that `End` takes. */
  uint32_t Begin(uint32_t kind, const char* name, size_t size);
  /** `name`: a better one, known only now; may be empty. */
  void End(uint32_t id, uint32_t status, const char* name, size_t size);
  /** One that began `ago_ns` ago, and lasted for `length_ns`. */
  void Add(uint32_t kind, uint64_t ago_ns, uint64_t length_ns, const char* name, size_t size);

 private:
  /** V8's functions; null where this program does not export them. */
  struct Functions {
    v8_abi::AddGcCallback add_prologue;
    v8_abi::AddGcCallback add_epilogue;
    v8_abi::RemoveGcCallback remove_prologue;
    v8_abi::RemoveGcCallback remove_epilogue;
  };
  static Functions FindFunctions();
  static void OnGcBegin(void* isolate, int type, int flags, void* self);
  static void OnGcEnd(void* isolate, int type, int flags, void* self);
  void Write(uint64_t begin_ns, uint64_t length_ns, uint32_t id, uint32_t kind, const char* name,
             size_t size);

  Sender* sender_ = nullptr;
  /** Null where collections are not announced. */
  void* isolate_ = nullptr;
  Functions v8_ = {};
  uint64_t gc_begin_ns_ = 0;
  int gc_type_ = 0;
  uint32_t last_id_ = 0;
};

}  // namespace perf_ts
