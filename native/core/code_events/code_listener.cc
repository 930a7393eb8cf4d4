#include "code_listener.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace perf_ts {
namespace {

using code_stream::Type;
using v8_abi::CodeEvent;
using v8_abi::CodeType;
using v8_abi::EventType;

/** Isolates of one process that are listened to: the main thread and its workers. */
constexpr int kMostListeners = 256;
std::atomic<CodeListener*> listeners[kMostListeners];
std::atomic<void*> isolates[kMostListeners];

constexpr size_t kMostNameBytes = 64u << 10;

uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

size_t RoundUp(size_t size) {
  return (size + 7) & ~size_t{7};
}

uint64_t Address(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

}  // namespace

CodeListener::V8 CodeListener::FindV8() {
  const auto find = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  return {reinterpret_cast<v8_abi::GetCurrentIsolate>(find(v8_abi::kGetCurrentIsolate)),
          reinterpret_cast<v8_abi::SetHandler>(find(v8_abi::kSetHandler)),
          reinterpret_cast<v8_abi::SetFlags>(find(v8_abi::kSetFlags))};
}

bool CodeListener::Start(bool existing) {
  void* isolate = v8_.get_current();
  for (auto& known : isolates) {
    if (known.load(std::memory_order_acquire) == isolate) return false;
  }
  for (int i = 0; i < kMostListeners; i++) {
    CodeListener* none = nullptr;
    if (!listeners[i].compare_exchange_strong(none, this)) continue;
    isolate_ = isolate;
    isolates[i].store(isolate, std::memory_order_release);
    code_stream::Header header = {{},
                                  static_cast<uint32_t>(getpid()),
                                  static_cast<uint32_t>(syscall(SYS_gettid)),
                                  NowNs(),
                                  0};
    memcpy(header.magic, code_stream::kMagic, sizeof header.magic);
    if (char* place = sender_.Begin(sizeof header)) {
      memcpy(place, &header, sizeof header);
      sender_.Commit();
    }
    v8_.set_handler(isolate, existing ? v8_abi::kEnumerateExisting : 0, OnEvent);
    WriteRecord(Type::kEnumerated, CodeType::kMachineCode, code_stream::Removed{0, 0}, nullptr, 0);
    return true;
  }
  return false;
}

void CodeListener::Stop() {
  if (isolate_ == nullptr) return;
  v8_.set_handler(isolate_, 0, nullptr);
  for (int i = 0; i < kMostListeners; i++) {
    if (listeners[i].load(std::memory_order_acquire) != this) continue;
    isolates[i].store(nullptr, std::memory_order_release);
    listeners[i].store(nullptr, std::memory_order_release);
  }
  WriteLost();
  isolate_ = nullptr;
}

void CodeListener::FlushAll() {
  for (auto& slot : listeners) {
    if (CodeListener* listener = slot.load(std::memory_order_acquire)) listener->sender_.Flush();
  }
}

void CodeListener::OnEvent(const CodeEvent* event) {
  for (int i = 0; i < kMostListeners; i++) {
    if (isolates[i].load(std::memory_order_acquire) != event->isolate) continue;
    if (CodeListener* listener = listeners[i].load(std::memory_order_acquire))
      listener->Write(*event);
    return;
  }
}

void CodeListener::Write(const CodeEvent& event) {
  const CodeType code_type = event.code_type;
  switch (event.type) {
    case EventType::kCodeAdded:
      return WriteAdded(event);
    case EventType::kCodeMoved:
      return WriteRecord(Type::kMoved, code_type,
                         code_stream::Moved{Address(event.code_start), event.code_length,
                                            Address(event.new_code_start)},
                         nullptr, 0);
    case EventType::kCodeRemoved:
      return WriteRecord(Type::kRemoved, code_type,
                         code_stream::Removed{Address(event.code_start), event.code_length},
                         nullptr, 0);
    case EventType::kLinesBegin:
    case EventType::kLinePosition:
    case EventType::kLinesEnd:
      return;
  }
}

void CodeListener::WriteAdded(const CodeEvent& event) {
  const size_t length = event.name.length < kMostNameBytes ? event.name.length : kMostNameBytes;
  WriteRecord(Type::kAdded, event.code_type,
              code_stream::Added{Address(event.code_start), event.code_length, length},
              event.name.text, length);
}

void CodeListener::WriteNote(const char* text, size_t size) {
  const size_t whole = RoundUp(sizeof(code_stream::Record) + size + 1);
  char* place = sender_.Begin(whole);
  if (place == nullptr) return;
  const code_stream::Record head = {static_cast<uint32_t>(whole), Type::kNote, 0, NowNs()};
  memset(place, '\n', whole);
  memcpy(place, &head, sizeof head);
  memcpy(place + sizeof head, text, size);
  sender_.Commit();
}

void CodeListener::WriteLost() {
  const uint64_t lost = sender_.TakeLost();
  if (lost > 0) {
    WriteRecord(Type::kLost, CodeType::kMachineCode, code_stream::Lost{lost}, nullptr, 0);
  }
}

template <typename Body>
void CodeListener::WriteRecord(Type type, CodeType code_type, const Body& body, const void* tail,
                               size_t tail_size) {
  const size_t size = RoundUp(sizeof(code_stream::Record) + sizeof body + tail_size);
  char* place = sender_.Begin(size);
  if (place == nullptr) return;
  const code_stream::Record head = {static_cast<uint32_t>(size), type,
                                    static_cast<uint16_t>(code_type), NowNs()};
  memset(place + size - 8, 0, 8);
  memcpy(place, &head, sizeof head);
  memcpy(place + sizeof head, &body, sizeof body);
  if (tail_size > 0) memcpy(place + sizeof head + sizeof body, tail, tail_size);
  sender_.Commit();
}

}  // namespace perf_ts
