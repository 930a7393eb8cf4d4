// V8's tables of positions, decoded, read out of objects in this process, and encoded as they are
// sent.

#include "../core/code_events/code_positions.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "../core/code_events/v8_heap.h"
#include "../core/code_events/v8_scripts.h"
#include "test.h"

using namespace perf_ts;

namespace {

/** The table of `hot` in Node 24: +11 15283, +21 15310, +57 15283, none of them inlined. */
const std::vector<uint8_t> kOfV8_13 = {0x19, 0xd0, 0xdd, 0x03, 0x15, 0x6c, 0x49, 0x6b};
/** The same in Node 26. */
const std::vector<uint8_t> kOfV8_14 = {0x32, 0xd0, 0xdd, 0x03, 0x2a, 0x6c, 0x92, 0x01, 0x6b};

struct Entry {
  uint32_t offset;
  int32_t position;
  int32_t inlining;
};

bool Are(const CodePositions& positions, const std::vector<Entry>& expected) {
  if (positions.size() != expected.size()) return false;
  for (size_t i = 0; i < expected.size(); i++) {
    if (positions[i].offset != expected[i].offset ||
        positions[i].position != expected[i].position ||
        positions[i].inlining != expected[i].inlining) {
      return false;
    }
  }
  return true;
}

bool Decode(const std::vector<uint8_t>& bytes, int shift, size_t length, CodePositions* out) {
  return DecodePositionTable(bytes.data(), bytes.size(), shift, length, out);
}

void AppendVarint(uint64_t value, std::vector<uint8_t>* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<uint8_t>(value | 0x80));
  out->push_back(static_cast<uint8_t>(value));
}

/** A table as V8 before 14 writes it. */
std::vector<uint8_t> TableOf(const std::vector<Entry>& entries) {
  std::vector<uint8_t> bytes;
  uint32_t last_offset = UINT32_MAX;
  int64_t last = 0;
  for (const Entry& entry : entries) {
    const int64_t raw = (int64_t{entry.position} + 1) << 1 | (int64_t{entry.inlining} + 1) << 31;
    const int64_t difference = raw - last;
    AppendVarint(uint64_t{entry.offset - last_offset} << 1 | 1, &bytes);
    AppendVarint(static_cast<uint64_t>(difference) << 1 ^ static_cast<uint64_t>(difference >> 63),
                 &bytes);
    last_offset = entry.offset;
    last = raw;
  }
  return bytes;
}

/** Code with its object and table, as words, in the layout of V8 12 and 13. */
class FakeCode {
 public:
  explicit FakeCode(const std::vector<uint8_t>& table) {
    array_.resize(2 + (table.size() + 7) / 8);
    array_[1] = uint64_t{table.size()} << 32;
    memcpy(&array_[2], table.data(), table.size());
    object_[2] = Tagged(array_.data());
    stream_[5] = Tagged(object_);
  }
  const void* start() const { return &stream_[8]; }
  void SetMaps(uint64_t code, uint64_t array) {
    object_[0] = code;
    array_[0] = array;
  }
  /** Another object in place of the table. */
  void SetTable(const void* array) { object_[2] = Tagged(array); }
  /** Not at a whole word, as in Node 20. */
  const void* bytecode() const { return reinterpret_cast<const char*>(&object_[6]) + 6; }

 private:
  static uint64_t Tagged(const void* object) { return reinterpret_cast<uintptr_t>(object) + 1; }

  std::vector<uint64_t> array_;
  uint64_t object_[8] = {};
  uint64_t stream_[16] = {};
};

constexpr V8Layout kLayout = {0x18, 0x10, 0x28, 1};
const std::vector<Entry> kEntries = {
    {0, 26, -1}, {7, 40, -1}, {21, 9, 0}, {30, 12, 1}, {44, 41, -1}};

}  // namespace

TEST("a table of V8 13 and one of V8 14 have the same positions") {
  CodePositions positions;
  const std::vector<Entry> expected = {{11, 15283, -1}, {21, 15310, -1}, {57, 15283, -1}};
  CHECK(Decode(kOfV8_13, 1, 100, &positions) && Are(positions, expected));
  CHECK(Decode(kOfV8_14, 2, 100, &positions) && Are(positions, expected));
}

