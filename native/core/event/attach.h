#pragma once

#include <functional>
#include <vector>

namespace perf_ts {

/** Running threads to be measured. */
struct AttachTarget {
  /** Processes, of which all threads; or none. */
  std::vector<int> pids;
  /** Single threads; or none. */
  std::vector<int> tids;
  /** CPUs on which threads may be started. */
  std::vector<int> cpus;
  /** Events opened on a thread count also in the threads that it starts later. */
  bool inherits = true;
};

enum class Opened { kYes, kGone, kFailed };

/** Called for each thread. Nothing that is opened may count before all is attached. */
struct Attachment {
  /** Opens all that belongs on the thread, or nothing. */
  std::function<Opened(int tid)> open;
  /** Closes it again, and with it what threads have inherited from it. */
  std::function<void(int tid)> close;
};

enum class AttachResult {
  /** Each thread is measured exactly once: it was opened, or has inherited from one that was. */
  kSettled,
  /** Threads came faster than they could be attached: some may be missing. */
  kUnsettled,
  /** `open` has failed. */
  kFailed,
  /** There is no such process; errno states why. `pid` of the outcome. */
  kNoTarget,
};

struct AttachOutcome {
  AttachResult result = AttachResult::kSettled;
  int pid = -1;
};

/**
 * Opens something on all threads of a target that goes on starting threads meanwhile.
 *
 * A thread that is started by one that is not attached yet has inherited nothing, one that is
 * started by an attached one everything, and one that is started while its parent is being attached
 * a part. Where a second look at the threads finds nothing new, none of this has happened. Else all
 * is closed and done again under a ForkWatch, which states who started whom, and when: what has
 * inherited nothing is opened, and a thread that started others while it was being opened is opened
 * anew, for closing it takes from them what they have inherited.
 */
AttachOutcome AttachThreads(const AttachTarget& target, const Attachment& attachment);

}  // namespace perf_ts
