#include "../core/counter/user_counter.h"

#include "test.h"

using namespace perf_ts;

namespace {

/** A control page of an event on register 2, 48 bits wide. */
perf_event_mmap_page ReadablePage() {
  perf_event_mmap_page page{};
  page.index = 3;
  page.capabilities = kCapUserRdpmc;
  page.pmc_width = 48;
  return page;
}

}  // namespace

TEST("the value is what the kernel summed up and what the counter holds") {
  perf_event_mmap_page page = ReadablePage();
  page.offset = 1000;
  uint32_t asked = 99;
  uint64_t value = 0;
  CHECK(ReadUserCounter(
      &page,
      [&](uint32_t number) {
        asked = number;
        return uint64_t{42};
      },
      &value));
  CHECK_EQUAL(asked, 2);
  CHECK_EQUAL(value, 1042);
}

TEST("a counter of 48 bits that has not yet passed zero is negative") {
  perf_event_mmap_page page = ReadablePage();
  page.offset = int64_t{1} << 47;
  uint64_t value = 0;
  // The kernel starts it at −2^47; it has counted 5.
  const uint64_t raw = (uint64_t{1} << 48) - (uint64_t{1} << 47) + 5;
  CHECK(ReadUserCounter(
      &page, [&](uint32_t) { return raw; }, &value));
  CHECK_EQUAL(value, 5);
  // Bits above the width are not the counter's.
  CHECK(ReadUserCounter(
      &page, [&](uint32_t) { return raw | 0xabcd000000000000; }, &value));
  CHECK_EQUAL(value, 5);
}

TEST("a counter of 64 bits is taken whole") {
  perf_event_mmap_page page = ReadablePage();
  page.pmc_width = 64;
  page.offset = 1;
  uint64_t value = 0;
  CHECK(ReadUserCounter(
      &page, [](uint32_t) { return UINT64_MAX; }, &value));
  CHECK_EQUAL(value, 0);
}

TEST("an event that is on no counter, or may not be read so, is refused without touching one") {
  const auto must_not_read = [](uint32_t) {
    CHECK(false);
    return uint64_t{0};
  };
  uint64_t value = 0;
  perf_event_mmap_page page = ReadablePage();
  page.index = 0;
  CHECK(!ReadUserCounter(&page, must_not_read, &value));
  page = ReadablePage();
  page.capabilities = ~kCapUserRdpmc;
  CHECK(!ReadUserCounter(&page, must_not_read, &value));
  page = ReadablePage();
  page.pmc_width = 0;
  CHECK(!ReadUserCounter(&page, must_not_read, &value));
  page.pmc_width = 65;
  CHECK(!ReadUserCounter(&page, must_not_read, &value));
}

TEST("a page that changes meanwhile is read again") {
  perf_event_mmap_page page = ReadablePage();
  page.offset = 100;
  int reads = 0;
  uint64_t value = 0;
  CHECK(ReadUserCounter(
      &page,
      [&](uint32_t) {
        // The thread was scheduled out and in between the first look and this one.
        if (reads++ == 0) {
          page.lock += 2;
          page.offset = 200;
          return uint64_t{50};
        }
        return uint64_t{7};
      },
      &value));
  CHECK_EQUAL(reads, 2);
  CHECK_EQUAL(value, 207);
}

TEST("a page that never comes to rest is given up") {
  perf_event_mmap_page page = ReadablePage();
  uint64_t value = 0;
  int reads = 0;
  CHECK(!ReadUserCounter(
      &page,
      [&](uint32_t) {
        reads++;
        page.lock += 2;
        return uint64_t{0};
      },
      &value));
  CHECK_EQUAL(reads, kMostUserReadTries);
}

int main() {
  return kCanReadHardwareCounters ? perf_ts::test::RunAll() : 0;
}
