#include "../core/ring/ring_buffer.h"

#include "fake_ring.h"
#include "test.h"

using namespace perf_ts;
using perf_ts::test::Bytes;
using perf_ts::test::FakeRing;

TEST("an empty ring yields nothing") {
  FakeRing ring(64);
  RingBuffer reader = ring.Reader();
  CHECK_EQUAL(reader.Records(reader.LoadHead()).size(), 0);
  CHECK_EQUAL(reader.SkippedBytes(), 0);
}

TEST("records come out whole, in order and counted") {
  FakeRing ring(256);
  RingBuffer reader = ring.Reader();
  ring.Write(kRecordSample, 32, 1);
  ring.WriteLost(5);
  ring.Write(kRecordThrottle, 32);
  ring.WriteLost(7);
  ring.Write(kRecordSample, 40, 9);
  ring.Show();
  const RecordRun run = reader.Records(reader.LoadHead());
  CHECK_EQUAL(run.size(), 32 + 24 + 32 + 24 + 40);
  CHECK_EQUAL(run.parts[1].size, 0);
  CHECK_EQUAL(run.counts.samples, 2);
  CHECK_EQUAL(run.counts.lost_records, 12);
  CHECK_EQUAL(run.counts.throttles, 1);
  CHECK_EQUAL(Bytes(run)[8], 1 + 8);
}

TEST("a body that wraps comes in two pieces which join to the record") {
  //      0       16                48      64
  //      | body  | free            | header| …body wraps
  FakeRing ring(64, 48);
  RingBuffer reader = ring.Reader();
  ring.Write(kRecordSample, 32, 3);
  ring.Show();
  const RecordRun run = reader.Records(reader.LoadHead());
  CHECK_EQUAL(run.parts[0].size, 16);
  CHECK_EQUAL(run.parts[1].size, 16);
  const std::vector<uint8_t> bytes = Bytes(run);
  for (size_t i = 8; i < bytes.size(); i++) CHECK_EQUAL(bytes[i], 3 + i);
}

TEST("a header may be the ring's last eight bytes, its body wrapped entirely") {
  FakeRing ring(64, 56);
  RingBuffer reader = ring.Reader();
  ring.Write(kRecordSample, 24, 5);
  ring.Show();
  const RecordRun run = reader.Records(reader.LoadHead());
  CHECK_EQUAL(run.parts[0].size, 8);
  CHECK_EQUAL(run.parts[1].size, 16);
  CHECK_EQUAL(run.counts.samples, 1);
}

TEST("the words of a LOST record are found behind the wrap") {
  FakeRing ring(64, 48);
  RingBuffer reader = ring.Reader();
  ring.WriteLost(41);
  ring.Show();
  CHECK_EQUAL(reader.Records(reader.LoadHead()).counts.lost_records, 41);
}

TEST("a ring that is exactly full yields all of it") {
  for (const uint64_t start : {uint64_t{0}, uint64_t{24}, UINT64_MAX - 7}) {
    FakeRing ring(64, start);
    RingBuffer reader = ring.Reader();
    ring.Write(kRecordSample, 40);
    ring.Write(kRecordSample, 24);
    ring.Show();
    const RecordRun run = reader.Records(reader.LoadHead());
    CHECK_EQUAL(run.size(), 64);
    CHECK_EQUAL(run.counts.samples, 2);
    reader.Consume(run.size());
    CHECK_EQUAL(ring.control().data_tail, start + 64);
    CHECK_EQUAL(reader.Records(reader.LoadHead()).size(), 0);
  }
}

TEST("the tail moves only when records are consumed") {
  FakeRing ring(64);
  RingBuffer reader = ring.Reader();
  ring.Write(kRecordSample, 16);
  ring.Write(kRecordSample, 24);
  ring.Show();
  CHECK_EQUAL(reader.Records(reader.LoadHead()).size(), 40);
  CHECK_EQUAL(ring.control().data_tail, 0);
  reader.Consume(16);
  CHECK_EQUAL(ring.control().data_tail, 16);
  const RecordRun rest = reader.Records(reader.LoadHead());
  CHECK_EQUAL(rest.size(), 24);
  CHECK_EQUAL(rest.counts.samples, 1);
}

TEST("records beyond the limit wait for the next round") {
  FakeRing ring(128);
  RingBuffer reader = ring.Reader();
  ring.Write(kRecordSample, 24);
  ring.Show();
  const uint64_t limit = reader.LoadHead();
  ring.Write(kRecordSample, 32);
  ring.Show();
  CHECK_EQUAL(reader.Records(limit).size(), 24);
  reader.Consume(24);
  CHECK_EQUAL(reader.Records(limit).size(), 0);
  CHECK_EQUAL(reader.Records(reader.LoadHead()).size(), 32);
}

TEST("a size that makes no sense gives the ring up behind the last good record") {
  // Smaller than a header, not aligned, reaching beyond the head.
  for (const uint16_t size : {0, 7, 12, 4096}) {
    FakeRing ring(128);
    RingBuffer reader = ring.Reader();
    ring.Write(kRecordSample, 24);
    ring.Write(kRecordSample, 16);
    const RecordHeader bad = {kRecordSample, 0, size};
    ring.Write(kRecordSample, 8);
    ring.Show();
    // The last header's size, in place.
    memcpy(const_cast<uint8_t*>(reader.Records(reader.LoadHead()).parts[0].data) + 40, &bad,
           sizeof bad);
    const RecordRun run = reader.Records(reader.LoadHead());
    CHECK_EQUAL(run.size(), 40);
    CHECK_EQUAL(run.counts.samples, 2);
    CHECK_EQUAL(reader.SkippedBytes(), 8);
    reader.Consume(16 + 8);
    CHECK_EQUAL(reader.Records(reader.LoadHead()).size(), 16);
    reader.Consume(16);
    CHECK_EQUAL(reader.Records(reader.LoadHead()).size(), 0);
    ring.Write(kRecordSample, 24);
    ring.Show();
    CHECK_EQUAL(reader.Records(reader.LoadHead()).size(), 0);
    CHECK_EQUAL(reader.SkippedBytes(), 8 + 24);
  }
}

TEST("positions further apart than the ring is large are not believed") {
  FakeRing ring(64);
  RingBuffer reader = ring.Reader();
  ring.control().data_head = 1 << 20;
  CHECK_EQUAL(reader.Records(reader.LoadHead()).size(), 0);
  CHECK_EQUAL(reader.SkippedBytes(), 1 << 20);
}

TEST("a tail beyond the head is not believed") {
  FakeRing ring(64, 32);
  RingBuffer reader = ring.Reader();
  ring.control().data_head = 16;
  CHECK_EQUAL(reader.Records(reader.LoadHead()).size(), 0);
  CHECK(reader.SkippedBytes() > 0);
}

TEST("a walk stops before the record that the limit cuts") {
  FakeRing ring(128, 96);
  RingBuffer reader = ring.Reader();
  ring.Write(kRecordSample, 24);
  ring.Write(kRecordSample, 40);
  ring.Write(kRecordThrottle, 16);
  ring.Show();
  const RecordRun run = reader.Records(reader.LoadHead());
  CHECK_EQUAL(WalkRecords(run, 0, 23).bytes, 0);
  CHECK_EQUAL(WalkRecords(run, 0, 24).bytes, 24);
  CHECK_EQUAL(WalkRecords(run, 0, 63).bytes, 24);
  CHECK_EQUAL(WalkRecords(run, 24, 80).bytes, 56);
  CHECK_EQUAL(WalkRecords(run, 24, 80).counts.samples, 1);
}

int main() {
  return perf_ts::test::RunAll();
}
