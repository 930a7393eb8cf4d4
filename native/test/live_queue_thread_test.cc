// The drain thread fills the queue while another thread empties it.

#include <pthread.h>

#include <atomic>

#include "../core/session/live_queue.h"
#include "fake_ring.h"
#include "test.h"

using namespace perf_ts;
using perf_ts::test::FakeRing;

namespace {

constexpr int kRounds = 2000;

struct Consumer {
  LiveQueue* queue;
  std::atomic<bool> filled{false};
  std::vector<uint8_t> bytes;
};

void* Consume(void* argument) {
  Consumer& consumer = *static_cast<Consumer*>(argument);
  for (;;) {
    const bool last = consumer.filled;
    while (std::unique_ptr<Chunk> chunk = consumer.queue->Take()) {
      consumer.bytes.insert(consumer.bytes.end(), chunk->data(), chunk->data() + chunk->size());
      consumer.queue->Recycle(std::move(chunk));
    }
    if (last) return nullptr;
  }
}

}  // namespace

TEST("every byte passes once and in order while both sides work") {
  LiveQueue queue({2, 65536});
  FakeRing ring(1 << 16);
  RingBuffer reader = ring.Reader();
  Consumer consumer;
  consumer.queue = &queue;
  pthread_t thread;
  CHECK_EQUAL(pthread_create(&thread, nullptr, Consume, &consumer), 0);
  std::vector<uint8_t> expected;
  for (int i = 0; i < kRounds; i++) {
    ring.Write(kRecordSample, static_cast<uint16_t>(16 + 8 * (i % 500)), static_cast<uint8_t>(i));
    ring.Show();
    const uint64_t limit = reader.LoadHead();
    for (const uint8_t byte : perf_ts::test::Bytes(reader.Records(limit))) expected.push_back(byte);
    for (size_t b = 0; b < 8; b++) {
      expected.push_back(reinterpret_cast<const uint8_t*>(&kFinishedRound)[b]);
    }
    for (bool closed = false; !closed;) {
      const RecordSink::Taken taken = queue.TakeRound({reader.Records(limit)});
      reader.Consume(taken.bytes);
      closed = taken.closed;
    }
  }
  consumer.filled = true;
  pthread_join(thread, nullptr);
  CHECK_EQUAL(consumer.bytes.size(), expected.size());
  CHECK(consumer.bytes == expected);
}

int main() {
  return perf_ts::test::RunAll();
}
