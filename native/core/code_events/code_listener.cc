#include "code_listener.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "flag_hash.h"
#include "monotonic.h"
#include "record_writer.h"
#include "v8_memory.h"

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
/** Places with code of one isolate: V8's own builtins, and one for all that is compiled. */
constexpr size_t kMostPages = 16;
/**
 * V8 makes its first code here, below a head and, in V8 10, what its snapshot has. A worker has 350
 * of them where each function that Node's start has compiled has an entry of its own (V8 10 to 12).
 */
constexpr size_t kFirstPages = 1024;
constexpr size_t kPageBytes = 4096;
/** Node's loader of its own modules is what V8 has compiled before a preload runs. */
constexpr char kBootstrapName[] = "JS:^(bootstrap) node:internal/bootstrap:1:1";
/** Scripts of higher numbers have no lines. */
constexpr uint32_t kMostScripts = 1u << 24;

/** Whether V8 was told to make no machine code at run time, by whatever way it was told. */
bool IsJitless(const CodeListener::V8& v8) {
  if (v8.get_version_tag == nullptr) return false;
  // The tag has a hash of all flags that differ from their defaults. No flag changes where none is
  // set.
  const uint32_t before = v8.get_version_tag();
  v8.set_flags("--no-jitless");
  if (v8.get_version_tag() == before) return false;
  v8.set_flags("--jitless");
  return true;
}

/** The mark in a name of who made the code: `JS:~f …`, `JS:^f …`, `JS:+f …`, `JS:*f …`, `JS:o*f
 * …`. */
char SignOf(const CodeEvent& event) {
  const char* text = event.name.text;
  const char* end = text + event.name.length;
  while (text < end && *text != ':') text++;
  text++;
  if (text < end && *text == 'o') text++;
  return text < end ? *text : '\0';
}

/** Whether some code is of a script inside Node: `JS:~resolve node:path:…`. */
bool IsOfNode(const CodeEvent& event) {
  constexpr char kScheme[] = " node:";
  constexpr size_t kLength = sizeof kScheme - 1;
  for (size_t i = 0; i + kLength < event.name.length; i++) {
    if (event.name.text[i] == ' ' && memcmp(event.name.text + i, kScheme, kLength) == 0)
      return true;
  }
  return false;
}

/** Whether some machine code is an interpreted function's own entry to the interpreter. */
bool IsEntry(const CodeEvent& event) {
  return event.code_type == CodeType::kMachineCode && event.script != nullptr &&
         SignOf(event) == '~';
}

/**
 * The place in the name of evaluated code at which the name of its script is missing: behind the
 * space in `JS:*f :3:18`. 0: none.
 */
size_t PlaceWithoutScript(const char* name, size_t length) {
  size_t at = length;
  while (at > 0 && ((name[at - 1] >= '0' && name[at - 1] <= '9') || name[at - 1] == ':')) at--;
  return at > 0 && at < length && name[at - 1] == ' ' && name[at] == ':' ? at : 0;
}

uint64_t Address(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

}  // namespace

CodeListener::V8 CodeListener::FindV8() {
  const auto find = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  return {reinterpret_cast<v8_abi::GetCurrentIsolate>(find(v8_abi::kGetCurrentIsolate)),
          reinterpret_cast<v8_abi::SetHandler>(find(v8_abi::kSetHandler)),
          reinterpret_cast<v8_abi::SetFlags>(find(v8_abi::kSetFlags)),
          reinterpret_cast<v8_abi::GetScriptId>(find(v8_abi::kGetScriptId)),
          reinterpret_cast<v8_abi::GetVersionTag>(find(v8_abi::kGetVersionTag)),
          reinterpret_cast<v8_abi::GetCodePages>(find(v8_abi::kGetCodePages))};
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
    heap_.FindLayout();
    scripts_.FindLayout();
    UnlistedCode unlisted(&heap_);
    thread_ = pthread_self();
    if (existing) listing_ = &unlisted;
    v8_.set_handler(isolate, existing ? v8_abi::kEnumerateExisting : 0, OnEvent);
    listing_ = nullptr;
    if (existing) {
      WriteUnlisted(&unlisted);
    } else {
      WriteBootstrap();
    }
    marks_.Start(isolate, &sender_);
    contexts_.Start(isolate, &sender_);
    WriteRecord(Type::kEnumerated, CodeType::kMachineCode, code_stream::Removed{0, 0}, nullptr, 0);
    is_listed_.store(true, std::memory_order_release);
    return true;
  }
  return false;
}

