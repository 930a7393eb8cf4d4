#include "event_set.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "fd_limit.h"
#include "perf_event.h"
#include "tasks.h"

namespace perf_ts {

namespace {

/** Descriptors that a session needs beside its events: epoll, stop, pidfd, sink, Node's own. */
constexpr uint64_t kOtherFds = 64;

/** Stands for a task that ended while its events were being opened. */
constexpr int kEnded = -2;

Error Failed(const char* operation, int event, int cpu, int task) {
  Error error;
  error.code_errno = errno;
  error.operation = operation;
  error.event_index = event;
  error.cpu = cpu;
  error.pid = task;
  return error;
}

/** Half, until 16 pages; then the smallest ring there is; 0 when there is nothing less. */
uint32_t NextRingPages(uint32_t pages) {
  if (pages > 16) return std::max<uint32_t>(16, pages / 2);
  return pages > 1 ? 1 : 0;
}

/**
 * Who switches an event on. A command's events start with its exec, so that nothing of ours is
 * counted; group members follow their leader. The side-band of a running target is on from the
 * moment it is open, so that no mapping is missed while the existing ones are being listed.
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

std::unique_ptr<EventSet> EventSet::Open(const SamplerOptions& options,
                                         const std::vector<int>& tasks, int child_pid,
                                         Error* error) {
  std::unique_ptr<EventSet> set(new EventSet());
  for (const EventSpec& event : options.events) {
    set->attrs_.emplace_back(event.attr);
    set->leaders_.push_back(event.leader);
    set->of_cpus_.push_back(event.of_cpus);
  }
  set->sideband_ = EventAttr(options.sideband);
  const bool on_exec = options.target.kind == TargetKind::kCommand;
  PrepareAttrs(options, on_exec, &set->attrs_, &set->sideband_);
  set->ring_pages_ = options.ring_pages;
  set->sideband_pages_ = options.sideband_pages;
  set->cgroup_fd_ = options.cgroup_fd;

  const size_t count = options.cpus.size() * tasks.size() * (options.events.size() + 1);
  const uint64_t needed = count + CountOpenFds() + kOtherFds;
  const FdLimit limit = RaiseFdLimit(needed);
  set->instances_.reserve(count);
  const bool per_task = options.cpus[0] < 0;
  set->rings_.resize((per_task ? tasks.size() : options.cpus.size()) * kRingsPerPlace);

  std::vector<int> remaining = tasks;
  for (size_t i = 0; i < options.cpus.size(); i++) {
    bool has_cpu_events = per_task;
    for (size_t j = 0; j < remaining.size(); j++) {
      int& task = remaining[j];
      if (task == kEnded) continue;
      if (set->OpenTask(per_task ? j : i, options.cpus[i], task, error)) {
        // Behind the first task's: the ring is mapped by an event of the target.
        if (has_cpu_events || set->OpenForCpu(i, options.cpus[i], error)) {
          has_cpu_events = true;
          continue;
        }
        return nullptr;
      }
      if (error->code_errno == EMFILE) {
        error->needed_fds = needed;
        error->allowed_fds = limit.hard;
      }
      // A thread may end between being listed and being opened. The command may not: it is held.
      if (error->code_errno != ESRCH || task == child_pid) return nullptr;
      task = kEnded;
    }
  }
  for (const Instance& instance : set->instances_) {
    if (instance.event < 0 || !set->of_cpus_[instance.event]) {
      set->tasks_.push_back(instance.task);
    }
  }
  std::sort(set->tasks_.begin(), set->tasks_.end());
  set->tasks_.erase(std::unique(set->tasks_.begin(), set->tasks_.end()), set->tasks_.end());
  for (const int task : set->tasks_) {
    set->processes_.push_back(task < 0 ? 0 : ProcessOfThread(task));
  }
  if (std::all_of(remaining.begin(), remaining.end(), [](int task) { return task == kEnded; })) {
    return nullptr;
  }
  if (!set->MapRings(error) || !set->Redirect(error)) return nullptr;
  return set;
}

/** Side-band first: it is on from its opening, and everything sampled has its mappings known. */
bool EventSet::OpenTask(size_t place, int cpu, int task, Error* error) {
  Ring* samples = &rings_[kRingsPerPlace * place + kSampleRing];
  Ring* sideband = &rings_[kRingsPerPlace * place + kSidebandRing];
  if (!OpenInstance(&sideband_, -1, cpu, task, -1, sideband, error)) return false;
  /** Of each event, where it was opened. */
  std::vector<int> fds(attrs_.size(), -1);
  for (size_t i = 0; i < attrs_.size(); i++) {
    if (of_cpus_[i]) continue;
    const int group_fd = leaders_[i] < 0 ? -1 : fds[leaders_[i]];
    if (!OpenInstance(&attrs_[i], static_cast<int>(i), cpu, task, group_fd, samples, error)) {
      return false;
    }
    fds[i] = instances_.back().fd.get();
  }
  return true;
}

/** They write into the sample ring of their CPU, as all of it do. */
bool EventSet::OpenForCpu(size_t place, int cpu, Error* error) {
  Ring* samples = &rings_[kRingsPerPlace * place + kSampleRing];
  for (size_t i = 0; i < attrs_.size(); i++) {
    if (of_cpus_[i] &&
        !OpenInstance(&attrs_[i], static_cast<int>(i), cpu, -1, -1, samples, error)) {
      return false;
    }
  }
  return true;
}

bool EventSet::OpenInstance(EventAttr* attr, int event, int cpu, int task, int group_fd, Ring* ring,
                            Error* error) {
  Instance instance;
  instance.event = event;
  instance.cpu = cpu;
  instance.task = task;
  const bool in_cgroup = cgroup_fd_ >= 0 && event >= 0 && !of_cpus_[event];
  instance.fd = in_cgroup ? OpenEvent(attr, cgroup_fd_, cpu, group_fd, PERF_FLAG_PID_CGROUP)
                          : OpenEvent(attr, task, cpu, group_fd);
  if (!instance.fd.valid()) {
    *error = Failed("perf_event_open", event, cpu, task);
    return false;
  }
  if (!ReadEventId(instance.fd.get(), &instance.id)) {
    *error = Failed("ioctl(PERF_EVENT_IOC_ID)", event, cpu, task);
    return false;
  }
  instances_.push_back(std::move(instance));
  ring->writers.push_back(&instances_.back());
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
    if (const uint32_t fewer = NextRingPages(ring_pages_)) {
      ring_pages_ = fewer;
    } else if (sideband_pages_ > 1) {
      sideband_pages_ /= 2;
    } else {
      return false;
    }
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

void EventSet::Enable() {
  for (const Instance& instance : instances_) {
    if (instance.event >= 0 && leaders_[instance.event] < 0) EnableEvent(instance.fd.get());
  }
}

void EventSet::Disable() {
  for (const Instance& instance : instances_) {
    if (instance.event >= 0 && leaders_[instance.event] < 0) DisableEvent(instance.fd.get());
  }
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
