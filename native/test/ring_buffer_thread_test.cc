// A writer that keeps the kernel's side of the contract against the reader, on two threads. Under
// the thread sanitizer this shows that the reader's two ordered accesses suffice; built with them
// relaxed, that the sanitizer would have seen it.

#include <pthread.h>
#include <sched.h>

#include <cstdio>
#include <vector>

#include "../core/ring/ring_buffer.h"
#include "test.h"

using namespace perf_ts;

namespace {

/** Both threads draw the same sequence: the reader knows what must come. */
class Sequence {
 public:
  explicit Sequence(uint64_t max_size) : max_size_(max_size) {}
  uint16_t NextSize() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    const uint64_t size = 16 + 8 * ((state_ >> 33) % (max_size_ / 8 - 1));
    return static_cast<uint16_t>(size < max_size_ ? size : max_size_);
  }

 private:
  uint64_t state_ = 1;
  uint64_t max_size_;
};

struct Shared {
  explicit Shared(uint64_t size, uint64_t records)
      : data(size), record_count(records), max_size(size < 65528 ? size : 65528) {}
  perf_event_mmap_page control = {};
  std::vector<uint8_t> data;
  uint64_t record_count;
  uint64_t max_size;
};

/** The kernel's half: looks at the tail, writes the data, publishes the head. */
void* Write(void* argument) {
  Shared& shared = *static_cast<Shared*>(argument);
  const uint64_t size = shared.data.size();
  Sequence sequence(shared.max_size);
  uint64_t head = 0;
  for (uint64_t i = 0; i < shared.record_count; i++) {
    const uint16_t record_size = sequence.NextSize();
    while (head + record_size - __atomic_load_n(&shared.control.data_tail, __ATOMIC_ACQUIRE) >
           size) {
      sched_yield();
    }
    const RecordHeader header = {kRecordSample, 0, record_size};
    memcpy(&shared.data[head & (size - 1)], &header, sizeof header);
    for (uint64_t at = head + 8; at < head + record_size; at += 8) {
      const uint64_t word = i ^ at;
      memcpy(&shared.data[at & (size - 1)], &word, sizeof word);
    }
    head += record_size;
    __atomic_store_n(&shared.control.data_head, head, __ATOMIC_RELEASE);
  }
  return nullptr;
}

/** How many records were not what the writer wrote. */
uint64_t Read(Shared* shared) {
  RingBuffer reader(&shared->control, shared->data.data(), shared->data.size());
  Sequence sequence(shared->max_size);
  std::vector<uint8_t> copy(shared->data.size());
  uint64_t seen = 0, wrong = 0, position = 0;
  while (seen < shared->record_count && reader.SkippedBytes() == 0) {
    const RecordRun run = reader.Records(reader.LoadHead());
    if (run.size() == 0) {
      sched_yield();
      continue;
    }
    CopyOut(run, 0, run.size(), copy.data());
    for (uint64_t at = 0; at < run.size(); seen++) {
      RecordHeader header;
      memcpy(&header, &copy[at], sizeof header);
      bool right = header.size == sequence.NextSize();
      for (uint64_t offset = 8; offset < header.size; offset += 8) {
        uint64_t word;
        memcpy(&word, &copy[at + offset], sizeof word);
        right = right && word == (seen ^ (position + offset));
      }
      wrong += right ? 0 : 1;
      at += header.size;
      position += header.size;
    }
    reader.Consume(run.size());
  }
  return wrong + (shared->record_count - seen);
}

void Exchange(uint64_t pages, uint64_t records) {
  Shared shared(pages * 4096, records);
  pthread_t writer;
  CHECK_EQUAL(pthread_create(&writer, nullptr, Write, &shared), 0);
  const uint64_t wrong = Read(&shared);
  // A reader that gave up would leave the writer waiting for room.
  __atomic_store_n(&shared.control.data_tail, __atomic_load_n(&shared.control.data_head, 0), 3);
  CHECK_EQUAL(wrong, 0);
  pthread_join(writer, nullptr);
}

}  // namespace

TEST("a ring of one page hands over every record intact") {
  Exchange(1, 20000);
}
TEST("a ring of two pages hands over every record intact") {
  Exchange(2, 20000);
}
TEST("a ring of eight pages hands over every record intact") {
  Exchange(8, 10000);
}
TEST("a ring of 32 pages hands over records of up to 65 528 bytes intact") {
  Exchange(32, 2000);
}

int main() {
  return perf_ts::test::RunAll();
}