CodeListener::~CodeListener() {
  Stop();
  pthread_mutex_destroy(&mutex_);
}

void CodeListener::Stop() {
  if (isolate_ == nullptr) return;
  turns_.Stop();
  contexts_.Stop();
  marks_.Stop();
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
  const uint64_t deadline_ns = Sender::FlushDeadlineNs();
  for (auto& slot : listeners) {
    CodeListener* listener = slot.load(std::memory_order_acquire);
    if (listener == nullptr) continue;
    listener->turns_.WriteOpen();
    listener->contexts_.Drain();
    listener->sender_.Flush(deadline_ns);
  }
}

void CodeListener::SetInterpretedFrames(const V8& v8, bool on) {
  // The flag is of all isolates.
  static std::atomic<bool> is_on;
  if (is_on.exchange(on) == on) return;
  constexpr char kOn[] = "--interpreted-frames-native-stack";
  constexpr char kOff[] = "--no-interpreted-frames-native-stack";
  if (!on) return v8.set_flags(kOff);
  if (IsJitless(v8)) return;
  SetFlagWithinHash(v8.set_flags, v8.get_version_tag, kOn, kOff);
}

void CodeListener::OnEvent(const CodeEvent* event) {
  for (int i = 0; i < kMostListeners; i++) {
    if (isolates[i].load(std::memory_order_acquire) != event->isolate) continue;
    CodeListener* listener = listeners[i].load(std::memory_order_acquire);
    // The locks of a process that another has forked may be held for ever.
    if (listener != nullptr && listener->sender_.IsOfThisProcess()) listener->Write(*event);
    return;
  }
}

void CodeListener::Write(const CodeEvent& event) {
  const CodeType code_type = event.code_type;
  switch (event.type) {
    case EventType::kCodeAdded:
      if (pthread_equal(pthread_self(), thread_) && listing_ != nullptr) listing_->Note(event);
      WriteAdded(event);
      WritePositions(event);
      // The caller comes behind the work, so that samples of it are in front. The entry of a
      // function that is compiled to bytecode comes together with that.
      if (listing_ == nullptr && pthread_equal(pthread_self(), thread_) && !IsEntry(event)) {
        WriteCallers();
      }
      return;
    case EventType::kCodeMoved:
      if (code_type == CodeType::kByteCode)
        heap_.MoveBytecode(event.code_start, event.new_code_start);
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
      return TakePositions(event);
  }
}

void CodeListener::TakePositions(const CodeEvent& event) {
  if (event.type == EventType::kLinesBegin) {
    const bool is_taken = v8_.get_script_id != nullptr &&
                          event.code_type == CodeType::kMachineCode &&
                          pthread_mutex_trylock(&mutex_) == 0;
    if (is_taken) reported_.Clear();
    // The place in which V8 wants the handler's own pointer is part of its event.
    const_cast<CodeEvent&>(event).user_data = is_taken ? this : nullptr;
    return;
  }
  if (event.user_data != this) return;
  if (event.type == EventType::kLinesEnd) {
    reported_start_ = event.code_start;
    pthread_mutex_unlock(&mutex_);
  } else if (event.line.position_type == v8_abi::kAnyPosition &&
             reported_.size() < kMostCodePositions) {
    // Without memory the rest has no lines.
    static_cast<void>(reported_.Push(
        {static_cast<uint32_t>(event.line.offset), static_cast<int32_t>(event.line.position), -1}));
  }
}

