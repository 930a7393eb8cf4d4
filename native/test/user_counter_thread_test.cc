#include <atomic>
#include <thread>

#include "../core/counter/user_counter.h"
#include "test.h"

using namespace perf_ts;

TEST("a reader beside the kernel sees a page of one moment") {
  // The kernel keeps offset + counter at 1 000 000 here, as when it moves an event to another
  // register: every whole view of the page gives that sum.
  perf_event_mmap_page page{};
  page.capabilities = kCapUserRdpmc;
  page.pmc_width = 48;
  page.index = 1;
  page.offset = 1000000;
  std::atomic<bool> done{false};
  std::thread kernel([&] {
    for (uint32_t i = 1; i <= 200000; i++) {
      __atomic_store_n(&page.lock, page.lock + 1, __ATOMIC_RELAXED);
      __atomic_store_n(&page.index, 1 + i % 1000, __ATOMIC_RELEASE);
      __atomic_store_n(&page.offset, int64_t{1000000} - i % 1000, __ATOMIC_RELEASE);
      __atomic_store_n(&page.lock, page.lock + 1, __ATOMIC_RELEASE);
    }
    done = true;
  });
  uint64_t whole = 0;
  uint64_t torn = 0;
  while (!done || whole == 0) {
    uint64_t value = 0;
    // The register's number is its value, so that index and offset must be of one moment.
    if (!ReadUserCounter(
            &page, [](uint32_t number) { return uint64_t{number}; }, &value))
      continue;
    whole++;
    if (value != 1000000) torn++;
  }
  kernel.join();
  CHECK(whole > 0);
  CHECK_EQUAL(torn, 0);
}

int main() {
  return kCanReadHardwareCounters ? perf_ts::test::RunAll() : 0;
}