TEST("an entry of an inlined function has the number of its call") {
  CodePositions positions;
  CHECK(Decode(TableOf(kEntries), 1, 100, &positions) && Are(positions, kEntries));
}

TEST("the entry before the code, the function's start, is left out") {
  CodePositions positions;
  std::vector<Entry> entries = kEntries;
  entries.insert(entries.begin(), {UINT32_MAX, 17, -1});
  CHECK(Decode(TableOf(entries), 1, 100, &positions) && Are(positions, kEntries));
}

TEST("bytes that are cut, point behind the code or into another file are no table") {
  CodePositions positions;
  CHECK(!Decode({kOfV8_13.begin(), kOfV8_13.end() - 1}, 1, 100, &positions));
  CHECK(!Decode(kOfV8_13, 1, 57, &positions));
  CHECK(!Decode({0x19, 0x06}, 1, 100, &positions));
  CHECK(!Decode(std::vector<uint8_t>(32, 0xff), 1, 100, &positions));
}

/** Three bytecodes of Node 24 (LdaZero, Star0, AddSmi), the last once more with a wide operand. */
const std::vector<uint8_t> kBytecode = {0x0c, 0xcf, 0x4b, 0x07, 0x00, 0x00,
                                        0x4b, 0x07, 0x01, 0x00, 0x00};

bool DecodeBaseline(const std::vector<uint8_t>& table, const std::vector<uint8_t>& bytecode,
                    const BytecodeSizes& sizes, size_t length, CodePositions* out) {
  CodePositions places;
  static_cast<void>(places.Push({0, 40, -1}));
  static_cast<void>(places.Push({2, 52, -1}));
  return DecodeBaselineTable({table.data(), table.size()}, {bytecode.data(), bytecode.size()},
                             sizes, places, length, out);
}

TEST("baseline code has the positions of its bytecodes, whatever their sizes") {
  const BytecodeSizes sizes = BytecodeSizes::Of(13, 6);
  CodePositions positions;
  CHECK(DecodeBaseline({22, 6, 0x81, 0x01, 30, 40}, kBytecode, sizes, 300, &positions));
  CHECK(Are(positions, {{22, 40, -1}, {157, 52, -1}}));
}

TEST("a table of baseline code that does not fit its bytecode to the last byte is refused") {
  const BytecodeSizes sizes = BytecodeSizes::Of(13, 6);
  CodePositions positions;
  CHECK(!DecodeBaseline({22, 6, 4, 30}, kBytecode, sizes, 300, &positions));
  CHECK(!DecodeBaseline({22, 6, 4, 30, 40, 1}, kBytecode, sizes, 300, &positions));
  CHECK(!DecodeBaseline({22, 6, 4, 30, 40}, kBytecode, sizes, 100, &positions));
  CHECK(!DecodeBaseline({}, kBytecode, sizes, 300, &positions));
  CHECK(!DecodeBaseline({22, 6}, {0x00}, sizes, 300, &positions));
  CHECK(!DecodeBaseline({22, 6}, {0xfe}, sizes, 300, &positions));
  CHECK(!BytecodeSizes::Of(13, 5).is_known());
}

TEST("entries are sent as differences, the number of a call where it changes") {
  CodePositions positions;
  Growable<uint8_t> bytes;
  CHECK(Decode(TableOf({{1, 3, -1}, {4, 2, 0}, {5, 2, 0}}), 1, 100, &positions));
  CHECK(EncodePositions(positions, &bytes));
  const std::vector<uint8_t> expected = {2, 6, 7, 1, 1, 2, 0};
  CHECK(bytes.size() == expected.size() &&
        memcmp(bytes.data(), expected.data(), expected.size()) == 0);
}

TEST("a table is read through the code's object") {
  const FakeCode code(TableOf(kEntries));
  V8Heap heap;
  heap.set_layout(kLayout);
  CodePositions positions;
  CHECK(heap.ReadCodePositions(code.start(), 100, &positions) && Are(positions, kEntries));
}

