#pragma once

#include <cstdint>
#include <vector>

#include "../posix/error.h"
#include "event_attr.h"

namespace perf_ts {

/** How a probe samples the calling thread. */
struct PeriodProbeOptions {
  /** Times that the event is opened: in frequency mode each begins with a ramp of the period. */
  uint32_t starts = 1;
  /** Samples of a start, at most. */
  uint32_t samples = 1;
  /** CPU time of the thread with which a start ends, whatever it has sampled. */
  uint64_t max_cpu_ns = 0;
  /** The work touches fresh pages; otherwise it computes. */
  bool touches_pages = false;
};

/** One start: PERF_SAMPLE_TIME, _PERIOD and _READ's value of each sample, in order. */
using ProbedSamples = std::vector<uint64_t>;

/** Its attr's sample type, exactly; its read format is 0. */
constexpr uint64_t kProbedSampleType = 4 /* TIME */ | 16 /* READ */ | 256 /* PERIOD */;

/**
 * Samples the calling thread while it does work of a constant rate. A start that meets a throttle
 * or a lost record ends there: what follows it has no neighbour. False with the error where the
 * event or its ring does not open; EINVAL for another sample type.
 */
bool ProbePeriods(const EventAttr& attr, const PeriodProbeOptions& options,
                  std::vector<ProbedSamples>* starts, Error* error);

}  // namespace perf_ts
