#include "held_command.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "clock.h"

namespace perf_ts {

namespace {

constexpr size_t kStackBytes = 256 * 1024;

uint64_t Microseconds(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_usec);
}

}  // namespace

std::unique_ptr<HeldCommand> HeldCommand::Spawn(const CommandSpec& spec, Error* error) {
  std::unique_ptr<ChildProcess> child = ChildProcess::Spawn(spec, error);
  if (!child) return nullptr;
  return std::unique_ptr<HeldCommand>(new HeldCommand(std::move(child)));
}

bool HeldCommand::Release(std::function<void()> ring, uint64_t* start_ns, Error* error) {
  ring_ = std::move(ring);
  stop_ = Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop_.valid()) {
    *error = {errno, "eventfd"};
    return false;
  }
  released_ = true;
  ReadClock(CLOCK_MONOTONIC, start_ns);
  if (!child_->Release(error)) {
    // Killed while it was held: not a failure of the exec, but the command's end.
    int status, signal;
    if (!child_->Reap(&status, &signal) || signal == 0) return false;
  }
  // The new thread inherits the mask: no signal of the process is ever handled on it.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const int failure = pthread_create(&thread_, &attributes, Main, this);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure != 0) {
    *error = {failure, "pthread_create"};
    return false;
  }
  running_ = true;
  return true;
}

void* HeldCommand::Main(void* self) {
  pthread_setname_np(pthread_self(), "perf-ts wait");
  static_cast<HeldCommand*>(self)->AwaitEnd();
  return nullptr;
}

void HeldCommand::AwaitEnd() {
  CommandEnd end;
  while (!child_->Reap(&end.status, &end.signal)) {
    pollfd fds[2] = {{child_->pidfd(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
    poll(fds, 2, -1);
    if ((fds[1].revents & POLLIN) != 0) return;
  }
  ReadClock(CLOCK_MONOTONIC, &end.end_ns);
  end.user_us = Microseconds(child_->usage().ru_utime);
  end.system_us = Microseconds(child_->usage().ru_stime);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    end_ = end;
  }
  ring_();
}

std::optional<CommandEnd> HeldCommand::end() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return end_;
}

void HeldCommand::Close() {
  if (running_) {
    const uint64_t one = 1;
    if (write(stop_.get(), &one, sizeof one) < 0) errno = 0;
    pthread_join(thread_, nullptr);
    running_ = false;
  }
  child_.reset();
  stop_.Reset();
}

}  // namespace perf_ts
