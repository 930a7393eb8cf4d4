#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../options.h"
#include "../posix/error.h"
#include "../posix/fd.h"
#include "../ring/ring_buffer.h"
#include "../ring/ring_mapping.h"
#include "event_attr.h"
#include "read_format.h"

namespace perf_ts {

/** One perf_event_open: an event on a CPU, for a task or for all. */
struct Instance {
  Fd fd;
  uint64_t id = 0;
  /** Index into the sampled events, −1: the side-band event. */
  int event = -1;
  int cpu = -1;
  /** −1: all tasks. */
  int task = -1;
  /** The thread that samples are signalled to; 0: none. */
  int signalled = 0;
};

/**
 * Rings of CPU i, or of task i where each has its own: `rings()[kRingsPerPlace * i + kSampleRing]`
 * and the one beside it.
 */
constexpr size_t kRingsPerPlace = 2;
constexpr size_t kSampleRing = 0;
constexpr size_t kSidebandRing = 1;

/** A ring and the instances that write into it. The first one's mapping is the ring. */
struct Ring {
  std::vector<const Instance*> writers;
  RingMapping mapping;
};

/**
 * All events of a session, open, and their rings, mapped.
 *
 * Samples come from the chosen CPUs, the side-band from all: what a task maps on one of them it
 * executes on another. An event whose PMU belongs to one kind of core is opened on its CPUs only.
 *
 *     CPU 0:  cycles/task 1  faults/task 1  cycles/task 2 …  ──▶  sample ring
 *             dummy/task 1                  dummy/task 2 …   ──▶  side-band ring
 *     CPU 1:  the same again                                 ──▶  two rings of its own
 *
 * A ring belongs to a CPU because the kernel writes it without locks; and events are opened per
 * task *and* CPU because it refuses to map an inherited event that may run on any CPU. The
 * side-band has rings of its own so that a flood of samples never costs a FORK or an MMAP2.
 *
 * With the CPUs {−1} a task's events are opened once, on whatever CPU it runs. They can't be
 * inherited then, and the kernel lets no two tasks share a ring, so each task has the two rings.
 */
class EventSet {
 public:
  /**
   * Opens everything on the target: the held command `child_pid`, all tasks, or the threads of what
   * is running. A thread that ends meanwhile is left out; null with ESRCH when none remains.
   */
  static std::unique_ptr<EventSet> Open(const SamplerOptions& options, int child_pid, Error* error);

  /** Sampled events and their groups, on every CPU and task. */
  bool Enable(Error* error);
  void Disable();
  /** The sample rings are written backwards and overwritten: BackwardRing reads them. */
  bool overwrites() const { return !attrs_.empty() && attrs_[0].write_backward(); }
  /** Holds back what would be written to the sample rings, or lets it come again. */
  void PauseSamples(bool paused);

  /**
   * Sends SIGURG to a thread with each of its samples of the first event, or no more. Events that
   * other tasks have inherited signal one thread alone, with their samples too: the first that
   * asks. False where no event is the thread's, or its events signal another.
   */
  bool SignalSamples(int tid, bool on);
  /** Whether a thread gets signals: then each sample wakes who waits for the rings. */
  bool signals() const { return signalled_ > 0; }

  /** Sampled events, then the side-band. */
  void DisableAll();

  /** Final values, summed over the instances; each one's own are left in `readings`, `lost`. */
  std::vector<CounterReading> ReadFinals();
  /** Whether every sampled event has PERF_FORMAT_LOST. */
  bool CountsLost() const;

  const std::vector<Instance>& instances() const { return instances_; }
  /** Per instance, after ReadFinals: samples or side-band records that did not fit. */
  const std::vector<uint64_t>& lost() const { return lost_; }
  /** Per instance, after ReadFinals: what read() returned; empty where it failed. */
  const std::vector<std::vector<uint64_t>>& readings() const { return readings_; }
  const EventAttr& AttrOf(const Instance& instance) const;
  size_t event_count() const { return attrs_.size(); }

  std::vector<Ring>& rings() { return rings_; }
  uint32_t ring_pages() const { return ring_pages_; }
  uint32_t sideband_pages() const { return sideband_pages_; }
  /** Tasks that have at least one event, ascending. */
  const std::vector<int>& tasks() const { return tasks_; }
  /** False: threads were started faster than they could be attached, some may be missing. */
  bool settled() const { return settled_; }
  /** The process of a task that has an event, as it was opened; 0 for all tasks. */
  int ProcessOf(int task) const;

 private:
  EventSet() = default;
  bool Attach(const Target& target, Error* error);
  void AllowFds(size_t tasks);
  bool IsSampled(int cpu) const;
  bool CountsOn(size_t event, int cpu) const;
  bool OpenTask(int task, Error* error);
  bool OpenForCpus(Error* error);
  bool OpenInstance(EventAttr* attr, int event, int cpu, int task, int group_fd,
                    std::vector<Instance>* instances, Error* error);
  void JoinInstances();
  bool MapRings(Error* error);
  bool Redirect(Error* error);

  std::vector<EventAttr> attrs_;
  std::vector<int> leaders_;
  /** Parallel to the attrs: opened once per CPU, not for each task. */
  std::vector<bool> of_cpus_;
  /** Parallel to the attrs: CPUs of the event's PMU, ascending; empty: all. */
  std::vector<std::vector<int>> pmu_cpus_;
  /** Per event: of a tracepoint, the records that it samples; empty: all. */
  std::vector<std::string> filters_;
  EventAttr sideband_;
  /** Sampled ones; {−1}: whatever CPU a task runs on. */
  std::vector<int> cpus_;
  /** The CPUs with a side-band, ascending: the sampled ones are among them. */
  std::vector<int> places_;
  /** Events by task, until all are open; and those of no task. */
  std::map<int, std::vector<Instance>> opened_;
  std::vector<Instance> of_cpu_;
  /** All of them: rings point into it. */
  std::vector<Instance> instances_;
  bool settled_ = true;
  uint64_t needed_fds_ = 0;
  uint64_t allowed_fds_ = 0;
  std::vector<uint64_t> lost_;
  std::vector<std::vector<uint64_t>> readings_;
  int cgroup_fd_ = -1;
  /** Per CPU or task two: samples, then side-band. */
  std::vector<Ring> rings_;
  std::vector<int> tasks_;
  /** Parallel to the tasks. */
  std::vector<int> processes_;
  uint32_t ring_pages_ = 0;
  uint32_t sideband_pages_ = 0;
  /** Instances that signal a thread. */
  std::atomic<int> signalled_{0};
};

}  // namespace perf_ts
