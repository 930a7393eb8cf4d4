// Rings whose bytes and positions mean nothing: what is read stays inside the ring. The address
// sanitizer's run of this test is the one that matters.
#include <memory>
#include <random>
#include <vector>

#include "../core/ring/backward_ring.h"
#include "../core/ring/ring_buffer.h"
#include "test.h"

using namespace perf_ts;

namespace {

constexpr int kRounds = 60000;

/** A ring of its own allocation, so that a byte read beside it is noticed. */
struct Ring {
  explicit Ring(uint64_t size_) : size(size_), data(new uint8_t[size_]) {}

  uint64_t size;
  std::unique_ptr<uint8_t[]> data;
  perf_event_mmap_page control = {};
};

uint64_t Below(std::mt19937_64& random, uint64_t count) {
  return random() % count;
}

/** Headers at places where a walk may look for them, most of which could be true. */
void FillWithHeaders(Ring& ring, std::mt19937_64& random) {
  const uint32_t types[] = {kRecordLost, kRecordThrottle, kRecordSample, kRecordFinishedRound, 77};
  for (uint64_t at = 0; at < ring.size; at += 8) {
    const uint64_t word = random();
    memcpy(ring.data.get() + at, &word, sizeof word);
    if (Below(random, 4) == 0) continue;
    const uint16_t sizes[] = {0, 4, 8, 12, 16, 24, 32, 64, 1024, 65528, 65535};
    const RecordHeader header = {types[Below(random, 5)], 0, sizes[Below(random, 11)]};
    memcpy(ring.data.get() + at, &header, sizeof header);
  }
}

/** A position that is a little, or wildly, different from `near`. */
uint64_t Position(uint64_t near, uint64_t size, std::mt19937_64& random) {
  switch (Below(random, 6)) {
    case 0:
      return random();
    case 1:
      return near + size;
    case 2:
      return near + size + 8;
    case 3:
      return near - 8;
    default:
      return near + Below(random, size + 1) / 8 * 8 + (Below(random, 20) == 0 ? 3 : 0);
  }
}

/** Every byte of a run, copied as a sink copies it. */
uint64_t ReadAll(const RecordRun& run) {
  std::vector<uint8_t> bytes(run.size());
  CopyOut(run, 0, run.size(), bytes.data());
  const uint64_t half = run.size() / 2;
  CopyOut(run, half, run.size() - half, bytes.data());
  uint64_t sum = 0;
  for (const uint8_t byte : bytes) sum += byte;
  return sum;
}

}  // namespace

TEST("a ring of any bytes, and any head, yields no more than it holds") {
  std::mt19937_64 random(1);
  uint64_t yielded = 0, given_up = 0;
  for (int round = 0; round < kRounds; round++) {
    Ring ring(8ull << Below(random, 8));
    FillWithHeaders(ring, random);
    const uint64_t start =
        Below(random, 3) == 0 ? ~0ull - 7 - 8 * Below(random, 64) : 8 * Below(random, 4096);
    ring.control.data_tail = start;
    ring.control.data_head = start;
    RingBuffer reader(&ring.control, ring.data.get(), ring.size);
    for (int drain = 0; drain < 4; drain++) {
      ring.control.data_head = Position(reader.tail(), ring.size, random);
      const RecordRun run = reader.Records(reader.LoadHead());
      CHECK(run.size() <= ring.size);
      CHECK_EQUAL(WalkRecords(run, 0, run.size()).bytes, run.size());
      ReadAll(run);
      yielded += run.size();
      reader.Consume(run.size());
    }
    if (reader.SkippedBytes() > 0) given_up++;
  }
  CHECK(yielded > 100000);
  CHECK(given_up > 1000);
}

TEST("a ring that is written backwards, of any bytes and any head, yields no more than it holds") {
  std::mt19937_64 random(2);
  uint64_t yielded = 0;
  for (int round = 0; round < kRounds; round++) {
    Ring ring(8ull << Below(random, 8));
    FillWithHeaders(ring, random);
    BackwardRing reader(&ring.control, ring.data.get(), ring.size);
    for (int take = 0; take < 4; take++) {
      const uint64_t head = Position(ring.control.data_head, ring.size, random);
      ring.control.data_head = Below(random, 2) == 0 ? 0 - head : head;
      const RecordRun run = reader.Take();
      CHECK(run.size() <= ring.size);
      ReadAll(run);
      yielded += run.size();
    }
  }
  CHECK(yielded > 100000);
}

int main() {
  return perf_ts::test::RunAll();
}
