// What reading costs without JavaScript. Prints nanoseconds of CPU time as JSON:
//   read       read(2) of a group of four events
//   userRead   the control page of one event, with rdtsc in the place of rdpmc
// argv: how often.

#include <linux/perf_event.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../../native/core/event/perf_event.h"
#include "../../native/core/counter/user_counter.h"

using namespace perf_ts;

namespace {

double CpuNs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

Fd Open(uint64_t config, int leader) {
  perf_event_attr attr{};
  attr.size = PERF_ATTR_SIZE_VER0;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = config;
  attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
                     PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_LOST;
  std::vector<uint8_t> bytes(PERF_ATTR_SIZE_VER0);
  memcpy(bytes.data(), &attr, bytes.size());
  EventAttr event(bytes);
  return OpenEvent(&event, 0, -1, leader);
}

#if defined(__x86_64__)
uint64_t TimeStamp(uint32_t) {
  uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
  return static_cast<uint64_t>(high) << 32 | low;
}
#else
uint64_t TimeStamp(uint32_t) {
  return 0;
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const long times = argc > 1 ? atol(argv[1]) : 1000000;
  const Fd leader = Open(PERF_COUNT_SW_TASK_CLOCK, -1);
  if (!leader.valid()) {
    perror("perf_event_open");
    return 1;
  }
  const Fd members[] = {Open(PERF_COUNT_SW_PAGE_FAULTS, leader.get()),
                        Open(PERF_COUNT_SW_CONTEXT_SWITCHES, leader.get()),
                        Open(PERF_COUNT_SW_CPU_MIGRATIONS, leader.get())};
  for (const Fd& member : members) {
    if (!member.valid()) return 1;
  }
  uint64_t words[3 + 3 * 4];
  const double start = CpuNs();
  for (long i = 0; i < times; i++) {
    if (read(leader.get(), words, sizeof words) != sizeof words) return 1;
  }
  const double read_ns = (CpuNs() - start) / times;

  perf_event_mmap_page page{};
  page.index = 1;
  page.capabilities = kCapUserRdpmc;
  page.pmc_width = 48;
  uint64_t sum = 0;
  const double user_start = CpuNs();
  for (long i = 0; i < times; i++) {
    uint64_t value = 0;
    if (!ReadUserCounter(&page, TimeStamp, &value)) return 1;
    sum += value;
  }
  const double user_ns = (CpuNs() - user_start) / times;
  printf("{\"read\":%.1f,\"userRead\":%.1f,\"sum\":%d}\n", read_ns, user_ns, sum != 0);
  return 0;
}
