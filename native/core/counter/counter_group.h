#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../event/event_attr.h"
#include "../event/read_format.h"
#include "../posix/error.h"
#include "../posix/fd.h"
#include "user_counter.h"

namespace perf_ts {

struct CounterGroupOptions {
  /** The first one is the leader. All bits are taken as given. */
  std::vector<EventAttr> events;
  /** A thread, 0: the calling one, −1: all tasks on `cpu`. */
  int pid = 0;
  /** −1: wherever the thread runs. */
  int cpu = -1;
  /** Directory of a control group, open; −1: none. Takes the place of `pid`. */
  int cgroup_fd = -1;
};

/**
 * Events that are scheduled together and counted, one file descriptor each:
 *
 *     leader ── sibling ── sibling      enable, disable, reset and read go through the leader
 *
 * Nothing is read behind the caller's back and nothing is kept: a read is one read(2) into the
 * caller's memory. One thread at a time.
 */
class CounterGroup {
 public:
  /** Null with `*error` (its event_index is the one that did not open); nothing stays open then. */
  static std::unique_ptr<CounterGroup> Open(CounterGroupOptions options, Error* error);

  /** The kernel's ids, in the order of the options' events; a group read names its values by them.
   */
  const std::vector<uint64_t>& ids() const { return ids_; }

  /**
   * Switches the leader, and with it the group: its members, which were opened enabled, are on the
   * PMU when it is. PERF_IOC_FLAG_GROUP would switch each of them, and Linux 6.18 then leaves those
   * that are enabled again off until the thread is next scheduled. False with errno set.
   */
  bool Enable();
  bool Disable();

  /**
   * read(2) of the leader: bytes of a `struct read_format` (read_format.h). −1 with errno, ENOSPC
   * where `size` is too small. 0: a pinned group that was not scheduled, and never will be again.
   */
  ssize_t Read(void* into, size_t size) const;

  /**
   * Maps each event's control page for ReadUserCounters. Null with errno; nothing is mapped then.
   * Who keeps them finds them empty after Close.
   */
  std::shared_ptr<UserPages> MapUserPages();

  size_t size() const { return fds_.size(); }
  bool closed() const { return fds_.empty(); }
  void Close();

 private:
  CounterGroup() = default;

  std::vector<Fd> fds_;
  std::vector<uint64_t> ids_;
  /** Null until mapped. */
  std::shared_ptr<UserPages> pages_;
};

}  // namespace perf_ts