void CodeListener::WriteUnlisted(UnlistedCode* unlisted) {
  if (v8_.get_code_pages == nullptr) return;
  v8_abi::MemoryRange pages[kMostPages];
  const size_t there = v8_.get_code_pages(isolate_, kMostPages, pages);
  unlisted->Find(
      pages, there < kMostPages ? there : kMostPages,
      [](void* self, const CodeEvent& event) { static_cast<CodeListener*>(self)->Write(event); },
      this);
}

void CodeListener::WriteBootstrap() {
  if (v8_.get_code_pages == nullptr) return;
  v8_abi::MemoryRange pages[kMostPages];
  const size_t there = v8_.get_code_pages(isolate_, kMostPages, pages);
  for (size_t i = 0; i < there && i < kMostPages; i++) {
    const uint64_t start = Address(pages[i].start) & ~uint64_t{kPageBytes - 1};
    const size_t most = std::min(kFirstPages, pages[i].length / kPageBytes);
    unsigned char residence[kFirstPages];
    // V8's own builtins lie in the program's file.
    if (IsInFile(Address(pages[i].start))) continue;
    if (mincore(reinterpret_cast<void*>(start), most * kPageBytes, residence) != 0) continue;
    size_t count = most;
    while (count > 0 && (residence[count - 1] & 1) == 0) count--;
    if (count == 0) continue;
    const code_stream::Added code = {start, count * kPageBytes, sizeof kBootstrapName - 1};
    WriteRecord(Type::kAdded, CodeType::kMachineCode, code, kBootstrapName, code.name_length);
  }
}

void CodeListener::WriteAdded(const CodeEvent& event) {
  const size_t length = event.name.length < kMostNameBytes ? event.name.length : kMostNameBytes;
  const size_t place = event.script == nullptr ? 0 : PlaceWithoutScript(event.name.text, length);
  if (place == 0) return WriteAdded(event, event.name.text, length);
  pthread_mutex_lock(&mutex_);
  const size_t url = scripts_.ReadSourceUrl(event.script, &bytes_) ? bytes_.size() : 0;
  if (url == 0 || url + length > kMostNameBytes || !bytes_.Resize(url + length)) {
    WriteAdded(event, event.name.text, length);
  } else {
    uint8_t* name = bytes_.data();
    memmove(name + place, name, url);
    memcpy(name, event.name.text, place);
    memcpy(name + place + url, event.name.text + place, length - place);
    WriteAdded(event, reinterpret_cast<const char*>(name), url + length);
  }
  pthread_mutex_unlock(&mutex_);
}

void CodeListener::WriteAdded(const CodeEvent& event, const char* name, size_t length) {
  WriteRecord(Type::kAdded, event.code_type,
              code_stream::Added{Address(event.code_start), event.code_length, length}, name,
              length);
}

void CodeListener::WritePositions(const CodeEvent& event) {
  if (event.script == nullptr || v8_.get_script_id == nullptr) return;
  pthread_mutex_lock(&mutex_);
  const int flags = FindPositions(event);
  bytes_.Clear();
  if (flags >= 0 && positions_.size() > 0 && EncodePositions(positions_, &bytes_)) {
    const auto script = static_cast<uint32_t>(v8_.get_script_id(event.script));
    const auto size = static_cast<uint32_t>(bytes_.size());
    WriteRecord(
        Type::kPositions, event.code_type,
        code_stream::Positions{Address(event.code_start), script, static_cast<uint32_t>(flags),
                               static_cast<uint32_t>(positions_.size()), size},
        bytes_.data(), size);
    WriteScript(event, script);
  }
  reported_start_ = nullptr;
  pthread_mutex_unlock(&mutex_);
}

