#include "unlisted_code.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>

namespace perf_ts {
namespace {

using v8_abi::CodeEvent;
using v8_abi::CodeType;
using v8_abi::EventType;

/** More names than that are of no program: what is beyond stays unlisted. */
constexpr size_t kMostNameBytes = 64u << 20;
constexpr size_t kMostPieces = 1u << 20;
constexpr size_t kPageBytes = 4096;
/** The reservation of code pages is large, and nearly all of it is not there. */
constexpr size_t kPagesAtOnce = 512;
constexpr size_t kBlockPages = 16;
/** First instructions lie at multiples of this on all machines. */
constexpr uint64_t kAlignment = 32;

}  // namespace

void UnlistedCode::Note(const CodeEvent& event) {
  if (event.type != EventType::kCodeAdded || event.script == nullptr) return;
  const size_t size = event.name.length;
  const bool is_code = event.code_type == CodeType::kMachineCode;
  Listed listed = {is_code ? reinterpret_cast<uintptr_t>(event.code_start) : 0, 0,
                   static_cast<uint32_t>(names_.size()), static_cast<uint32_t>(size)};
  memcpy(&listed.shared, event.script, sizeof listed.shared);
  const size_t before = names_.size();
  if (size > kMostNameBytes - before || !names_.Resize(before + size)) return;
  memcpy(names_.data() + before, event.name.text, size);
  // Without memory the function's other code stays unlisted.
  static_cast<void>(listed_.Push(listed));
}

void UnlistedCode::Find(const v8_abi::MemoryRange* pages, size_t count,
                        void (*found)(void* context, const CodeEvent&), void* context) {
  if (!Learn() || !words_.Resize(kBlockPages * kPageBytes / sizeof(uint64_t))) return;
  for (size_t i = 0; i < count; i++) SearchPages(pages[i]);
  KeepUnlisted();
  for (size_t i = 0; i < pieces_.size(); i++) Report(pieces_[i], found, context);
}

/** Code that V8 has listed shows how objects of code and of functions begin. */
bool UnlistedCode::Learn() {
  for (size_t i = 0; i < listed_.size(); i++) {
    const Listed& listed = listed_[i];
    if (listed.start != 0 && heap_->LearnCodeObjects(listed.start, listed.shared)) return true;
  }
  return false;
}

void UnlistedCode::SearchPages(const v8_abi::MemoryRange& pages) {
  const uint64_t first = reinterpret_cast<uintptr_t>(pages.start) & ~uint64_t{kPageBytes - 1};
  const uint64_t end = reinterpret_cast<uintptr_t>(pages.start) + pages.length;
  unsigned char residence[kPagesAtOnce];
  for (uint64_t at = first; at < end; at += kPagesAtOnce * kPageBytes) {
    const size_t bytes = std::min<uint64_t>(kPagesAtOnce * kPageBytes, end - at);
    // To read a page that is not there would make it.
    if (mincore(reinterpret_cast<void*>(at), bytes, residence) != 0) continue;
    const size_t count = (bytes + kPageBytes - 1) / kPageBytes;
    for (size_t page = 0; page < count;) {
      size_t run = 0;
      while (run < kBlockPages && page + run < count && (residence[page + run] & 1) != 0) run++;
      if (run > 0) SearchBlock(at + page * kPageBytes, run * kPageBytes);
      page += run > 0 ? run : 1;
    }
  }
}

void UnlistedCode::SearchBlock(uint64_t address, size_t size) {
  const size_t count = heap_->ReadWords(address, words_.data(), size / sizeof(uint64_t));
  const uint64_t head = heap_->code_head();
  for (size_t i = 0; i < count; i++) {
    if (words_[i] != heap_->code_map()) continue;
    const uint64_t start = address + i * sizeof(uint64_t) + head;
    if (start % kAlignment != 0 || pieces_.size() == kMostPieces) continue;
    Piece piece = {};
    piece.code.start = start;
    static_cast<void>(pieces_.Push(piece));
  }
}

void UnlistedCode::KeepUnlisted() {
  Piece* const begin = pieces_.data();
  Piece* end = begin + pieces_.size();
  for (size_t i = 0; i < listed_.size(); i++) {
    Piece* piece = std::lower_bound(begin, end, listed_[i].start,
                                    [](const Piece& a, uint64_t b) { return a.code.start < b; });
    if (piece != end && piece->code.start == listed_[i].start) piece->named = &listed_[i];
  }
  end = std::remove_if(begin, end, [this](Piece& piece) {
    return piece.named != nullptr || !heap_->ReadCodeObject(piece.code.start, &piece.code);
  });
  std::sort(begin, end,
            [](const Piece& a, const Piece& b) { return a.code.shared < b.code.shared; });
  for (size_t i = 0; i < listed_.size(); i++) {
    Piece* piece = std::lower_bound(begin, end, listed_[i].shared,
                                    [](const Piece& a, uint64_t b) { return a.code.shared < b; });
    for (; piece != end && piece->code.shared == listed_[i].shared; piece++) {
      piece->named = &listed_[i];
    }
  }
  end = std::remove_if(begin, end, [](const Piece& piece) { return piece.named == nullptr; });
  static_cast<void>(pieces_.Resize(static_cast<size_t>(end - begin)));
}

void UnlistedCode::Report(const Piece& piece, void (*found)(void*, const CodeEvent&),
                          void* context) {
  const char* name = names_.data() + piece.named->name_at;
  const char* const name_end = name + piece.named->name_size;
  const char* rest = std::find(name, name_end, ':');
  // `JS:~f …` of bytecode is `JS:*f …` of what TurboFan made of it.
  if (rest != name_end) rest++;
  name_.Clear();
  bool is_whole = true;
  for (const char* c = name; c < rest; c++) is_whole = is_whole && name_.Push(*c);
  is_whole = is_whole && name_.Push(piece.code.sign);
  if (rest != name_end && strchr("~^+*", *rest) != nullptr) rest++;
  for (; rest < name_end; rest++) is_whole = is_whole && name_.Push(*rest);
  if (!is_whole) return;
  // The place of a pointer is what V8 calls a handle.
  uint64_t shared = piece.code.shared;
  CodeEvent event = {};
  event.type = EventType::kCodeAdded;
  event.code_type = CodeType::kMachineCode;
  event.code_start = reinterpret_cast<void*>(piece.code.start);
  event.code_length = piece.code.length;
  event.script = &shared;
  event.name.text = name_.data();
  event.name.length = name_.size();
  found(context, event);
}

}  // namespace perf_ts
