// Hot: once per word of the recording.
#include "met_addresses.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "../ring/record_run.h"

namespace perf_ts {

namespace {

/** The start of every kernel address on x86-64 and aarch64 with 48-bit addresses, and above. */
constexpr uint64_t kLowestKernel = 0xffff'0000'0000'0000;
/** The first of the context markers of callchains and errors, which are no code. */
constexpr uint64_t kEndOfKernel = 0xffff'ffff'ffff'f000;
/** No recording meets so many places in the kernel; what looks like more is other data. */
constexpr size_t kMaxAddresses = 1'000'000;

/** Addresses, each once: open addressing over a table that is at most half full. 0 is none. */
class AddressSet {
 public:
  void Add(uint64_t address) {
    // The last ones seen, by hash: most words repeat.
    const size_t recent = (address ^ (address >> 14)) % kRecent;
    if (recent_[recent] == address) return;
    recent_[recent] = address;
    if (addresses_.size() * 2 >= table_.size()) Grow();
    uint64_t& slot = SlotOf(address);
    if (slot == address) return;
    slot = address;
    addresses_.push_back(address);
  }
  bool full() const { return addresses_.size() >= kMaxAddresses; }
  std::vector<uint64_t> Take() { return std::move(addresses_); }

 private:
  static constexpr size_t kRecent = 1 << 12;

