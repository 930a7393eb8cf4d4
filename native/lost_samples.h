#pragma once

#include <cstdint>
#include <vector>

#include "event_attr.h"

namespace perf_ts {

/** Whose loss it is, for the record's sample-id trailer. */
struct LossOrigin {
  uint64_t event_id = 0;
  int cpu = -1;
  /** 0 where the instance does not say. */
  uint32_t pid = 0;
  uint64_t time_ns = 0;
};

/**
 * A PERF_RECORD_LOST_SAMPLES (header included) as the kernel would have written it for an event
 * with this attr: the lost count that was read when the event closed becomes part of the recording.
 */
std::vector<uint64_t> LostSamplesRecord(const EventAttr& attr, uint64_t lost,
                                        const LossOrigin& origin);

}  // namespace perf_ts
