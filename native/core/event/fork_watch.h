#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "../posix/fd.h"
#include "../ring/ring_mapping.h"

namespace perf_ts {

/** A thread or process began: PERF_RECORD_FORK. */
struct Fork {
  int tid = 0;
  /** The thread that made it, which may be of another process. */
  int parent_tid = 0;
  /** CLOCK_MONOTONIC. */
  uint64_t time_ns = 0;
};

/**
 * Reports which threads the watched ones start, and when: a dummy event per thread and CPU, with a
 * ring per CPU. Threads that a watched one starts are watched as well. /proc says neither who
 * started a thread nor when to better than ten milliseconds.
 */
class ForkWatch {
 public:
  explicit ForkWatch(const std::vector<int>& cpus) : cpus_(cpus) {}

  /** False with errno set: ESRCH where the thread has ended. */
  bool Add(int tid);
  /** Forks reported since the last call, by time. */
  std::vector<Fork> Collect();
  /** Some reports did not fit. */
  bool has_lost() const { return has_lost_; }

 private:
  struct CpuRing {
    Fd owner;
    RingMapping mapping;
    RingBuffer buffer;
  };

  bool Map(int cpu, Fd event);
  void Read(const RecordRun& run, std::vector<Fork>* forks);

  std::vector<int> cpus_;
  /** Rings by CPU. */
  std::map<int, CpuRing> rings_;
  /** Events whose output goes to the ring of another one. */
  std::vector<Fd> events_;
  bool has_lost_ = false;
};

}  // namespace perf_ts