  uint64_t& SlotOf(uint64_t address) {
    size_t at = (address * 0x9e37'79b9'7f4a'7c15) >> shift_;
    while (table_[at] != 0 && table_[at] != address) at = (at + 1) & (table_.size() - 1);
    return table_[at];
  }
  void Grow() {
    shift_--;
    table_.assign(size_t{1} << (64 - shift_), 0);
    for (const uint64_t address : addresses_) SlotOf(address) = address;
  }

  std::vector<uint64_t> addresses_;
  int shift_ = 64 - 11;
  std::vector<uint64_t> table_ = std::vector<uint64_t>(size_t{1} << 11);
  std::vector<uint64_t> recent_ = std::vector<uint64_t>(kRecent);
};

uint64_t WordAt(const uint8_t* bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

/**
 * Ranges by their starts, under a tree of the highest end among them: whatever overlaps, a look
 * takes the logarithm of their number, and as much for each range that it takes out.
 */
class UnmetRanges {
 public:
  explicit UnmetRanges(std::vector<CodeRange> ranges) : ranges_(std::move(ranges)) {
    std::sort(ranges_.begin(), ranges_.end(),
              [](const CodeRange& a, const CodeRange& b) { return a.start < b.start; });
    // One leaf at least is none's: the end of all is a leaf, too.
    while (leaves_ <= ranges_.size()) leaves_ *= 2;
    highest_.resize(2 * leaves_);
    for (size_t i = 0; i < ranges_.size(); i++) highest_[leaves_ + i] = ranges_[i].end;
    for (size_t node = leaves_ - 1; node > 0; node--) Sum(node);
  }

  /** Takes out a range with the address; false where there is none. */
  bool Take(uint64_t address, uint32_t* owner) {
    const auto behind = std::upper_bound(
        ranges_.begin(), ranges_.end(), address,
        [](uint64_t value, const CodeRange& range) { return value < range.start; });
    // The nodes that cover those in front of it, from the last leaf on.
    size_t node = leaves_ + static_cast<size_t>(behind - ranges_.begin());
    do {
      while (node > 1 && node % 2 == 0) node /= 2;
      if (node == 1) return false;
      node--;
    } while (highest_[node] <= address);
    while (node < leaves_) node = 2 * node + (highest_[2 * node + 1] > address);
    *owner = ranges_[node - leaves_].owner;
    highest_[node] = 0;
    while ((node /= 2) > 0) Sum(node);
    return true;
  }

 private:
  void Sum(size_t node) { highest_[node] = std::max(highest_[2 * node], highest_[2 * node + 1]); }

  std::vector<CodeRange> ranges_;
  size_t leaves_ = 1;
  /** The highest end below node i, whose children are 2i and 2i + 1. */
  std::vector<uint64_t> highest_;
};

/**
 * Calls `visit(record, header)` with the whole records at the start of `size` bytes. Returns the
 * bytes of these; a record that makes no sense ends them.
 */
template <typename Visit>
size_t VisitRecords(const uint8_t* bytes, size_t size, Visit visit) {
  size_t at = 0;
  while (size - at >= sizeof(RecordHeader)) {
    RecordHeader header;
    memcpy(&header, bytes + at, sizeof header);
    if (header.size < sizeof header || header.size > size - at) break;
    visit(bytes + at, header);
    at += header.size;
  }
  return at;
}

}  // namespace

bool ScanRecording(const ScanRequest& request, ScanResult* result, Error* error) {
  const RecordedBytes& records = request.records;
  RecordWindow window(records);
  AddressSet addresses;
  // Where the next record begins, and where the next word to be looked at does.
  uint64_t record = records.from;
  uint64_t word = std::max(records.from, request.kernel_from);
  bool wants_records = true;
  bool wants_words = word < records.to;
  while (wants_records || wants_words) {
    const uint64_t at = std::min(wants_records ? record : word, wants_words ? word : record);
    if (!window.MoveTo(at, error)) return false;
    const uint8_t* bytes = window.data();
    const uint64_t end = at + window.size();
    if (wants_records && record < end) {
      const uint8_t* first = bytes + (record - at);
      const size_t whole =
          VisitRecords(first, end - record, [&](const uint8_t* start, const RecordHeader& header) {
            if (!IsCodeMapping(start, header)) return;
            std::vector<uint8_t>* mappings = &result->code_mappings;
            if (mappings->size() + header.size > request.most_mapping_bytes) {
              result->mappings_left_out++;
            } else {
              mappings->insert(mappings->end(), start, start + header.size);
            }
          });
      record += whole;
      wants_records = whole > 0;
    } else {
      wants_records = false;
    }
    for (; wants_words && word + 8 <= end; word += 4) {
      const uint64_t value = WordAt(bytes + (word - at));
      if (value < kLowestKernel || value >= kEndOfKernel) continue;
      addresses.Add(value);
      if (addresses.full()) wants_words = false;
    }
    if (window.size() < RecordWindow::kBytes) break;
  }
  result->kernel_addresses = addresses.Take();
  return true;
}

bool FindMetOwners(const RecordedBytes& records, std::vector<CodeRange> ranges,
                   std::vector<uint8_t>* met, Error* error) {
  uint32_t owners = 0;
  uint64_t lowest = UINT64_MAX;
  uint64_t highest = 0;
  for (const CodeRange& range : ranges) {
    owners = std::max(owners, range.owner + 1);
    lowest = std::min(lowest, range.start);
    highest = std::max(highest, range.end);
  }
  met->assign(owners, 0);
  if (ranges.empty()) return true;
  uint32_t missing = owners;
  UnmetRanges unmet(std::move(ranges));
  // Several processes may have their own program there.
  const auto look = [&](uint64_t address) {
    for (uint32_t owner; unmet.Take(address, &owner);) {
      missing -= (*met)[owner] == 0;
      (*met)[owner] = 1;
    }
  };
  RecordWindow window(records);
  for (uint64_t at = records.from; missing > 0;) {
    if (!window.MoveTo(at, error)) return false;
    const size_t whole = VisitRecords(
        window.data(), window.size(), [&](const uint8_t* record, const RecordHeader& header) {
          if (header.type != kRecordSample) return;
          for (size_t word = sizeof header; word + 8 <= header.size; word += 8) {
            const uint64_t value = WordAt(record + word);
            if (value >= lowest && value < highest && missing > 0) look(value);
          }
        });
    if (whole == 0) break;
    at += whole;
  }
  return true;
}

}  // namespace perf_ts
