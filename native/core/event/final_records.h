#pragma once

#include <cstdint>
#include <vector>

#include "event_attr.h"

namespace perf_ts {

/** Which instance a record is about, for its sample-id trailer. */
struct InstanceOrigin {
  uint64_t event_id = 0;
  int cpu = -1;
  /** The task that the instance was opened on; 0 where it is all tasks. */
  uint32_t pid = 0;
  uint32_t tid = 0;
  uint64_t time_ns = 0;
};

/**
 * The records with which an instance ends, as the kernel would have written them for an event with
 * this attr, header included: what was read from the counter when it was closed becomes part of the
 * recording.
 *
 * PERF_RECORD_LOST_SAMPLES: samples that did not fit.
 */
std::vector<uint64_t> LostSamplesRecord(const EventAttr& attr, uint64_t lost,
                                        const InstanceOrigin& origin);

/**
 * PERF_RECORD_READ: the final value. `reading` is what read() returned, which is the record's
 * `struct read_format` word for word. The kernel itself writes this record for inherited instances
 * only (inherit_stat). The value of an instance that was opened, unlike theirs, includes all that
 * it has passed on to children.
 */
std::vector<uint64_t> ReadRecord(const EventAttr& attr, const std::vector<uint64_t>& reading,
                                 const InstanceOrigin& origin);

}  // namespace perf_ts
