#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "../options.h"
#include "../posix/error.h"
#include "../posix/fd.h"
#include "../posix/worker_thread.h"
#include "child_process.h"

namespace perf_ts {

/** How a command ended, taken on the waiting thread: exact also while JavaScript is busy. */
struct CommandEnd {
  /** The step that failed before the command ran, with its errno; null where it ran. */
  const char* failed_step = nullptr;
  int failed_errno = 0;
  int status = 0;
  int signal = 0;
  /** CLOCK_MONOTONIC, nanoseconds. */
  uint64_t end_ns = 0;
  uint64_t user_us = 0;
  uint64_t system_us = 0;
};

/**
 * A command that is counted: held before exec while its counters are opened on its pid, then let
 * go, and waited for on a thread of its own.
 */
class HeldCommand {
 public:
  /** Null and `*error` on failure. Nothing of the command runs yet. */
  static std::unique_ptr<HeldCommand> Spawn(const CommandSpec& spec, Error* error);
  ~HeldCommand() { Close(); }

  HeldCommand(const HeldCommand&) = delete;
  HeldCommand& operator=(const HeldCommand&) = delete;

  pid_t pid() const { return child_ ? child_->pid() : -1; }

  /**
   * Lets the command exec and returns at once. `notify` is called on the waiting thread when the
   * command has ended, or could not be executed. Once. `*start_ns`: CLOCK_MONOTONIC right before.
   */
  bool Release(std::function<void()> notify, uint64_t* start_ns, Error* error);

  /** Any thread, after `notify`. */
  std::optional<CommandEnd> end();

  bool released() const { return released_; }
  bool Kill(int signal) { return child_ && child_->Kill(signal); }
  /** Joins the thread. A held command never runs; one that was let go runs on. Idempotent. */
  void Close();

 private:
  explicit HeldCommand(std::unique_ptr<ChildProcess> child) : child_(std::move(child)) {}
  static void* Main(void* self);
  void AwaitEnd();

  std::unique_ptr<ChildProcess> child_;
  std::function<void()> notify_;
  bool released_ = false;
  /** Readable once the thread is to give up. */
  Fd stop_;
  WorkerThread thread_;
  std::mutex mutex_;
  std::optional<CommandEnd> end_;
};

}  // namespace perf_ts
