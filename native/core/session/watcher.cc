#include "watcher.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace perf_ts {

namespace {

/** The subject of an epoll event: one of these, or the index of a watch. */
constexpr uint64_t kWakeTag = UINT64_MAX;
constexpr uint64_t kChildTag = UINT64_MAX - 1;
constexpr uint64_t kExecTag = UINT64_MAX - 2;

/** The first writer from `from` on that is of a task: one of all tasks never hangs up. */
size_t NextOfTask(const std::vector<const Instance*>& writers, size_t from) {
  while (from < writers.size() && writers[from]->task == -1) from++;
  return from;
}

}  // namespace

bool Watcher::Open(const std::vector<Ring>& rings, const ChildProcess* child, Error* error) {
  epoll_ = Fd(epoll_create1(EPOLL_CLOEXEC));
  wake_ = Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  bool watching = epoll_.valid() && wake_.valid() && Add(wake_.get(), kWakeTag);
  if (child != nullptr) {
    child_pidfd_ = child->pidfd();
    exec_fd_ = child->exec_fd();
    watching = watching && Add(child_pidfd_, kChildTag) && Add(exec_fd_, kExecTag);
  }
  for (const Ring& ring : rings) {
    if (ring.writers.empty()) continue;
    const size_t of_task = NextOfTask(ring.writers, 0);
    const size_t first = of_task == ring.writers.size() ? 0 : of_task;
    watching = watching && Add(ring.writers[first]->fd.get(), watches_.size());
    watches_.push_back({&ring, first});
  }
  if (!watching) *error = {errno, "epoll"};
  return watching;
}

bool Watcher::Add(int fd, uint64_t tag) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void Watcher::Wait(int timeout_ms) {
  epoll_event happened[64];
  const int count = epoll_wait(epoll_.get(), happened, 64, timeout_ms);
  // The exec and the end of the child are not to be missed where epoll_wait is refused.
  if (count < 0 && errno != EINTR) WaitWithoutRings(timeout_ms);
  for (int i = 0; i < count; i++) {
    const uint64_t tag = happened[i].data.u64;
    if (tag == kWakeTag) {
      ClearWake();
    } else if (tag == kChildTag) {
      child_ended_ = true;
    } else if (tag == kExecTag) {
      exec_settled_ = true;
      epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, exec_fd_, nullptr);
    } else if ((happened[i].events & (EPOLLHUP | EPOLLERR)) != 0) {
      WatchNextWriter(tag);
    }
  }
}

/** An event whose task and inherited children are all gone hangs up for ever. */
void Watcher::WatchNextWriter(size_t ring) {
  Watch& watch = watches_[ring];
  const std::vector<const Instance*>& writers = watch.ring->writers;
  // Where the last one could not be taken off, it goes on hanging up.
  if (watch.writer == writers.size()) return;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, writers[watch.writer]->fd.get(), nullptr);
  do {
    watch.writer = NextOfTask(writers, watch.writer + 1);
  } while (watch.writer < writers.size() && !Add(writers[watch.writer]->fd.get(), ring));
  if (watch.writer == writers.size()) quiet_rings_++;
}

bool Watcher::HasTasksAfter(std::chrono::milliseconds grace) const {
  const auto end = std::chrono::steady_clock::now() + grace;
  for (const Watch& watch : watches_) {
    const std::vector<const Instance*>& writers = watch.ring->writers;
    for (size_t i = watch.writer; i < writers.size(); i++) {
      if (writers[i]->task == -1) continue;
      pollfd event = {writers[i]->fd.get(), 0, 0};
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      if (poll(&event, 1, static_cast<int>(std::max<int64_t>(left.count(), 0))) == 0) return true;
    }
  }
  return false;
}

void Watcher::WaitWithoutRings(int timeout_ms) {
  // Without a child, and of an exec that is settled: −1, which poll leaves out.
  pollfd fds[3] = {{wake_.get(), POLLIN, 0},
                   {child_pidfd_, POLLIN, 0},
                   {exec_settled_ ? -1 : exec_fd_, POLLIN, 0}};
  if (poll(fds, 3, timeout_ms) <= 0) return;
  if (fds[0].revents != 0) ClearWake();
  if (fds[1].revents != 0) child_ended_ = true;
  if (fds[2].revents != 0) exec_settled_ = true;
}

void Watcher::WaitForChild() {
  pollfd fds[2] = {{child_pidfd_, POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  poll(fds, 2, -1);
  ClearWake();
}

void Watcher::Wake() {
  const uint64_t one = 1;
  // Only a full counter can refuse this, and a full one wakes as well.
  if (wake_.valid() && write(wake_.get(), &one, sizeof one) < 0) errno = 0;
}

void Watcher::ClearWake() {
  uint64_t times;
  if (read(wake_.get(), &times, sizeof times) < 0) errno = 0;
}

}  // namespace perf_ts
