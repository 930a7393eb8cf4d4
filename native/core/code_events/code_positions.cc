#include "code_positions.h"

namespace perf_ts {
namespace {

constexpr int kPositionBits = 30;
constexpr int kInliningBits = 16;

class Varints {
 public:
  Varints(const uint8_t* bytes, size_t size) : next_(bytes), end_(bytes + size) {}

  bool has_more() const { return next_ < end_; }

  bool Read(uint64_t* value) {
    *value = 0;
    for (int shift = 0; shift < 64 && next_ < end_; shift += 7) {
      const uint8_t group = *next_++;
      *value |= static_cast<uint64_t>(group & 0x7f) << shift;
      if ((group & 0x80) == 0) return true;
    }
    return false;
  }

 private:
  const uint8_t* next_;
  const uint8_t* end_;
};

int64_t FromZigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

uint64_t ToZigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

}  // namespace

bool DecodePositionTable(const uint8_t* bytes, size_t size, int shift, size_t code_length,
                         CodePositions* out) {
  out->Clear();
  Varints numbers(bytes, size);
  uint64_t offset_plus_one = 0;
  uint64_t raw = 0;
  while (numbers.has_more()) {
    uint64_t first, second;
    if (!numbers.Read(&first) || !numbers.Read(&second)) return false;
    offset_plus_one += first >> shift;
    raw += static_cast<uint64_t>(FromZigzag(second));
    if (offset_plus_one > code_length || (raw & 1) != 0 ||
        raw >> (1 + kPositionBits + kInliningBits) != 0 || out->size() == kMostCodePositions) {
      return false;
    }
    if (offset_plus_one == 0) continue;
    const auto position = static_cast<int32_t>(raw >> 1 & ((1u << kPositionBits) - 1)) - 1;
    const auto inlining = static_cast<int32_t>(raw >> (1 + kPositionBits)) - 1;
    if (!out->Push({static_cast<uint32_t>(offset_plus_one - 1), position, inlining})) return false;
  }
  return true;
}

bool DecodeBaselineTable(Bytes table, Bytes bytecode, const BytecodeSizes& sizes,
                         const CodePositions& places, size_t code_length, CodePositions* out) {
  out->Clear();
  Varints numbers(table.data, table.size);
  uint64_t offset, length;
  if (!numbers.Read(&offset)) return false;
  size_t place = 0;
  for (size_t at = 0; at < bytecode.size;) {
    const size_t size = sizes.LengthOf(bytecode.data + at, bytecode.size - at);
    if (size == 0 || !numbers.Read(&length)) return false;
    const size_t before = place;
    while (place < places.size() && places[place].offset <= at) place++;
    if (place > before &&
        !out->Push({static_cast<uint32_t>(offset), places[place - 1].position, -1})) {
      return false;
    }
    offset += length;
    if (offset > code_length) return false;
    at += size;
  }
  return !numbers.has_more();
}

bool EncodePositions(const CodePositions& positions, Growable<uint8_t>* out) {
  CodePosition last = {0, 0, -1};
  for (size_t i = 0; i < positions.size(); i++) {
    const CodePosition& entry = positions[i];
    const bool is_other = entry.inlining != last.inlining;
    const uint64_t offset = entry.offset - last.offset;
    if (!PushVarint(offset << 1 | (is_other ? 1 : 0), out)) return false;
    if (is_other && !PushVarint(static_cast<uint64_t>(entry.inlining + 1), out)) return false;
    if (!PushVarint(ToZigzag(int64_t{entry.position} - last.position), out)) return false;
    last = entry;
  }
  return true;
}

bool PushVarint(uint64_t value, Growable<uint8_t>* out) {
  for (; value >= 0x80; value >>= 7) {
    if (!out->Push(static_cast<uint8_t>(value | 0x80))) return false;
  }
  return out->Push(static_cast<uint8_t>(value));
}

}  // namespace perf_ts