void CodeListener::WriteCallers() {
  pthread_mutex_lock(&mutex_);
  code_stream::Caller callers[V8Heap::kMostCallers];
  const size_t count = heap_.FindCallers(__builtin_frame_address(0), callers);
  const uint64_t now_ns = NowNs();
  for (size_t i = 0; i < count; i++) {
    perf_ts::WriteRecord(&sender_, Type::kCaller, static_cast<uint16_t>(CodeType::kByteCode),
                         now_ns, callers[i], nullptr, 0);
  }
  pthread_mutex_unlock(&mutex_);
}

int CodeListener::FindPositions(const CodeEvent& event) {
  if (event.code_type == CodeType::kByteCode) {
    // It reports what was inlined; of Node's own functions that is not worth the time at start.
    if (IsOfNode(event)) return -1;
    heap_.NoteBytecode(event.code_start);
    return heap_.ReadBytecodePositions(event.code_start, event.code_length, &positions_) ? 0 : -1;
  }
  const char sign = SignOf(event);
  if (sign == '^') {
    return heap_.ReadBaselinePositions(event.code_start, event.code_length, &positions_)
               ? code_stream::kKnowsInlining
               : -1;
  }
  // Other code has no table.
  if (sign != '*' && sign != '+') return -1;
  const bool is_reported = reported_start_ == event.code_start && reported_.size() > 0;
  if (is_reported) heap_.Confirm(event.code_start, event.code_length, reported_);
  if (heap_.ReadCodePositions(event.code_start, event.code_length, &positions_)) {
    return code_stream::kKnowsInlining;
  }
  if (!is_reported) return -1;
  positions_.Clear();
  for (size_t i = 0; i < reported_.size(); i++) {
    if (!positions_.Push(reported_[i])) return -1;
  }
  return 0;
}

void CodeListener::WriteScript(const CodeEvent& event, uint32_t script) {
  if (!IsNewScript(script)) return;
  bytes_.Clear();
  if (scripts_.ReadLineEnds(event.script, &line_ends_)) {
    int32_t last = 0;
    bool is_whole = true;
    for (size_t i = 0; i < line_ends_.size() && is_whole; i++) {
      is_whole = PushVarint(static_cast<uint64_t>(line_ends_[i] - last), &bytes_);
      last = line_ends_[i];
    }
    const auto count = static_cast<uint32_t>(line_ends_.size());
    if (is_whole) {
      WriteRecord(Type::kLineEnds, event.code_type,
                  code_stream::LineEnds{script, count, bytes_.size()}, bytes_.data(),
                  bytes_.size());
    }
  }
  if (scripts_.ReadInlineSourceMap(event.script, &bytes_)) {
    const auto size = static_cast<uint32_t>(bytes_.size());
    WriteRecord(Type::kSourceMap, event.code_type, code_stream::SourceMap{script, size},
                bytes_.data(), size);
  }
}

bool CodeListener::IsNewScript(uint32_t script) {
  if (script >= kMostScripts) return false;
  const size_t before = written_.size();
  if (script / 8 >= before) {
    const size_t size = script / 8 + 64;
    if (!written_.Resize(size)) return false;
    memset(written_.data() + before, 0, size - before);
  }
  uint8_t& bits = written_[script / 8];
  const auto bit = static_cast<uint8_t>(1u << (script % 8));
  if ((bits & bit) != 0) return false;
  bits |= bit;
  return true;
}

void CodeListener::Answer(uint8_t question) {
  if (question != 0) question_ = question;
  if (question_ == 0 || !is_listed_.load(std::memory_order_acquire)) return;
  const code_stream::Record answer = {sizeof answer, Type::kAnswer, question_, NowNs()};
  char* place = sender_.Begin(sizeof answer);
  if (place == nullptr) return;
  memcpy(place, &answer, sizeof answer);
  sender_.CommitLazily();
  question_ = 0;
}

void CodeListener::WriteNote(const char* text, size_t size) {
  const size_t whole = RoundUpToWord(sizeof(code_stream::Record) + size + 1);
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
  perf_ts::WriteRecord(&sender_, type, static_cast<uint16_t>(code_type), NowNs(), body, tail,
                       tail_size);
}

}  // namespace perf_ts
