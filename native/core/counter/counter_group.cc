#include "counter_group.h"

#include <linux/perf_event.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "../event/perf_event.h"

namespace perf_ts {

std::unique_ptr<CounterGroup> CounterGroup::Open(CounterGroupOptions options, Error* error) {
  std::unique_ptr<CounterGroup> group(new CounterGroup());
  const bool of_cgroup = options.cgroup_fd >= 0;
  const int pid = of_cgroup ? options.cgroup_fd : options.pid;
  const unsigned long flags = of_cgroup ? PERF_FLAG_PID_CGROUP : 0;
  for (EventAttr& attr : options.events) {
    const int leader = group->fds_.empty() ? -1 : group->fds_[0].get();
    Fd fd = OpenEvent(&attr, pid, options.cpu, leader, flags);
    uint64_t id = 0;
    const bool opened = fd.valid();
    if (!opened || !ReadEventId(fd.get(), &id)) {
      error->code_errno = errno;
      error->operation = opened ? "ioctl(PERF_EVENT_IOC_ID)" : "perf_event_open";
      error->event_index = static_cast<int>(group->fds_.size());
      error->cpu = options.cpu;
      error->pid = of_cgroup ? -1 : options.pid;
      return nullptr;
    }
    group->fds_.push_back(std::move(fd));
    group->ids_.push_back(id);
  }
  return group;
}

bool CounterGroup::Enable() {
  return EnableEvent(fds_[0].get());
}

bool CounterGroup::Disable() {
  return DisableEvent(fds_[0].get());
}

ssize_t CounterGroup::Read(void* into, size_t size) const {
  return read(fds_[0].get(), into, size);
}

std::shared_ptr<UserPages> CounterGroup::MapUserPages() {
  if (pages_) return pages_;
  std::shared_ptr<UserPages> pages(new UserPages());
  for (const Fd& fd : fds_) {
    UserPage page = UserPage::Map(fd.get());
    if (!page.valid()) return nullptr;
    pages->push_back(std::move(page));
  }
  return pages_ = std::move(pages);
}

void CounterGroup::Close() {
  if (pages_) pages_->clear();
  // The leader last: closing it first would make each sibling a group of its own for a moment.
  while (!fds_.empty()) fds_.pop_back();
}

}  // namespace perf_ts
