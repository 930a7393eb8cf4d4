#include "event_set.h"

#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "../posix/fd_limit.h"
#include "attach.h"
#include "perf_event.h"
#include "tasks.h"

namespace perf_ts {

namespace {

/** Descriptors that a session needs beside its events: epoll, stop, pidfd, sink, Node's own. */
constexpr uint64_t kOtherFds = 64;

Error Failed(const char* operation, int event, int cpu, int task) {
  Error error;
  error.code_errno = errno;
  error.operation = operation;
  error.event_index = event;
  error.cpu = cpu;
  error.pid = task;
  return error;
}

/** Bytes left to a side-band ring before a sample ring has to shrink below this as well. */
constexpr long kLeastBytes = 64 * 1024;

/**
 * One step to smaller rings; false when there is nothing less. Sample rings are halved while they
 * are more than twice as large as the side-band ones, else these, which need not be large but not
 * tiny: below kLeastBytes each, only the sample rings shrink, to one page, and then the others.
 */
bool ShrinkRings(uint32_t* sample_pages, uint32_t* sideband_pages) {
  const uint32_t least = static_cast<uint32_t>(std::max(1L, kLeastBytes / sysconf(_SC_PAGESIZE)));
  if (*sample_pages > least && *sample_pages > 2 * *sideband_pages) {
    *sample_pages = std::max(least, *sample_pages / 2);
  } else if (*sideband_pages > least) {
    *sideband_pages = std::max(least, *sideband_pages / 2);
  } else if (*sample_pages > least) {
    *sample_pages = std::max(least, *sample_pages / 2);
  } else if (*sample_pages > 1) {
    *sample_pages = 1;
  } else if (*sideband_pages > 1) {
    *sideband_pages /= 2;
  } else {
    return false;
  }
  return true;
}

/**
 * The cause that switches an event on. A command's events start with its exec, so that nothing of
 * ours is counted; group members follow their leader. The side-band of a running target is on from
 * the moment it is open, so that no mapping is missed while the existing ones are being listed.
 */
void PrepareAttrs(const SamplerOptions& options, bool on_exec, std::vector<EventAttr>* attrs,
                  EventAttr* sideband) {
  for (size_t i = 0; i < attrs->size(); i++) {
    const bool leads = options.events[i].leader < 0;
    // What belongs to no task has no exec that would switch it on.
    const bool at_exec = on_exec && !options.events[i].of_cpus;
    (*attrs)[i].set_disabled(leads && (at_exec || !on_exec || options.delayed));
    (*attrs)[i].set_enable_on_exec(leads && at_exec && !options.delayed);
  }
  sideband->set_disabled(on_exec);
  sideband->set_enable_on_exec(on_exec);
  // `watermark` with a watermark of 0 bytes is half of whatever ring the kernel grants. An attr
  // that names its own wake-up (live, low latency) keeps it.
  for (EventAttr& attr : *attrs) {
    if (attr.wakeup() == 0) attr.set_watermark(true);
    // Nobody reads these rings before they are asked for: once around is the longest there is.
    if (attr.write_backward()) attr.set_wakeup(UINT32_MAX);
  }
  if (sideband->wakeup() == 0) sideband->set_watermark(true);
}

}  // namespace

std::unique_ptr<EventSet> EventSet::Open(const SamplerOptions& options, int child_pid,
                                         Error* error) {
  std::unique_ptr<EventSet> set(new EventSet());
  for (const EventSpec& event : options.events) {
    set->attrs_.emplace_back(event.attr);
    set->leaders_.push_back(event.leader);
    set->of_cpus_.push_back(event.of_cpus);
    set->pmu_cpus_.push_back(event.cpus);
    set->filters_.push_back(event.filter);
  }
  set->sideband_ = EventAttr(options.sideband);
  const bool on_exec = options.target.kind == TargetKind::kCommand;
  PrepareAttrs(options, on_exec, &set->attrs_, &set->sideband_);
  set->ring_pages_ = options.ring_pages;
  set->sideband_pages_ = options.sideband_pages;
  set->cgroup_fd_ = options.cgroup_fd;
  set->cpus_ = options.cpus;
  set->places_ = options.cpus;
  if (options.cpus[0] >= 0) {
    set->places_.insert(set->places_.end(), options.sideband_cpus.begin(),
                        options.sideband_cpus.end());
    std::sort(set->places_.begin(), set->places_.end());
    set->places_.erase(std::unique(set->places_.begin(), set->places_.end()), set->places_.end());
  }

  switch (options.target.kind) {
    case TargetKind::kCommand:
    case TargetKind::kSystem: {
      const int task = options.target.kind == TargetKind::kCommand ? child_pid : -1;
      set->AllowFds(1);
      if (!set->OpenTask(task, error)) return nullptr;
      break;
    }
    case TargetKind::kProcesses:
    case TargetKind::kThreads:
      if (!set->Attach(options.target, error)) return nullptr;
  }
  if (!set->OpenForCpus(error)) return nullptr;
  set->JoinInstances();
  if (!set->MapRings(error) || !set->Redirect(error)) return nullptr;
  return set;
}

bool EventSet::Attach(const Target& target, Error* error) {
  AttachTarget threads;
  (target.kind == TargetKind::kThreads ? threads.tids : threads.pids) = target.ids;
  threads.cpus = places_;
  threads.inherits = std::any_of(attrs_.begin(), attrs_.end(),
                                 [](const EventAttr& attr) { return attr.inherit(); });
  size_t count = threads.tids.size();
  for (const int pid : threads.pids) count += ListThreads(pid).size();
  AllowFds(count);
  Attachment attachment;
  attachment.open = [&](int tid) {
    if (OpenTask(tid, error)) return Opened::kYes;
    opened_.erase(tid);
    return error->code_errno == ESRCH ? Opened::kGone : Opened::kFailed;
  };
  attachment.close = [&](int tid) { opened_.erase(tid); };
  const AttachOutcome outcome = AttachThreads(threads, attachment);
  if (outcome.result == AttachResult::kNoTarget) {
    *error = {errno, "opendir(/proc/PID/task)", -1, -1, outcome.pid};
  }
  settled_ = outcome.result == AttachResult::kSettled;
  // The last error is that of a thread that has ended.
  return (settled_ || outcome.result == AttachResult::kUnsettled) && !opened_.empty();
}

/** Allows the descriptors that events on so many tasks take, and a watch over their forks. */
void EventSet::AllowFds(size_t tasks) {
  const size_t per_task = 2 * places_.size() + cpus_.size() * attrs_.size();
  needed_fds_ = tasks * per_task + CountOpenFds() + kOtherFds;
  allowed_fds_ = RaiseFdLimit(needed_fds_).hard;
}

bool EventSet::IsSampled(int cpu) const {
  return std::find(cpus_.begin(), cpus_.end(), cpu) != cpus_.end();
}

/** A group counts where its leader does: its members have no switch of their own. */
bool EventSet::CountsOn(size_t event, int cpu) const {
  if (leaders_[event] >= 0 && !CountsOn(leaders_[event], cpu)) return false;
  const std::vector<int>& own = pmu_cpus_[event];
  return cpu < 0 || own.empty() || std::binary_search(own.begin(), own.end(), cpu);
}

/** Side-band first: it is on from its opening, and everything sampled has its mappings known. */
bool EventSet::OpenTask(int task, Error* error) {
  std::vector<Instance>& instances = opened_[task];
  for (const int cpu : places_) {
    if (!OpenInstance(&sideband_, -1, cpu, task, -1, &instances, error)) return false;
    if (!IsSampled(cpu)) continue;
    /** Descriptors of each event, where it was opened. */
    std::vector<int> fds(attrs_.size(), -1);
    for (size_t i = 0; i < attrs_.size(); i++) {
      if (of_cpus_[i] || !CountsOn(i, cpu)) continue;
      const int group_fd = leaders_[i] < 0 ? -1 : fds[leaders_[i]];
      const int event = static_cast<int>(i);
      if (!OpenInstance(&attrs_[i], event, cpu, task, group_fd, &instances, error)) return false;
      fds[i] = instances.back().fd.get();
    }
  }
  return true;
}

/** They write into the sample ring of their CPU, as all of it do. */
bool EventSet::OpenForCpus(Error* error) {
  for (const int cpu : cpus_) {
    for (size_t i = 0; i < attrs_.size() && cpu >= 0; i++) {
      const int event = static_cast<int>(i);
      if (!of_cpus_[i] || !CountsOn(i, cpu)) continue;
      if (!OpenInstance(&attrs_[i], event, cpu, -1, -1, &of_cpu_, error)) return false;
    }
  }
  return true;
}

/** Brings the instances into their order, CPU by CPU, and into their rings. */
void EventSet::JoinInstances() {
  for (auto& [task, instances] : opened_) {
    tasks_.push_back(task);
    processes_.push_back(task < 0 ? 0 : ProcessOfThread(task));
    for (Instance& instance : instances) instances_.push_back(std::move(instance));
  }
  opened_.clear();
  // Behind those of the tasks: a ring is mapped by an event of the target.
  for (Instance& instance : of_cpu_) instances_.push_back(std::move(instance));
  of_cpu_.clear();
  std::stable_sort(instances_.begin(), instances_.end(),
                   [](const Instance& a, const Instance& b) { return a.cpu < b.cpu; });
  const bool per_task = cpus_[0] < 0;
  rings_.resize((per_task ? tasks_.size() : places_.size()) * kRingsPerPlace);
  const std::vector<int>& places = per_task ? tasks_ : places_;
  for (const Instance& instance : instances_) {
    const int place = per_task ? instance.task : instance.cpu;
    const size_t index = std::lower_bound(places.begin(), places.end(), place) - places.begin();
    const size_t kind = instance.event < 0 ? kSidebandRing : kSampleRing;
    rings_[kRingsPerPlace * index + kind].writers.push_back(&instance);
  }
}

bool EventSet::OpenInstance(EventAttr* attr, int event, int cpu, int task, int group_fd,
                            std::vector<Instance>* instances, Error* error) {
  Instance instance;
  instance.event = event;
  instance.cpu = cpu;
  instance.task = task;
  const bool in_cgroup = cgroup_fd_ >= 0 && event >= 0 && !of_cpus_[event];
  instance.fd = in_cgroup ? OpenEvent(attr, cgroup_fd_, cpu, group_fd, PERF_FLAG_PID_CGROUP)
                          : OpenEvent(attr, task, cpu, group_fd);
  if (!instance.fd.valid()) {
    *error = Failed("perf_event_open", event, cpu, task);
    if (error->code_errno == EMFILE) {
      error->needed_fds = needed_fds_;
      error->allowed_fds = allowed_fds_;
    }
    return false;
  }
  const bool filters = event >= 0 && !filters_[event].empty();
  if (filters && !FilterEvent(instance.fd.get(), filters_[event])) {
    *error = Failed("ioctl(PERF_EVENT_IOC_SET_FILTER)", event, cpu, task);
    return false;
  }
  if (!ReadEventId(instance.fd.get(), &instance.id)) {
    *error = Failed("ioctl(PERF_EVENT_IOC_ID)", event, cpu, task);
    return false;
  }
  instances->push_back(std::move(instance));
  return true;
}

/**
 * The kernel grants each user a number of locked pages and refuses the mapping that goes beyond
 * (EPERM). All rings of a kind are of one size, so one refusal shrinks them all.
 */
bool EventSet::MapRings(Error* error) {
  for (;;) {
    bool fits = true;
    for (size_t i = 0; i < rings_.size() && fits; i++) {
      if (rings_[i].writers.empty()) continue;
      const bool is_sideband = i % kRingsPerPlace == kSidebandRing;
      const Instance& owner = *rings_[i].writers[0];
      const int failure =
          rings_[i].mapping.Map(owner.fd.get(), is_sideband ? sideband_pages_ : ring_pages_,
                                !is_sideband && overwrites());
      if (failure == 0) continue;
      errno = failure;
      *error = Failed("mmap", owner.event, owner.cpu, owner.task);
      if (failure != EPERM && failure != ENOMEM) return false;
      fits = false;
    }
    if (fits) return true;
    for (Ring& ring : rings_) ring.mapping.Unmap();
    if (!ShrinkRings(&ring_pages_, &sideband_pages_)) return false;
  }
}

bool EventSet::Redirect(Error* error) {
  for (Ring& ring : rings_) {
    for (size_t i = 1; i < ring.writers.size(); i++) {
      const Instance& writer = *ring.writers[i];
      if (RedirectOutput(writer.fd.get(), ring.writers[0]->fd.get())) continue;
      *error = Failed("ioctl(PERF_EVENT_IOC_SET_OUTPUT)", writer.event, writer.cpu, writer.task);
      return false;
    }
  }
  return true;
}

bool EventSet::Enable(Error* error) {
  for (const Instance& instance : instances_) {
    if (instance.event < 0 || leaders_[instance.event] >= 0) continue;
    if (EnableEvent(instance.fd.get())) continue;
    *error = Failed("ioctl(PERF_EVENT_IOC_ENABLE)", instance.event, instance.cpu, instance.task);
    return false;
  }
  return true;
}

void EventSet::Disable() {
  for (const Instance& instance : instances_) {
    if (instance.event >= 0 && leaders_[instance.event] < 0) DisableEvent(instance.fd.get());
  }
}

bool EventSet::SignalSamples(int tid, bool on) {
  const bool is_own = std::binary_search(tasks_.begin(), tasks_.end(), tid);
  // All of a command inherit the events of its first process; threads of a process that was there
  // before inherit those of one of many.
  if (!is_own && (tasks_.size() != 1 || tasks_[0] < 0)) return false;
  bool is_done = false;
  for (Instance& instance : instances_) {
    if (instance.event != 0 || instance.task < 0 || (is_own && instance.task != tid)) continue;
    if (instance.signalled != (on ? 0 : tid)) continue;
    if (!perf_ts::SignalSamples(instance.fd.get(), tid, on)) continue;
    instance.signalled = on ? tid : 0;
    signalled_ += on ? 1 : -1;
    is_done = true;
  }
  return is_done;
}

void EventSet::PauseSamples(bool paused) {
  for (size_t i = kSampleRing; i < rings_.size(); i += kRingsPerPlace) {
    if (!rings_[i].writers.empty()) PauseOutput(rings_[i].writers[0]->fd.get(), paused);
  }
}

void EventSet::DisableAll() {
  Disable();
  for (const Instance& instance : instances_) {
    if (instance.event < 0) DisableEvent(instance.fd.get());
  }
}

std::vector<CounterReading> EventSet::ReadFinals() {
  std::vector<CounterReading> finals(attrs_.size());
  lost_.assign(instances_.size(), 0);
  readings_.assign(instances_.size(), {});
  for (size_t i = 0; i < instances_.size(); i++) {
    const Instance& instance = instances_[i];
    CounterReading reading;
    std::vector<uint64_t> words = ReadCounterWords(instance.fd.get(), attrs_.size());
    if (!ParseReading(words, AttrOf(instance).read_format(), instance.id, &reading)) continue;
    readings_[i] = std::move(words);
    lost_[i] = reading.lost;
    if (instance.event >= 0) finals[instance.event].Add(reading);
  }
  return finals;
}

bool EventSet::CountsLost() const {
  return std::all_of(attrs_.begin(), attrs_.end(),
                     [](const EventAttr& attr) { return (attr.read_format() & kReadLost) != 0; });
}

int EventSet::ProcessOf(int task) const {
  const auto found = std::lower_bound(tasks_.begin(), tasks_.end(), task);
  return found == tasks_.end() || *found != task ? 0 : processes_[found - tasks_.begin()];
}

const EventAttr& EventSet::AttrOf(const Instance& instance) const {
  return instance.event < 0 ? sideband_ : attrs_[instance.event];
}

}  // namespace perf_ts
