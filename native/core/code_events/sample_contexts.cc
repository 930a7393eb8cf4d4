#include "sample_contexts.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "monotonic.h"
#include "record_writer.h"
#include "v8_memory.h"

namespace perf_ts {
namespace {

using code_stream::Context;
using code_stream::Type;

/** Threads of the process that handle the signal. */
constexpr int kMostThreads = 256;
std::atomic<int> tids[kMostThreads];
std::atomic<SampleContexts*> owners[kMostThreads];
std::atomic<int> armed_threads{0};

/** Words of an isolate among which its frame is. */
constexpr uint32_t kIsolateWords = 512;

/**
 * A store of ours in a frame is a small integer: 20 bits are the number, those above a mark, in
 * which 10 bits count up. What a recording before has left in frames is not taken for this one's.
 */
constexpr uint32_t kMark = 0x40000000;
constexpr uint32_t kMarkMask = 0xfff00000;
constexpr uint32_t kFirstMarkBit = 20;
constexpr uint32_t kMarks = 1u << 10;
std::atomic<uint32_t> marks_given{0};

/**
 * A frame is a Map of V8, whose entries are in an OrderedHashMap, an array of small integers and
 * values. Pointers to objects have 1 in their lowest bits; a small integer is the upper half of a
 * word.
 *
 *     Map    map, properties, elements, table
 *     table  map, length, elements, deleted, buckets, chains[buckets], (key, value, chain)[]
 */
constexpr int kTableWord = 3;
constexpr int kElementsWord = 2;
constexpr int kDeletedWord = 3;
constexpr int kBucketsWord = 4;
constexpr int kFirstChainWord = 5;
constexpr int kEntryWords = 3;
/** Larger frames are not searched. */
constexpr uint64_t kMostBuckets = 32;
/**
 * A wrap of Node is an object of V8 with fields behind its own words, and one of C++ whose second
 * word is a handle of the first.
 *
 *     V8    map, properties, elements, (one of cppgc), …, address, …
 *     C++   functions, handle, …
 */
constexpr int kFirstFieldWord = 3;
constexpr int kLastFieldWord = 6;
constexpr int kHandleWord = 1;
constexpr uint64_t kMostAddress = uint64_t{1} << 47;

/** libuv's work in an object of Node, when it was done: 0, a function, the loop. */
constexpr size_t kObjectWords = 128;
constexpr size_t kWorkLoopWord = 2;

/** Return addresses of a stack; outer ones are left out. */
constexpr uint32_t kMostAddresses = 128;

/** Bytes from the begin of an object's map to its type. */
constexpr int kTypeInMap = 12;

bool IsObject(uint64_t word) {
  return (word & 3) == 1;
}

bool IsSmall(uint64_t word) {
  return (word & 0xffffffff) == 0;
}

const uint64_t* WordsOf(uint64_t object) {
  return reinterpret_cast<const uint64_t*>(object - 1);
}

uint16_t TypeOf(const uint64_t* words) {
  uint16_t type;
  memcpy(&type, reinterpret_cast<const char*>(words[0] - 1) + kTypeInMap, sizeof type);
  return type;
}

/** Reads words at an address that may be none; returns how many were there. */
size_t ReadWords(uint64_t address, uint64_t* words, size_t count) {
  const ssize_t size = ReadSome(address, words, count * sizeof *words);
  return size < 0 ? 0 : static_cast<size_t>(size) / sizeof *words;
}

uint64_t ReadWord(uint64_t address) {
  uint64_t word = 0;
  return ReadWords(address, &word, 1) == 1 ? word : 0;
}

int OwnTid() {
  return static_cast<int>(syscall(SYS_gettid));
}

/** FNV-1a, by words. */
constexpr uint64_t kHashBegin = 0xcbf29ce484222325;
constexpr uint64_t kHashFactor = 0x100000001b3;

template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void SampleContexts::Start(void* isolate, Sender* sender) {
  isolate_ = isolate;
  sender_ = sender;
  stacks_.Start(isolate, sender);
  mark_ = kMark | (marks_given.fetch_add(1) % kMarks) << kFirstMarkBit;
}

int SampleContexts::FindFrame(uint64_t undefined) {
  const auto get = Find<v8_abi::GetEmbedderData>(v8_abi::kGetEmbedderData);
  if (get == nullptr || isolate_ == nullptr) return 0;
  const uint64_t* handle = get(isolate_);
  if (handle == nullptr || !IsObject(*handle) || *handle == undefined) return 0;
  const auto* words = static_cast<const uint64_t*>(isolate_);
  if (place_count_ < 0) {
    place_count_ = 0;
    for (uint32_t i = 0; i < kIsolateWords && place_count_ < kMostPlaces; i++) {
      if (words[i] == *handle) places_[place_count_++] = i;
    }
  } else {
    int left = 0;
    for (int i = 0; i < place_count_; i++) {
      if (words[places_[i]] == *handle) places_[left++] = places_[i];
    }
    place_count_ = left;
  }
  frame_ = nullptr;
  if (place_count_ != 1) return place_count_;
  const uint64_t* frame = WordsOf(*handle);
  if (!IsObject(frame[kTableWord])) return 0;
  undefined_ = undefined;
  frame_type_ = TypeOf(frame);
  table_type_ = TypeOf(WordsOf(frame[kTableWord]));
  frame_ = words + places_[0];
  return 1;
}

uint32_t SampleContexts::Read() const {
  if (frame_ != nullptr) return collections_ > 0 ? before_collection_ : ReadFrame();
  return cell_ == nullptr ? kNone : *static_cast<volatile uint32_t*>(cell_);
}

/** Nothing of V8 is called, and no object is trusted to be what is looked for. */
uint32_t SampleContexts::ReadFrame() const {
  const uint64_t current = *frame_;
  if (!IsObject(current) || current == undefined_) return kNone;
  const uint64_t* frame = WordsOf(current);
  if (TypeOf(frame) != frame_type_ || !IsObject(frame[kTableWord])) return kNone;
  const uint64_t* table = WordsOf(frame[kTableWord]);
  if (TypeOf(table) != table_type_) return kNone;
  const uint64_t counts[] = {table[kElementsWord], table[kDeletedWord], table[kBucketsWord]};
  for (const uint64_t count : counts) {
    if (!IsSmall(count)) return kNone;
  }
  const uint64_t used = (counts[0] >> 32) + (counts[1] >> 32);
  const uint64_t buckets = counts[2] >> 32;
  if (buckets == 0 || buckets > kMostBuckets || used > 2 * buckets) return kNone;
  const uint64_t* entry = table + kFirstChainWord + buckets;
  for (uint64_t i = 0; i < used; i++, entry += kEntryWords) {
    const auto value = static_cast<uint32_t>(entry[1] >> 32);
    if (IsSmall(entry[1]) && (value & kMarkMask) == mark_) return value & ~kMarkMask;
  }
  return kNone;
}

uint32_t* SampleContexts::Cell() {
  // JavaScript may keep it for longer than we are there.
  if (cell_ == nullptr) cell_ = static_cast<uint32_t*>(malloc(sizeof *cell_));
  if (cell_ != nullptr) *cell_ = kNone;
  frame_ = nullptr;
  return cell_;
}

bool SampleContexts::FindAddressField(uint64_t object) {
  for (int i = kFirstFieldWord; i <= kLastFieldWord; i++) {
    const uint64_t handle = ReadWord(WordsOf(object)[i] + kHandleWord * sizeof(uint64_t));
    if (handle == 0 || ReadWord(handle) != object) continue;
    address_word_ = i;
    return true;
  }
  return false;
}

uint64_t SampleContexts::BeginWork(uint64_t object, uint32_t kind, uint64_t asker) {
  if (!is_armed_ || !IsObject(object) || kind >= kWorkKinds) return 0;
  if (address_word_ == 0 && !FindAddressField(object)) return 0;
  // A program may have something else of its own there: it is taken for a number only.
  const uint64_t address = WordsOf(object)[address_word_];
  if (address % sizeof(uint64_t) != 0 || address == 0 || address >= kMostAddress) return 0;
  WriteWork(address, kind, Read(), asker, NoteStack(__builtin_frame_address(0)));
  return address;
}

uint32_t SampleContexts::NoteStack(const void* frame) {
  if (!stack_.Holds(AddressOf(frame))) return 0;
  uint64_t addresses[kMostAddresses];
  uint32_t count = 0;
  uint64_t hash = kHashBegin;
  // Frames lie ever further out: what is not does not lead to one.
  for (uint64_t fp = AddressOf(frame), least = fp; fp >= least && fp % kWord == 0 &&
                                                   fp + 2 * kWord <= stack_.end() &&
                                                   count < kMostAddresses;) {
    const uint64_t address = WordAt(fp + kWord);
    if (address == 0) break;
    addresses[count++] = address;
    hash = (hash ^ address) * kHashFactor;
    least = fp + 2 * kWord;
    fp = WordAt(fp);
  }
  if (count == 0) return 0;
  KnownStack& known = known_stacks_[(hash >> 32) % kKnownStacks];
  if (known.number != 0 && known.hash == hash) return known.number;
  known = {hash, ++stack_count_};
  const code_stream::WorkStack stack = {known.number, count};
  WriteLazily(sender_, Type::kWorkStack, NowNs(), stack, addresses, count * sizeof *addresses);
  return known.number;
}

void SampleContexts::EndWork(uint64_t address, uint32_t kind, bool goes_on, uint64_t loop) {
  if (!is_armed_ || kind >= kWorkKinds) return;
  const bool is_found = work_offsets_[kind] == 0 && FindWork(address, kind, loop);
  if (!goes_on)
    WriteWork(address, kind, code_stream::kWorkEnd);
  else if (is_found)
    WriteWork(address, kind, code_stream::kWorkFound);
}

bool SampleContexts::FindWork(uint64_t address, uint32_t kind, uint64_t loop) {
  uint64_t words[kObjectWords];
  const size_t count = ReadWords(address, words, kObjectWords);
  // The request around it has the loop as well, and so may have what is behind the object.
  for (size_t i = 0; i + kWorkLoopWord < count; i++) {
    if (words[i] != 0 || words[i + kWorkLoopWord] != loop || !IsInFile(words[i + 1])) continue;
    work_offsets_[kind] = static_cast<uint16_t>(i * sizeof(uint64_t));
    return true;
  }
  return false;
}

void SampleContexts::WriteWork(uint64_t address, uint32_t kind, uint32_t number, uint64_t asker,
                               uint32_t stack) {
  const code_stream::Work work = {
      address, number, static_cast<uint16_t>(kind), work_offsets_[kind], asker, stack, 0};
  WriteLazily(sender_, Type::kWork, NowNs(), work);
}

bool SampleContexts::WatchCollections() {
  const auto add_prologue = Find<v8_abi::AddGcCallback>(v8_abi::kAddGcPrologue);
  const auto add_epilogue = Find<v8_abi::AddGcCallback>(v8_abi::kAddGcEpilogue);
  remove_prologue_ = Find<v8_abi::RemoveGcCallback>(v8_abi::kRemoveGcPrologue);
  remove_epilogue_ = Find<v8_abi::RemoveGcCallback>(v8_abi::kRemoveGcEpilogue);
  if (!add_prologue || !add_epilogue || !remove_prologue_ || !remove_epilogue_) return false;
  add_prologue(isolate_, OnGcBegin, this, v8_abi::kMovingGcTypes);
  add_epilogue(isolate_, OnGcEnd, this, v8_abi::kMovingGcTypes);
  return true;
}

void SampleContexts::OnGcBegin(void*, int, int, void* data) {
  auto* self = static_cast<SampleContexts*>(data);
  if (self->collections_ == 0) self->before_collection_ = self->ReadFrame();
  self->collections_ = self->collections_ + 1;
}

void SampleContexts::OnGcEnd(void*, int, int, void* data) {
  auto* self = static_cast<SampleContexts*>(data);
  if (self->collections_ > 0) self->collections_ = self->collections_ - 1;
}

bool SampleContexts::Arm() {
  if (is_armed_) return true;
  if (isolate_ == nullptr || sender_ == nullptr) return false;
  struct sigaction now;
  sigset_t blocked;
  if (sigaction(SIGURG, nullptr, &now) != 0) return false;
  const bool is_free =
      (now.sa_flags & SA_SIGINFO) == 0 && (now.sa_handler == SIG_DFL || now.sa_handler == OnSignal);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  if (!is_free || sigismember(&blocked, SIGURG) != 0) return false;
  entries_ = static_cast<Entry*>(calloc(kEntries, sizeof *entries_));
  if (entries_ == nullptr) return false;
  if (frame_ != nullptr && !WatchCollections()) return false;
  tid_ = OwnTid();
  for (int i = 0; i < kMostThreads && !is_armed_; i++) {
    SampleContexts* none = nullptr;
    if (!owners[i].compare_exchange_strong(none, this)) continue;
    tids[i].store(tid_, std::memory_order_release);
    is_armed_ = true;
  }
  if (!is_armed_) return false;
  armed_threads.fetch_add(1);
  struct sigaction own = {};
  own.sa_handler = OnSignal;
  // On a stack for signals, where the thread has one: an interpreter of another language may run on
  // a small one.
  own.sa_flags = SA_RESTART | SA_ONSTACK;
  if (sigaction(SIGURG, &own, nullptr) != 0) {
    Disarm();
    return false;
  }
  Ask(true);
  return true;
}

void SampleContexts::Ask(bool on) {
  if (wants_signals_.exchange(on) == on) return;
  const code_stream::Arm arm = {static_cast<uint32_t>(tid_), on ? 1u : 0u};
  WriteRecord(sender_, Type::kArm, 0, NowNs(), arm);
}

bool SampleContexts::IsOurs() {
  struct sigaction now;
  return sigaction(SIGURG, nullptr, &now) == 0 && now.sa_handler == OnSignal;
}

void SampleContexts::Disarm() {
  is_armed_ = false;
  for (int i = 0; i < kMostThreads; i++) {
    if (owners[i].load(std::memory_order_acquire) != this) continue;
    tids[i].store(0, std::memory_order_release);
    owners[i].store(nullptr, std::memory_order_release);
  }
  const bool is_last = armed_threads.fetch_sub(1) == 1;
  if (!is_last || !IsOurs()) return;
  // One that is on its way is ignored.
  struct sigaction none = {};
  none.sa_handler = SIG_DFL;
  sigaction(SIGURG, &none, nullptr);
}

void SampleContexts::Stop() {
  if (isolate_ == nullptr) return;
  stacks_.Stop();
  if (is_armed_) {
    Ask(false);
    Disarm();
  }
  if (remove_prologue_ != nullptr && remove_epilogue_ != nullptr) {
    remove_prologue_(isolate_, OnGcBegin, this);
    remove_epilogue_(isolate_, OnGcEnd, this);
  }
  Drain();
  pthread_mutex_lock(&mutex_);
  free(entries_);
  entries_ = nullptr;
  pthread_mutex_unlock(&mutex_);
  isolate_ = nullptr;
  frame_ = nullptr;
}

void SampleContexts::OnSignal(int) {
  const int kept_errno = errno;
  if (SampleContexts* owner = OfThread()) owner->Note();
  errno = kept_errno;
}

SampleContexts* SampleContexts::OfThread() {
  const int tid = OwnTid();
  for (int i = 0; i < kMostThreads; i++) {
    if (tids[i].load(std::memory_order_acquire) == tid)
      return owners[i].load(std::memory_order_acquire);
  }
  return nullptr;
}

void SampleContexts::OnInterrupt(void*, void*) {
  if (SampleContexts* owner = OfThread()) owner->stacks_.Capture();
}

void SampleContexts::Note() {
  const uint64_t time_ns = NowNs();
  const uint32_t written = written_.load(std::memory_order_relaxed);
  if (written - taken_.load(std::memory_order_acquire) == kEntries) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  entries_[written % kEntries] = {time_ns, Read(), stacks_.Note(time_ns)};
  written_.store(written + 1, std::memory_order_release);
}

void SampleContexts::Drain() {
  if (!sender_ || !sender_->IsOfThisProcess()) return;
  if (wants_signals_.load(std::memory_order_acquire) && !IsOurs()) Ask(false);
  pthread_mutex_lock(&mutex_);
  const uint32_t written = written_.load(std::memory_order_acquire);
  uint32_t at = taken_.load(std::memory_order_relaxed);
  const uint32_t lost = lost_.exchange(0, std::memory_order_relaxed);
  while (entries_ != nullptr && at != written) {
    Context batch[64];
    uint32_t count = 0;
    const uint64_t first_ns = entries_[at % kEntries].time_ns;
    for (; at != written && count < 64; at++) {
      const Entry& entry = entries_[at % kEntries];
      const uint64_t since = entry.time_ns - first_ns;
      if (since > UINT32_MAX) break;
      batch[count++] = {static_cast<uint32_t>(since), entry.number, entry.stack};
    }
    const code_stream::Contexts head = {count, 0};
    WriteRecord(sender_, Type::kContexts, 0, first_ns, head, batch, count * sizeof *batch);
  }
  taken_.store(at, std::memory_order_release);
  // Samples up to now have none then: the next context is not theirs.
  if (lost > 0) {
    WriteRecord(sender_, Type::kContexts, 0, NowNs(), code_stream::Contexts{0, lost});
  }
  pthread_mutex_unlock(&mutex_);
}

}  // namespace perf_ts
