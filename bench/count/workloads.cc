// The two programs of a report on hardware counters, each with a region that leaves its set-up out:
//   float    additions only
//   matrix   a product of matrices that together are larger than the last cache
// argv: float|matrix, size. Prints what the region counted as JSON, event name -> count.

#include <linux/perf_event.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../../native/core/counter/counter_group.h"

using namespace perf_ts;

namespace {

struct Event {
  const char* name;
  uint32_t type;
  uint64_t config;
};

constexpr Event kSoftware[] = {{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
                               {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}};
constexpr Event kHardware[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
};

EventAttr AttrOf(const Event& event, bool is_leader) {
  perf_event_attr attr{};
  attr.size = PERF_ATTR_SIZE_VER0;
  attr.type = event.type;
  attr.config = event.config;
  attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
  attr.disabled = is_leader;
  std::vector<uint8_t> bytes(PERF_ATTR_SIZE_VER0);
  memcpy(bytes.data(), &attr, bytes.size());
  return EventAttr(bytes);
}

std::unique_ptr<CounterGroup> Open(const std::vector<Event>& events) {
  CounterGroupOptions options;
  for (const Event& event : events) {
    options.events.push_back(AttrOf(event, options.events.empty()));
  }
  Error error;
  return CounterGroup::Open(std::move(options), &error);
}

__attribute__((noinline)) double AddFloats(long times) {
  volatile double start = 0.5;
  double x = start, y = start, z = start, t = start;
  for (long i = 0; i < times; i++) {
    x = x + y;
    y = x + t;
    z = x + z;
    x = t + y;
    t = y + x;
    if (t > 1e300) x = y = z = t = start;
  }
  return x + y + z + t;
}

__attribute__((noinline)) void Multiply(const std::vector<double>& a, const std::vector<double>& b,
                                        std::vector<double>* c, size_t rows, size_t size) {
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < size; j++) {
      double sum = 0;
      for (size_t k = 0; k < size; k++) sum += a[i * size + k] * b[k * size + j];
      (*c)[i * size + j] = sum;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string kind = argv[1];
  const long size = atol(argv[2]);
  std::vector<Event> events(std::begin(kSoftware), std::end(kSoftware));
  std::vector<Event> all = events;
  all.insert(all.end(), std::begin(kHardware), std::end(kHardware));
  std::unique_ptr<CounterGroup> group = Open(all);
  if (group) {
    events = all;
  } else {
    group = Open(events);
  }
  if (!group) {
    perror("perf_event_open");
    return 1;
  }

  double result = 0;
  if (kind == "float") {
    group->Enable();
    result = AddFloats(size);
    group->Disable();
  } else {
    // Rows enough for a second or so; all of b is gone through for each of them.
    const size_t side = static_cast<size_t>(size);
    const size_t rows = 8;
    std::vector<double> a(side * side), b(side * side), c(side * side);
    for (size_t i = 0; i < side * side; i++) {
      a[i] = static_cast<double>(rand()) / RAND_MAX;
      b[i] = static_cast<double>(rand()) / RAND_MAX;
    }
    group->Enable();
    Multiply(a, b, &c, rows, side);
    group->Disable();
    result = c[rows * side - 1];
  }
  uint64_t words[1 + 2 * 5];
  if (group->Read(words, sizeof words) < 0) return 1;
  for (size_t i = 0; i < events.size(); i++) {
    printf("%s\"%s\":%llu", i == 0 ? "{" : ",", events[i].name,
           static_cast<unsigned long long>(words[1 + 2 * i]));
  }
  printf("}\n");
  fprintf(stderr, "%g\n", result);
  return 0;
}
