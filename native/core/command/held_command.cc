#include "held_command.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "../posix/clock.h"

namespace perf_ts {

namespace {

uint64_t Microseconds(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_usec);
}

}  // namespace

std::unique_ptr<HeldCommand> HeldCommand::Spawn(const CommandSpec& spec, Error* error) {
  std::unique_ptr<ChildProcess> child = ChildProcess::Spawn(spec, error);
  if (!child) return nullptr;
  return std::unique_ptr<HeldCommand>(new HeldCommand(std::move(child)));
}

bool HeldCommand::Release(std::function<void()> notify, uint64_t* start_ns, Error* error) {
  notify_ = std::move(notify);
  stop_ = Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop_.valid()) {
    *error = {errno, "eventfd"};
    return false;
  }
  released_ = true;
  ReadClock(CLOCK_MONOTONIC, start_ns);
  return child_->LetGo(error) && thread_.Start(Main, this, error);
}

void* HeldCommand::Main(void* self) {
  pthread_setname_np(pthread_self(), "perf-ts wait");
  static_cast<HeldCommand*>(self)->AwaitEnd();
  return nullptr;
}

void HeldCommand::AwaitEnd() {
  CommandEnd end;
  Error error;
  if (!child_->AwaitExec(&error) && child_->Reap(&end.status, &end.signal) &&
      !ChildProcess::WasKilledWhileHeld(error, end.signal)) {
    end.failed_step = error.operation;
    end.failed_errno = error.code_errno;
  }
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
  notify_();
}

std::optional<CommandEnd> HeldCommand::end() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return end_;
}

void HeldCommand::Close() {
  if (thread_.running()) {
    child_->CancelRelease();
    const uint64_t one = 1;
    if (write(stop_.get(), &one, sizeof one) < 0) errno = 0;
    thread_.Join();
  }
  child_.reset();
  stop_.Reset();
}

}  // namespace perf_ts
