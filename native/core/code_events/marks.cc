#include "marks.h"

#include <dlfcn.h>

#include "monotonic.h"
#include "record_writer.h"

namespace perf_ts {
namespace {

using code_stream::Mark;
using code_stream::MarkEnd;
using code_stream::Type;

template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

Marks::Functions Marks::FindFunctions() {
  return {Find<v8_abi::AddGcCallback>(v8_abi::kAddGcPrologue),
          Find<v8_abi::AddGcCallback>(v8_abi::kAddGcEpilogue),
          Find<v8_abi::RemoveGcCallback>(v8_abi::kRemoveGcPrologue),
          Find<v8_abi::RemoveGcCallback>(v8_abi::kRemoveGcEpilogue)};
}

void Marks::Start(void* isolate, Sender* sender) {
  sender_ = sender;
  v8_ = FindFunctions();
  if (!v8_.add_prologue || !v8_.add_epilogue || !v8_.remove_prologue || !v8_.remove_epilogue)
    return;
  isolate_ = isolate;
  v8_.add_prologue(isolate, OnGcBegin, this, v8_abi::kAllGcTypes);
  v8_.add_epilogue(isolate, OnGcEnd, this, v8_abi::kAllGcTypes);
}

void Marks::Stop() {
  sender_ = nullptr;
  if (isolate_ == nullptr) return;
  v8_.remove_prologue(isolate_, OnGcBegin, this);
  v8_.remove_epilogue(isolate_, OnGcEnd, this);
  isolate_ = nullptr;
}

void Marks::OnGcBegin(void*, int type, int, void* data) {
  auto* self = static_cast<Marks*>(data);
  // Callbacks of weak handles are announced within a collection; that is the span that counts.
  if (self->gc_begin_ns_ != 0) return;
  self->gc_begin_ns_ = NowNs();
  self->gc_type_ = type;
}

void Marks::OnGcEnd(void*, int type, int, void* data) {
  auto* self = static_cast<Marks*>(data);
  if (self->gc_begin_ns_ == 0 || type != self->gc_type_) return;
  const uint64_t length_ns = NowNs() - self->gc_begin_ns_;
  self->Write(self->gc_begin_ns_, length_ns, static_cast<uint32_t>(type), code_stream::kGcMark,
              nullptr, 0);
  self->gc_begin_ns_ = 0;
}

uint32_t Marks::Begin(uint32_t kind, const char* name, size_t size) {
  if (sender_ == nullptr) return 0;
  if (++last_id_ == 0) last_id_ = 1;
  Write(NowNs(), code_stream::kOpenMark, last_id_, kind, name, size);
  return last_id_;
}

void Marks::End(uint32_t id, uint32_t status, const char* name, size_t size) {
  if (sender_ == nullptr || id == 0) return;
  WriteLazily(sender_, Type::kMarkEnd, NowNs(), MarkEnd{id, status, static_cast<uint32_t>(size), 0},
              name, size);
}

void Marks::Add(uint32_t kind, uint64_t ago_ns, uint64_t length_ns, const char* name, size_t size) {
  if (sender_ == nullptr) return;
  Write(NowNs() - ago_ns, length_ns, 0, kind, name, size);
}

void Marks::Write(uint64_t begin_ns, uint64_t length_ns, uint32_t id, uint32_t kind,
                  const char* name, size_t size) {
  WriteLazily(sender_, Type::kMark, begin_ns,
              Mark{length_ns, id, static_cast<uint16_t>(kind), static_cast<uint16_t>(size)}, name,
              size);
}

}  // namespace perf_ts
