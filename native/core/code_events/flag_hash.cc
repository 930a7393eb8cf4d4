#include "flag_hash.h"

#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "growable.h"
#include "v8_memory.h"

namespace perf_ts {
namespace {

/** Nodes have 0.3 to 0.7 MB of data. */
constexpr uint64_t kMostBytes = 4 << 20;

/** Data of the object that has a function, whose pages can be written to. */
struct Data {
  uint64_t function;
  uint64_t start = 0;
  uint64_t size = 0;
};

int FindData(dl_phdr_info* object, size_t, void* result) {
  auto* data = static_cast<Data*>(result);
  bool has_function = false;
  uint64_t start = 0, end = 0, read_only_end = 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const auto& part = object->dlpi_phdr[i];
    const uint64_t at = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_RELRO) read_only_end = at + part.p_memsz;
    if (part.p_type != PT_LOAD) continue;
    has_function |= at <= data->function && data->function < at + part.p_memsz;
    if ((part.p_flags & PF_W) == 0) continue;
    start = at;
    end = at + part.p_memsz;
  }
  if (!has_function) return 0;
  if (read_only_end > start) start = read_only_end;
  data->start = (start + 7) & ~uint64_t{7};
  data->size = end > data->start ? (end - data->start) & ~uint64_t{7} : 0;
  return 1;
}

/** A word that went the way of the hash: cleared, and computed anew when V8 was asked. */
struct Candidate {
  std::atomic<uint32_t>* word;
  uint32_t before;
  uint32_t after;
};

using Candidates = Growable<Candidate>;

/** Words that are read at once: a look at all of them takes no second copy. */
constexpr size_t kPartWords = 4096;

/** Finds words that are 0 now and were not `before`; false where the data can't be read. */
bool FindCleared(const Data& data, const Growable<uint32_t>& before, Candidates* cleared) {
  uint32_t part[kPartWords];
  for (size_t at = 0; at < before.size(); at += kPartWords) {
    const size_t count = std::min(kPartWords, before.size() - at);
    const uint64_t first = data.start + at * sizeof(uint32_t);
    if (!ReadAll(first, part, count * sizeof(uint32_t))) return false;
    for (size_t i = 0; i < count; i++) {
      if (part[i] != 0 || before[at + i] == 0) continue;
      auto* word = reinterpret_cast<std::atomic<uint32_t>*>(first + i * sizeof(uint32_t));
      if (!cleared->Push({word, before[at + i], 0})) return false;
    }
  }
  return true;
}

/** Keeps words that have another value than before now, and not 0. */
void KeepComputed(Candidates* cleared) {
  size_t kept = 0;
  for (size_t i = 0; i < cleared->size(); i++) {
    Candidate candidate = (*cleared)[i];
    candidate.after = candidate.word->load();
    if (candidate.after != 0 && candidate.after != candidate.before) (*cleared)[kept++] = candidate;
  }
  // Fewer need no memory.
  static_cast<void>(cleared->Resize(kept));
}

template <typename Value>
void KeepThoseWith(Candidates* candidates, Value value) {
  size_t kept = 0;
  for (size_t i = 0; i < candidates->size(); i++) {
    const Candidate candidate = (*candidates)[i];
    if (candidate.word->load() == value(candidate)) (*candidates)[kept++] = candidate;
  }
  // Fewer need no memory.
  static_cast<void>(candidates->Resize(kept));
}

}  // namespace

void SetFlagWithinHash(v8_abi::SetFlags set_flags, v8_abi::GetVersionTag get_tag, const char* on,
                       const char* off) {
  Data data{AddressOf(reinterpret_cast<const void*>(set_flags))};
  dl_iterate_phdr(FindData, &data);
  Growable<uint32_t> before;
  const uint32_t tag = get_tag == nullptr ? 0 : get_tag();
  const bool is_read = tag != 0 && data.size > 0 && data.size <= kMostBytes &&
                       before.Resize(data.size / sizeof(uint32_t)) &&
                       ReadAll(data.start, before.data(), data.size);
  set_flags(on);
  Candidates candidates;
  if (!is_read || !FindCleared(data, before, &candidates)) return;
  const uint32_t tag_with = get_tag();
  if (tag_with == tag) return;
  KeepComputed(&candidates);
  // A lock or a counter of another thread may have gone that way once, but not back and again.
  const auto is_cleared = [](const Candidate&) { return uint32_t{0}; };
  set_flags(off);
  KeepThoseWith(&candidates, is_cleared);
  const bool is_back = get_tag() == tag;
  KeepThoseWith(&candidates, [](const Candidate& each) { return each.before; });
  set_flags(on);
  KeepThoseWith(&candidates, is_cleared);
  const bool is_again = get_tag() == tag_with;
  KeepThoseWith(&candidates, [](const Candidate& each) { return each.after; });
  if (!is_back || !is_again || candidates.size() != 1) return;
  const Candidate found = candidates[0];
  // Another thread may have asked or set a flag since: then the word is V8's.
  uint32_t seen = found.after;
  if (!found.word->compare_exchange_strong(seen, found.before) || get_tag() == tag) return;
  seen = found.before;
  found.word->compare_exchange_strong(seen, found.after);
}

}  // namespace perf_ts
