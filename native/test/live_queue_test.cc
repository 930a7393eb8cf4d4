#include "../core/session/live_queue.h"

#include <string>

#include "fake_ring.h"
#include "test.h"

using namespace perf_ts;
using perf_ts::test::Bytes;
using perf_ts::test::FakeRing;

namespace {

constexpr uint64_t kRingBytes = 1 << 19;

/** `count` records of `size` bytes, with bodies that differ. */
void Fill(FakeRing* ring, int count, uint16_t size) {
  for (int i = 0; i < count; i++) ring->Write(kRecordSample, size, static_cast<uint8_t>(i));
  ring->Show();
}

/** All chunks that wait, joined. */
std::vector<uint8_t> TakeAll(LiveQueue* queue) {
  std::vector<uint8_t> bytes;
  while (std::unique_ptr<Chunk> chunk = queue->Take()) {
    bytes.insert(bytes.end(), chunk->data(), chunk->data() + chunk->size());
    queue->Recycle(std::move(chunk));
  }
  return bytes;
}

std::vector<uint8_t> Marker() {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&kFinishedRound);
  return std::vector<uint8_t>(bytes, bytes + sizeof kFinishedRound);
}

}  // namespace

TEST("a round comes out as its records and the marker") {
  LiveQueue queue({4, 65536});
  FakeRing first(kRingBytes), second(kRingBytes, kRingBytes - 16);
  Fill(&first, 3, 40);
  Fill(&second, 2, 64);
  RingBuffer a = first.Reader(), b = second.Reader();
  const std::vector<RecordRun> runs = {a.Records(a.LoadHead()), b.Records(b.LoadHead())};
  const RecordSink::Taken taken = queue.TakeRound(runs);
  CHECK_EQUAL(taken.bytes, 3 * 40 + 2 * 64);
  CHECK(taken.closed);
  std::vector<uint8_t> expected = Bytes(runs[0]);
  for (const uint8_t byte : Bytes(runs[1])) expected.push_back(byte);
  for (const uint8_t byte : Marker()) expected.push_back(byte);
  CHECK(TakeAll(&queue) == expected);
  CHECK(queue.Take() == nullptr);
}

TEST("a full queue takes whole records and leaves the rest, then goes on where it stopped") {
  LiveQueue queue({2, 65536});
  FakeRing ring(kRingBytes);
  Fill(&ring, 200, 1000);
  RingBuffer reader = ring.Reader();
  const uint64_t limit = reader.LoadHead();
  const std::vector<uint8_t> all = Bytes(reader.Records(limit));

  RecordSink::Taken taken = queue.TakeRound({reader.Records(limit)});
  // 65 records fit each of the two chunks.
  CHECK_EQUAL(taken.bytes, 2 * 65 * 1000);
  CHECK(!taken.closed);
  reader.Consume(taken.bytes);
  std::vector<uint8_t> seen;
  std::unique_ptr<Chunk> chunk = queue.Take();
  seen.insert(seen.end(), chunk->data(), chunk->data() + chunk->size());
  CHECK(queue.Recycle(std::move(chunk)));
  for (const uint8_t byte : TakeAll(&queue)) seen.push_back(byte);

  taken = queue.TakeRound({reader.Records(limit)});
  CHECK_EQUAL(taken.bytes, 70 * 1000);
  CHECK(taken.closed);
  for (const uint8_t byte : TakeAll(&queue)) seen.push_back(byte);
  std::vector<uint8_t> expected = all;
  for (const uint8_t byte : Marker()) expected.push_back(byte);
  CHECK(seen == expected);
}

TEST("the marker that found no room closes the round later") {
  LiveQueue queue({1, 65536});
  FakeRing ring(kRingBytes);
  Fill(&ring, 64, 1024);
  RingBuffer reader = ring.Reader();
  RecordSink::Taken taken = queue.TakeRound({reader.Records(reader.LoadHead())});
  CHECK_EQUAL(taken.bytes, 65536);
  CHECK(!taken.closed);
  CHECK_EQUAL(TakeAll(&queue).size(), 65536);
  taken = queue.TakeRound({RecordRun()});
  CHECK(taken.closed);
  CHECK(TakeAll(&queue) == Marker());
}

TEST("the bound is lifted at the end, so that nothing held is thrown away") {
  LiveQueue queue({1, 65536});
  FakeRing ring(kRingBytes);
  Fill(&ring, 400, 1024);
  RingBuffer reader = ring.Reader();
  queue.LiftBound();
  const RecordSink::Taken taken = queue.TakeRound({reader.Records(reader.LoadHead())});
  CHECK_EQUAL(taken.bytes, 400 * 1024);
  CHECK(taken.closed);
  CHECK_EQUAL(TakeAll(&queue).size(), 400 * 1024 + 8);
}

TEST("the largest record fits a chunk whatever size was asked for") {
  LiveQueue queue({1, 1});
  FakeRing ring(kRingBytes);
  Fill(&ring, 1, 65528);
  RingBuffer reader = ring.Reader();
  CHECK_EQUAL(queue.TakeRound({reader.Records(reader.LoadHead())}).bytes, 65528);
}

TEST("chunks that came back are used again") {
  ChunkPool pool(4096, 1);
  std::unique_ptr<Chunk> one = pool.Get(), other = pool.Get();
  const Chunk* kept = one.get();
  pool.Return(std::move(one));
  pool.Return(std::move(other));
  const std::unique_ptr<Chunk> again = pool.Get();
  CHECK(again.get() == kept);
  CHECK_EQUAL(again->size(), 0);
  CHECK_EQUAL(again->room(), 4096);
}

int main() {
  return perf_ts::test::RunAll();
}