TEST("the table of bytecode is read out of its head") {
  const FakeCode code(TableOf(kEntries));
  V8Heap heap;
  heap.set_layout({0x18, 0x10, 0x20, 1});
  CodePositions positions;
  CHECK(heap.ReadBytecodePositions(code.bytecode(), 100, &positions) && Are(positions, kEntries));
  CHECK(!heap.ReadBytecodePositions(code.start(), 100, &positions));
}

TEST("a table of more bytes than the first read has is read as a whole") {
  std::vector<Entry> entries;
  for (uint32_t i = 0; i < 2000; i++) entries.push_back({i * 3, static_cast<int32_t>(i % 97), -1});
  const FakeCode code(TableOf(entries));
  V8Heap heap;
  heap.set_layout(kLayout);
  CodePositions positions;
  CHECK(heap.ReadCodePositions(code.start(), 6000, &positions) && Are(positions, entries));
}

TEST("an event of V8 for some code gives the place of its tables") {
  const FakeCode code(TableOf(kEntries));
  V8Heap heap;
  heap.set_layout({0x20, 0x18, 0, 1});
  CodePositions reported;
  CHECK(Decode(TableOf(kEntries), 1, 100, &reported));
  heap.Confirm(code.start(), 100, reported);
  CHECK(heap.layout().before_code == 0x18 && heap.layout().in_code == 0x10);
}

TEST("tables that are not what V8 reports are not read again") {
  const FakeCode code(TableOf(kEntries));
  V8Heap heap;
  heap.set_layout(kLayout);
  std::vector<Entry> others = kEntries;
  others[2].position = 10;
  CodePositions reported;
  CHECK(Decode(TableOf(others), 1, 100, &reported));
  heap.Confirm(code.start(), 100, reported);
  CHECK(!heap.ReadCodePositions(code.start(), 100, &reported));
}

/** An array whose head is the last that is mapped, though it counts more bytes. */
class CutArray {
 public:
  explicit CutArray(uint64_t map) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    memory_ = static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, flags, -1, 0));
    mprotect(memory_ + kPage, kPage, PROT_NONE);
    auto* head = static_cast<uint64_t*>(place());
    head[0] = map;
    head[1] = uint64_t{64} << 32;
  }
  ~CutArray() { munmap(memory_, 2 * kPage); }
  void* place() { return memory_ + kPage - 2 * sizeof(uint64_t); }

 private:
  static constexpr size_t kPage = 4096;
  char* memory_;
};

TEST("tables are read the same when fields are proven, and objects of another kind by the kernel") {
  constexpr uint64_t kCodeMap = 0x1001, kArrayMap = 0x2001;
  V8Heap heap;
  heap.set_layout(kLayout);
  CodePositions positions;
  for (int i = 0; i < 100; i++) {
    FakeCode code(TableOf({{0, i, -1}, {7, 2 * i, 0}}));
    code.SetMaps(kCodeMap, kArrayMap);
    CHECK(heap.ReadCodePositions(code.start(), 100, &positions) &&
          Are(positions, {{0, i, -1}, {7, 2 * i, 0}}));
  }
  FakeCode other(TableOf(kEntries));
  other.SetMaps(kCodeMap, kArrayMap + 8);
  CHECK(heap.ReadCodePositions(other.start(), 100, &positions) && Are(positions, kEntries));
  other.SetMaps(kCodeMap + 8, kArrayMap);
  CHECK(heap.ReadCodePositions(other.start(), 100, &positions) && Are(positions, kEntries));
  CutArray cut(kArrayMap + 8);
  other.SetTable(cut.place());
  CHECK(!heap.ReadCodePositions(other.start(), 100, &positions));
}

TEST("addresses without memory are no tables") {
  V8Heap heap;
  heap.set_layout(kLayout);
  CodePositions positions;
  CHECK(!heap.ReadCodePositions(reinterpret_cast<const void*>(0x40), 100, &positions));
  Growable<int32_t> ends;
  V8Scripts scripts;
  CHECK(!scripts.ReadLineEnds(reinterpret_cast<const void*>(0x40), &ends));
}

int main() {
  return perf_ts::test::RunAll();
}
