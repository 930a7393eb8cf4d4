#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../posix/fd.h"
#include "event_attr.h"
#include "read_format.h"

namespace perf_ts {

/**
 * perf_event_open(2), close-on-exec beside `flags`. Invalid with errno set on failure; on E2BIG the
 * kernel has written the size that it knows into the attr.
 */
Fd OpenEvent(EventAttr* attr, int pid, int cpu, int group_fd, unsigned long flags = 0);

/** The id that PERF_SAMPLE_ID carries for this event. False with errno set. */
bool ReadEventId(int fd, uint64_t* id);

/** PERF_EVENT_IOC_ENABLE and _DISABLE: the event and all its inherited children. */
bool EnableEvent(int fd);
bool DisableEvent(int fd);

/** Holds back the records that would be written to the ring of `fd`, or lets them come again. */
bool PauseOutput(int fd, bool paused);

/** Samples the records only of a tracepoint that `filter` lets pass. False with errno set. */
bool FilterEvent(int fd, const std::string& filter);

/**
 * Sends SIGURG to a thread with each sample of `fd`, and of what inherited it, or no more. False
 * with errno set.
 */
bool SignalSamples(int fd, int tid, bool on);

/** Sends the records of `fd` to the ring of `owner_fd`, which must be mapped. False with errno. */
bool RedirectOutput(int fd, int owner_fd);

/**
 * read(2) of a counter: a `struct read_format`, empty when that failed. `members`: how many events
 * its group has at most.
 */
std::vector<uint64_t> ReadCounterWords(int fd, size_t members);

/** Whether an event would open: errno (0: it does), and on E2BIG the size that the kernel named. */
struct ProbeResult {
  int code_errno = 0;
  uint32_t kernel_attr_size = 0;
};
ProbeResult ProbeEvent(EventAttr attr, int pid, int cpu);

}  // namespace perf_ts
