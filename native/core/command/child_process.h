#ifndef PERF_TS_CHILD_PROCESS_H_
#define PERF_TS_CHILD_PROCESS_H_

#include <sys/resource.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "../options.h"
#include "../posix/error.h"
#include "../posix/fd.h"

namespace perf_ts {

/**
 * The command that is being recorded: forked at once, so that events can be opened on its pid, and
 * held before exec until `Release`, so that no event of its start is missed.
 *
 *     Spawn ──▶ held ──LetGo──▶ ──AwaitExec──▶ exec'd ──▶ ended ──Reap──▶ reaped
 *                │                   │
 *                └─ killed, or       └─ exec failed: reaped by AwaitExec
 *                   never let go
 *
 * The two sides share a socket pair. The child waits on its end: one byte lets it go, end-of-file
 * makes it exit, so a held child never outlives the recorder, however that dies. The other way
 * round the child's end closes by itself on exec (success), or carries which step failed and why.
 * It is a socket pair and not two pipes because `shutdown` reaches the child even while another
 * process, forked by another thread in the meantime, holds a copy of our end; and because
 * MSG_NOSIGNAL spares us SIGPIPE.
 *
 * `Kill` and `CancelRelease` may be called on any thread; everything else on one thread at a time.
 */
class ChildProcess {
 public:
  /** Forks and returns at once; null and `*error` on failure. Nothing of the command runs yet. */
  static std::unique_ptr<ChildProcess> Spawn(const CommandSpec& spec, Error* error);

  /** Ends and reaps a held child. A command that was released runs on; `ReapOrphans` reaps it. */
  ~ChildProcess();

  /**
   * Reaps the commands that ran on without their object and have ended since; never blocks. Returns
   * how many still run. Any thread. Spawn does the same, so that zombies never pile up.
   */
  static size_t ReapOrphans();

  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }

  /** Becomes readable when the process ends; owned by this object. */
  int pidfd() const { return pidfd_.get(); }

  /** Becomes readable when AwaitExec need not wait; owned by this object. */
  int exec_fd() const { return socket_.get(); }

  /** Lets the child exec and returns at once; `AwaitExec` is to follow. False if it was let go. */
  bool LetGo(Error* error);

  /** Whether the child was told: where it was not, `exec_fd` does not become readable. */
  bool is_let_go() const { return released_ && send_errno_ == 0; }

  /**
   * Waits until the child has become the command. An exec can hang (a program on a network file
   * system), so this belongs on a thread that may wait. On failure `*error` names the step
   * ("setgroups", "execve", …) with its errno, and the child is reaped. A child that was killed
   * while it was held is the failure {ESRCH, "release"}; `Reap` then tells by which signal. One
   * that could not be let go ("send") is killed here, and that signal is not the command's end.
   * It is true where the outcome can't be read: the command was let go.
   */
  bool AwaitExec(Error* error);

  /**
   * Whether a failure of AwaitExec, with the signal that `Reap` told, is the end that somebody else
   * gave a held child: not a failed start.
   */
  static bool WasKilledWhileHeld(const Error& error, int signal) {
    return error.code_errno == ESRCH && signal != 0;
  }

  /** LetGo and AwaitExec. */
  bool Release(Error* error) { return LetGo(error) && AwaitExec(error); }

  /**
   * A held child never runs any more, and AwaitExec does not wait: where the outcome of the exec is
   * not known yet, it goes on as if that had succeeded.
   */
  void CancelRelease();

  /**
   * True once the process has ended, and on every later call; never blocks. Of `*exit_status`
   * (0 … 255) and `*signal` the one that does not apply is 0. A status that someone else has taken
   * (SIGCHLD ignored) is −1.
   */
  bool Reap(int* exit_status, int* signal);

  /** Resources that the process and all that it waited for have used; zeros before Reap is true. */
  const rusage& usage() const { return usage_; }

  /** Sends `signal`; false when the process has ended and was reaped, or may not be signalled. */
  bool Kill(int signal);

 private:
  ChildProcess(pid_t pid, Fd pidfd, Fd socket)
      : pid_(pid), pidfd_(std::move(pidfd)), socket_(std::move(socket)) {}

  void WaitForEnd();
  bool ReapNow();

  const pid_t pid_;
  const Fd pidfd_;
  /** Our end of the socket pair. */
  const Fd socket_;
  bool released_ = false;
  /** Errno of the byte that lets the child go; 0: it was sent. */
  int send_errno_ = 0;
  /** Guards `reaped_`: as long as it is false, `pid_` is ours and nobody else's. */
  std::mutex reaping_;
  bool reaped_ = false;
  int exit_status_ = 0;
  int signal_ = 0;
  rusage usage_ = {};
};

}  // namespace perf_ts

#endif  // PERF_TS_CHILD_PROCESS_H_
