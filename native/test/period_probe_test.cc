// What a probe of this thread's own page faults tells of the kernel: counted in software, each
// sample reports the period of the interval that it begins.

#include "../core/event/period_probe.h"

#include <linux/perf_event.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "test.h"

using namespace perf_ts;

namespace {

EventAttr PageFaults(uint64_t sample_type) {
  perf_event_attr attr{};
  attr.size = PERF_ATTR_SIZE_VER0;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_PAGE_FAULTS;
  attr.freq = 1;
  attr.sample_freq = 1000;
  attr.sample_type = sample_type;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  std::vector<uint8_t> bytes(PERF_ATTR_SIZE_VER0);
  memcpy(bytes.data(), &attr, bytes.size());
  return EventAttr(bytes);
}

constexpr PeriodProbeOptions kOptions = {3, 16, 1000000000, true};

}  // namespace

TEST(
    "a probe takes at most so many samples of each start, and their counts say which interval a "
    "period counts") {
  std::vector<ProbedSamples> starts;
  Error error;
  CHECK(ProbePeriods(PageFaults(kProbedSampleType), kOptions, &starts, &error));
  CHECK_EQUAL(starts.size(), 3);
  for (const ProbedSamples& samples : starts) {
    // A thread that lost its CPU for long gets a long period from the kernel: such a start ends by
    // its CPU time.
    CHECK(samples.size() >= 3 * 2 && samples.size() <= 3 * 16 && samples.size() % 3 == 0);
    for (size_t i = 3; i < samples.size(); i += 3) {
      CHECK(samples[i] >= samples[i - 3]);
      CHECK_EQUAL(samples[i + 2] - samples[i - 1], samples[i - 2]);
    }
  }
}

TEST("a probe ends with what it has where its event does not happen") {
  PeriodProbeOptions options = kOptions;
  options.touches_pages = false;
  options.max_cpu_ns = 1000000;
  std::vector<ProbedSamples> starts;
  Error error;
  CHECK(ProbePeriods(PageFaults(kProbedSampleType), options, &starts, &error));
  for (const ProbedSamples& samples : starts) CHECK(samples.size() < 3 * 16);
}

TEST("a probe refuses samples of other fields") {
  std::vector<ProbedSamples> starts;
  Error error;
  CHECK(!ProbePeriods(PageFaults(PERF_SAMPLE_TIME), kOptions, &starts, &error));
  CHECK_EQUAL(error.code_errno, EINVAL);
}

int main() {
  std::vector<ProbedSamples> starts;
  Error error;
  if (!ProbePeriods(PageFaults(kProbedSampleType), {1, 1, 1, true}, &starts, &error)) {
    printf("SKIP the kernel opens no sampled events here: %s\n", strerror(error.code_errno));
    return 0;
  }
  return perf_ts::test::RunAll();
}
