#include "../core/counter/counter_group.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "test.h"

using namespace perf_ts;

namespace {

constexpr uint64_t kReadFormat =
    kReadGroup | kReadId | kReadTotalTimeEnabled | kReadTotalTimeRunning;

EventAttr Software(uint64_t config, bool disabled) {
  perf_event_attr attr{};
  attr.size = PERF_ATTR_SIZE_VER0;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = config;
  attr.read_format = kReadFormat;
  attr.disabled = disabled;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  std::vector<uint8_t> bytes(PERF_ATTR_SIZE_VER0);
  memcpy(bytes.data(), &attr, bytes.size());
  return EventAttr(bytes);
}

CounterGroupOptions FaultsAndClock() {
  CounterGroupOptions options;
  options.events.push_back(Software(PERF_COUNT_SW_PAGE_FAULTS, true));
  options.events.push_back(Software(PERF_COUNT_SW_TASK_CLOCK, false));
  return options;
}

int OpenFds() {
  DIR* directory = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(directory) != nullptr) count++;
  closedir(directory);
  return count;
}

/** Touches fresh pages: one page fault each. */
void Fault(size_t pages) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* memory =
      mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < pages; i++) static_cast<volatile char*>(memory)[i * page] = 1;
  munmap(memory, pages * page);
}

/** nr, enabled, running, then value and id of each. */
struct Reading {
  uint64_t nr, enabled, running;
  struct {
    uint64_t value, id;
  } counters[2];
};

}  // namespace

TEST("a group counts what happens between enable and disable, and nothing else") {
  Error error;
  const auto group = CounterGroup::Open(FaultsAndClock(), &error);
  CHECK(group != nullptr);
  // Under the address sanitizer this also takes the faults of its own memory for this place.
  Fault(100);
  Reading reading{};
  CHECK_EQUAL(group->Read(&reading, sizeof reading), sizeof reading);
  CHECK_EQUAL(reading.counters[0].value, 0);
  CHECK(group->Enable());
  Fault(100);
  CHECK(group->Disable());
  Fault(50);
  CHECK_EQUAL(group->Read(&reading, sizeof reading), sizeof reading);
  CHECK_EQUAL(reading.nr, 2);
  CHECK_EQUAL(reading.counters[0].id, group->ids()[0]);
  CHECK_EQUAL(reading.counters[1].id, group->ids()[1]);
  CHECK_EQUAL(reading.counters[0].value, 100);
  CHECK(reading.counters[1].value > 0);
  CHECK(reading.enabled > 0 && reading.enabled == reading.running);
}

TEST("members count again each time that the group is enabled") {
  // Switched one by one they don't, on Linux 6.18: the first region has its faults, the second
  // none.
  CounterGroupOptions options;
  options.events.push_back(Software(PERF_COUNT_SW_TASK_CLOCK, true));
  options.events.push_back(Software(PERF_COUNT_SW_PAGE_FAULTS, false));
  Error error;
  const auto group = CounterGroup::Open(std::move(options), &error);
  uint64_t before = 0;
  for (int region = 0; region < 5; region++) {
    CHECK(group->Enable());
    Fault(100);
    CHECK(group->Disable());
    Reading reading{};
    group->Read(&reading, sizeof reading);
    const uint64_t counted = reading.counters[1].value - before;
    before = reading.counters[1].value;
    // The sanitizer's own memory faults at the first.
    if (region > 0) CHECK_EQUAL(counted, 100);
  }
}

TEST("memory that is too small is refused with ENOSPC") {
  Error error;
  const auto group = CounterGroup::Open(FaultsAndClock(), &error);
  uint64_t words[3];
  errno = 0;
  CHECK_EQUAL(group->Read(words, sizeof words), -1);
  CHECK_EQUAL(errno, ENOSPC);
}

TEST("an event that does not open is named, and nothing stays open") {
  const int before = OpenFds();
  CounterGroupOptions options = FaultsAndClock();
  options.events.push_back(Software(9999, false));
  Error error;
  CHECK(CounterGroup::Open(std::move(options), &error) == nullptr);
  CHECK_EQUAL(error.event_index, 2);
  CHECK_EQUAL(error.code_errno, ENOENT);
  CHECK(strcmp(error.operation, "perf_event_open") == 0);
  CHECK_EQUAL(OpenFds(), before);
}

TEST("after close no descriptor and no mapping stays; software events have no user reads") {
  const int before = OpenFds();
  Error error;
  const auto group = CounterGroup::Open(FaultsAndClock(), &error);
  CHECK_EQUAL(OpenFds(), before + 2);
  const auto pages = group->MapUserPages();
  CHECK(pages != nullptr && pages->size() == 2);
  CHECK(group->MapUserPages() == pages);
  uint64_t values[2];
  CHECK(!ReadUserCounters(*pages, values));
  group->Close();
  CHECK(group->closed());
  CHECK(pages->empty());
  CHECK(!ReadUserCounters(*pages, values));
  CHECK_EQUAL(OpenFds(), before);
}

int main() {
  Error error;
  if (CounterGroup::Open(FaultsAndClock(), &error) == nullptr) {
    printf("SKIP the kernel opens no counters here: %s\n", strerror(error.code_errno));
    return 0;
  }
  return perf_ts::test::RunAll();
}
