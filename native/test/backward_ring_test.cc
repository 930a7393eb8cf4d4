#include "../core/ring/backward_ring.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "../core/ring/record.h"
#include "test.h"

using namespace perf_ts;

namespace {

/** A ring in ordinary memory, and the kernel's side of it when it writes backwards. */
class FakeBackwardRing {
 public:
  explicit FakeBackwardRing(uint64_t size) : data_(size) {}

  BackwardRing Reader() { return BackwardRing(&control_, data_.data(), data_.size()); }

  /** A sample of `size` bytes, all words of its body `word`. */
  void Write(uint16_t size, uint64_t word) {
    head_ -= size;
    std::vector<uint64_t> record(size / 8, word);
    const RecordHeader header = {kRecordSample, 0, size};
    memcpy(record.data(), &header, sizeof header);
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(record.data());
    for (uint64_t i = 0; i < size; i++) data_[(head_ + i) & (data_.size() - 1)] = bytes[i];
    __atomic_store_n(&control_.data_head, head_, __ATOMIC_RELEASE);
  }

  /** The same by a writer that was paused before it could move data_head. */
  void Begin(uint16_t size, uint64_t word) {
    const uint64_t before = head_;
    Write(size, word);
    head_ = before;
    __atomic_store_n(&control_.data_head, head_, __ATOMIC_RELEASE);
  }

 private:
  perf_event_mmap_page control_ = {};
  std::vector<uint8_t> data_;
  uint64_t head_ = 0;
};

/** The first words of the bodies, in order. */
std::vector<uint64_t> Words(const RecordRun& run) {
  std::vector<uint8_t> bytes(run.size());
  CopyOut(run, 0, run.size(), bytes.data());
  std::vector<uint64_t> words;
  for (uint64_t at = 0; at < bytes.size();) {
    RecordHeader header;
    uint64_t word;
    memcpy(&header, &bytes[at], sizeof header);
    memcpy(&word, &bytes[at + 8], sizeof word);
    words.push_back(word);
    at += header.size;
  }
  return words;
}

}  // namespace

TEST("an empty ring yields nothing") {
  FakeBackwardRing ring(64);
  BackwardRing reader = ring.Reader();
  CHECK_EQUAL(reader.Take().size(), 0);
}

TEST("records come out newest first, and counted") {
  FakeBackwardRing ring(256);
  BackwardRing reader = ring.Reader();
  for (uint64_t i = 1; i <= 3; i++) ring.Write(static_cast<uint16_t>(8 + 8 * i), i);
  const RecordRun run = reader.Take();
  CHECK_EQUAL(run.size(), 16 + 24 + 32);
  CHECK_EQUAL(run.counts.samples, 3);
  CHECK(Words(run) == (std::vector<uint64_t>{3, 2, 1}));
}

TEST("records that were taken are not taken again") {
  FakeBackwardRing ring(256);
  BackwardRing reader = ring.Reader();
  ring.Write(32, 1);
  reader.Take();
  CHECK_EQUAL(reader.Take().size(), 0);
  ring.Write(32, 2);
  ring.Write(32, 3);
  CHECK(Words(reader.Take()) == (std::vector<uint64_t>{3, 2}));
}

TEST("a reading has lost what was overwritten since the one before, and nothing that was taken") {
  FakeBackwardRing ring(256);
  BackwardRing reader = ring.Reader();
  for (uint64_t i = 0; i < 4; i++) ring.Write(32, i);
  reader.Take();
  CHECK(!reader.has_lost());
  for (uint64_t i = 0; i < 9; i++) ring.Write(32, i);
  reader.Take();
  CHECK(reader.has_lost());
  ring.Write(32, 9);
  reader.Take();
  CHECK(!reader.has_lost());
}

TEST("a ring that went round yields its newest whole records, whatever their sizes") {
  for (uint64_t records = 1; records < 200; records++) {
    FakeBackwardRing ring(256);
    BackwardRing reader = ring.Reader();
    uint64_t held = 0, expected = 0, largest = 0;
    bool fits = true;
    std::vector<uint16_t> sizes;
    for (uint64_t i = 0; i < records; i++) {
      sizes.push_back(static_cast<uint16_t>(16 + 8 * (i * 7 % 11)));
      ring.Write(sizes.back(), i);
    }
    for (size_t i = sizes.size(), inside = 0; i > 0; i--) {
      inside += sizes[i - 1];
      if (inside > 256) break;
      largest = std::max<uint64_t>(largest, sizes[i - 1]);
    }
    for (size_t i = sizes.size(); i > 0 && fits; i--) {
      // Beside the oldest, two records of any size that there is may be under way.
      fits = held + sizes[i - 1] + 2 * largest <= 256;
      if (!fits) break;
      held += sizes[i - 1];
      expected++;
    }
    const RecordRun run = reader.Take();
    const std::vector<uint64_t> words = Words(run);
    CHECK_EQUAL(run.size(), held);
    CHECK_EQUAL(words.size(), expected);
    for (size_t i = 0; i < words.size(); i++) CHECK_EQUAL(words[i], records - 1 - i);
  }
}

TEST("records that are being written spoil none that is taken") {
  FakeBackwardRing ring(256);
  BackwardRing reader = ring.Reader();
  for (uint64_t i = 0; i < 12; i++) ring.Write(32, i);
  ring.Begin(32, 99);
  const RecordRun run = reader.Take();
  CHECK(Words(run) == (std::vector<uint64_t>{11, 10, 9, 8, 7, 6}));
  std::vector<uint8_t> bytes(run.size());
  CopyOut(run, 0, run.size(), bytes.data());
  for (uint64_t at = 0; at < bytes.size(); at += 32) {
    for (uint64_t word = 8; word < 32; word += 8) {
      CHECK(memcmp(&bytes[at + 8], &bytes[at + word], 8) == 0);
    }
  }
}

TEST("a second reading after more than the whole ring has only what is new") {
  FakeBackwardRing ring(128);
  BackwardRing reader = ring.Reader();
  ring.Write(32, 1);
  reader.Take();
  for (uint64_t i = 2; i < 19; i++) ring.Write(24, i);
  CHECK(Words(reader.Take()) == (std::vector<uint64_t>{18, 17, 16}));
}

TEST("a header that makes no sense ends the reading") {
  alignas(8) uint8_t data[64] = {};
  perf_event_mmap_page control = {};
  BackwardRing reader(&control, data, sizeof data);
  control.data_head = static_cast<uint64_t>(-64);
  const RecordHeader good = {kRecordSample, 0, 16}, bad = {kRecordSample, 0, 5};
  memcpy(data, &good, sizeof good);
  memcpy(data + 16, &bad, sizeof bad);
  CHECK_EQUAL(reader.Take().size(), 16);
}

int main() {
  return perf_ts::test::RunAll();
}
