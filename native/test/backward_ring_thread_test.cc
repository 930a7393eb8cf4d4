// A writer on another thread that stops while the ring is read, as the kernel does for
// PERF_EVENT_IOC_PAUSE_OUTPUT: nothing torn, nothing twice, and under the thread sanitizer no race.

#include <pthread.h>
#include <sched.h>

#include <cstring>
#include <mutex>
#include <vector>

#include "../core/ring/backward_ring.h"
#include "../core/ring/record.h"
#include "test.h"

using namespace perf_ts;

namespace {

constexpr uint64_t kRecords = 50000;

struct Shared {
  perf_event_mmap_page control = {};
  std::vector<uint8_t> data = std::vector<uint8_t>(4096);
  /** Held by the writer for each record, by the reader while the output is paused. */
  std::mutex output;
  bool ended = false;
};

void* Write(void* argument) {
  Shared& shared = *static_cast<Shared*>(argument);
  const uint64_t size = shared.data.size();
  uint64_t head = 0;
  for (uint64_t i = 0; i < kRecords; i++) {
    const std::lock_guard<std::mutex> lock(shared.output);
    const uint16_t record_size = static_cast<uint16_t>(16 + 8 * (i % 9));
    head -= record_size;
    const RecordHeader header = {kRecordSample, 0, record_size};
    memcpy(&shared.data[head & (size - 1)], &header, sizeof header);
    for (uint64_t offset = 8; offset < record_size; offset += 8) {
      memcpy(&shared.data[(head + offset) & (size - 1)], &i, sizeof i);
    }
    __atomic_store_n(&shared.control.data_head, head, __ATOMIC_RELEASE);
    shared.ended = i + 1 == kRecords;
  }
  return nullptr;
}

}  // namespace

TEST("every reading is of whole records, each one older than the one before it") {
  Shared shared;
  BackwardRing ring(&shared.control, shared.data.data(), shared.data.size());
  pthread_t writer;
  CHECK_EQUAL(pthread_create(&writer, nullptr, Write, &shared), 0);
  uint64_t wrong = 0, next = 0;
  for (bool ended = false; !ended;) {
    {
      const std::lock_guard<std::mutex> lock(shared.output);
      ended = shared.ended;
      const RecordRun run = ring.Take();
      std::vector<uint8_t> copy(run.size());
      CopyOut(run, 0, run.size(), copy.data());
      uint64_t newest = next, before = UINT64_MAX;
      for (uint64_t at = 0; at < copy.size();) {
        RecordHeader header;
        uint64_t number;
        memcpy(&header, &copy[at], sizeof header);
        memcpy(&number, &copy[at + header.size - 8], sizeof number);
        wrong += header.size == 16 + 8 * (number % 9) ? 0 : 1;
        wrong += number >= next && (before == UINT64_MAX || number + 1 == before) ? 0 : 1;
        if (before == UINT64_MAX) newest = number + 1;
        before = number;
        at += header.size;
      }
      next = newest;
    }
    sched_yield();
  }
  pthread_join(writer, nullptr);
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(next, kRecords);
}

int main() {
  return perf_ts::test::RunAll();
}
