#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "../command/child_process.h"
#include "../event/event_set.h"
#include "../posix/error.h"
#include "../posix/fd.h"

namespace perf_ts {

/**
 * The drain thread sleeps on the rings (half full, or a task gone), on the command's exec and
 * end, and on an eventfd for other threads. One writer of each ring is watched, because the kernel
 * wakes them all.
 */
class Watcher {
 public:
  /** All must outlive this; `child`: null without a command. False with `*error` set. */
  bool Open(const std::vector<Ring>& rings, const ChildProcess* child, Error* error);

  /** Until something happens, at most `timeout_ms`. */
  void Wait(int timeout_ms);
  /** Until something happens that is not in the rings, at most `timeout_ms`. */
  void WaitWithoutRings(int timeout_ms);
  /** Sleeps until the command ends or Wake is called. */
  void WaitForChild();
  /** Any thread: ends a Wait. */
  void Wake();

  /** The command has been executed, or could not be. */
  bool exec_settled() const { return exec_settled_; }
  bool child_ended() const { return child_ended_; }
  /** No event of a task has one left, inherited ones included; never where all are of all tasks. */
  bool all_tasks_gone() const { return quiet_rings_ == watches_.size(); }
  /**
   * Whether an event of a task has one left, an inherited one included, once those have had `grace`
   * to end: a helper of the command often ends some milliseconds after it.
   */
  bool HasTasksAfter(std::chrono::milliseconds grace) const;

 private:
  struct Watch {
    const Ring* ring;
    /** Index of the writer that is watched; the ones before it have hung up. */
    size_t writer;
  };

  bool Add(int fd, uint64_t tag);
  void WatchNextWriter(size_t ring);
  void ClearWake();

  Fd epoll_;
  /** Counts up with every Wake. */
  Fd wake_;
  int child_pidfd_ = -1;
  int exec_fd_ = -1;
  bool exec_settled_ = false;
  bool child_ended_ = false;
  std::vector<Watch> watches_;
  size_t quiet_rings_ = 0;
};

}  // namespace perf_ts
