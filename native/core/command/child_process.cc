#include "child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <vector>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
// Numbers that every architecture shares (asm-generic), for C libraries whose headers predate them.
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

namespace perf_ts {
namespace {

/** Kernel's _NSIG; the kernel's signal sets are this many bits. */
constexpr int kSignalCount = 64;
constexpr size_t kKernelSigsetBytes = kSignalCount / 8;

/** The child's report when it can't become the command. */
struct Failure {
  int32_t step;
  int32_t code_errno;
};

enum Step : int32_t {
  kAwaitRelease,
  kStdio,
  kStatusFlags,
  kFdLimit,
  kSetgroups,
  kSetresgid,
  kSetresuid,
  kCheckPrivileges,
  kExecve,
};

const char* StepName(int32_t step) {
  switch (step) {
    case kAwaitRelease:
      return "recv";
    case kStdio:
      return "dup";
    case kStatusFlags:
      return "fcntl";
    case kFdLimit:
      return "setrlimit";
    case kSetgroups:
      return "setgroups";
    case kSetresgid:
      return "setresgid";
    case kSetresuid:
      return "setresuid";
    case kCheckPrivileges:
      return "drop privileges";
    case kExecve:
      return "execve";
    default:
      return "exec";
  }
}

/**
 * Everything the child reads between fork and exec. It points into memory that the parent laid out
 * before the fork: the child of a process with threads must not allocate, since another thread may
 * have held the allocator's lock at that instant.
 */
struct ChildPlan {
  const char* path;
  char* const* argv;
  /** argv of `/bin/sh path …`, for a script without a `#!` line. */
  char* const* shell_argv;
  char* const* env;
  bool change_user;
  uid_t uid;
  gid_t gid;
  const gid_t* groups;
  size_t group_count;
  bool stdout_to_stderr;
  const int* inherited_fds;
  size_t inherited_fd_count;
  const int* blocking_fds;
  size_t blocking_fd_count;
  const int* ignored_signals;
  size_t ignored_signal_count;
  rlimit fd_limit;
  bool sets_fd_limit;
};

// In the child: raw system calls only. They are async-signal-safe by nature, and the C library's
// own wrappers are not all fit for this place: its set*id functions signal the other threads, which
// exist in the parent only.

[[noreturn]] void Exit(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

[[noreturn]] void Fail(int socket, Step step, int code_errno) {
  const Failure failure = {step, code_errno};
  syscall(SYS_sendto, socket, &failure, sizeof failure, MSG_NOSIGNAL, nullptr, 0);
  Exit(127);
}

/**
 * Undoes what this process did to its signals and the command would inherit: Node ignores SIGPIPE,
 * and `Fork` blocks everything. What the command is to ignore (nohup, `trap ''`) it ignores.
 *
 *     struct kernel_sigaction {          // x86-64 and arm64; not libc's struct sigaction
 *         void (*handler)(int);          // 0 is SIG_DFL
 *         unsigned long flags;
 *         void (*restorer)(void);
 *         unsigned long mask;            // 64 bits
 *     };
 */
void ResetSignals(const ChildPlan& plan) {
  const uint64_t default_action[4] = {0, 0, 0, 0};
  for (int signal = 1; signal <= kSignalCount; signal++) {
    // SIGKILL and SIGSTOP refuse, which is fine.
    syscall(SYS_rt_sigaction, signal, default_action, nullptr, kKernelSigsetBytes);
  }
  const uint64_t ignore[4] = {1, 0, 0, 0};  // SIG_IGN
  for (size_t i = 0; i < plan.ignored_signal_count; i++) {
    syscall(SYS_rt_sigaction, plan.ignored_signals[i], ignore, nullptr, kKernelSigsetBytes);
  }
  const uint64_t none = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, kKernelSigsetBytes);
}

/**
 * The command gets stdin, stdout and stderr, the descriptors of the plan, and whatever else is not
 * marked close-on-exec. This process opens nothing without the mark, so the rest was inherited.
 * Node marks inherited descriptors when it starts, stdio among them: that mark is taken off. A
 * descriptor that is closed stays closed.
 *
 * O_NONBLOCK belongs to the open file description, which the command shares with this process.
 */
void ArrangeDescriptors(const ChildPlan& plan, int socket) {
  if (plan.stdout_to_stderr && syscall(SYS_dup3, STDERR_FILENO, STDOUT_FILENO, 0) < 0) {
    Fail(socket, kStdio, errno);
  }
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (syscall(SYS_fcntl, fd, F_SETFD, 0) < 0 && errno != EBADF) Fail(socket, kStdio, errno);
  }
  for (size_t i = 0; i < plan.inherited_fd_count; i++) {
    if (syscall(SYS_fcntl, plan.inherited_fds[i], F_SETFD, 0) < 0 && errno != EBADF) {
      Fail(socket, kStdio, errno);
    }
  }
  for (size_t i = 0; i < plan.blocking_fd_count; i++) {
    const long flags = syscall(SYS_fcntl, plan.blocking_fds[i], F_GETFL);
    if (flags < 0 || (flags & O_NONBLOCK) == 0) continue;
    if (syscall(SYS_fcntl, plan.blocking_fds[i], F_SETFL, flags & ~O_NONBLOCK) < 0) {
      Fail(socket, kStatusFlags, errno);
    }
  }
  if (plan.sets_fd_limit && syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &plan.fd_limit, nullptr) < 0) {
    Fail(socket, kFdLimit, errno);
  }
}

/**
 * Groups first, then gid, then uid: after the last one the first two are no longer permitted. A
 * drop that could be undone (CAP_SETUID kept by another way than uid 0) is a failure.
 */
void ChangeUser(const ChildPlan& plan, int socket) {
  if (syscall(SYS_setgroups, plan.group_count, plan.groups) < 0) Fail(socket, kSetgroups, errno);
  if (syscall(SYS_setresgid, plan.gid, plan.gid, plan.gid) < 0) Fail(socket, kSetresgid, errno);
  if (syscall(SYS_setresuid, plan.uid, plan.uid, plan.uid) < 0) Fail(socket, kSetresuid, errno);

  uid_t real, effective, saved;
  gid_t real_group, effective_group, saved_group;
  syscall(SYS_getresuid, &real, &effective, &saved);
  syscall(SYS_getresgid, &real_group, &effective_group, &saved_group);
  const bool became_user = real == plan.uid && effective == plan.uid && saved == plan.uid;
  const bool became_group =
      real_group == plan.gid && effective_group == plan.gid && saved_group == plan.gid;
  const bool can_return = plan.uid != 0 && syscall(SYS_setuid, 0) == 0;
  if (!became_user || !became_group || can_return) Fail(socket, kCheckPrivileges, EPERM);
}

/** The child's whole life until it is the command. */
[[noreturn]] void RunChild(const ChildPlan& plan, int socket, int parent_socket) {
  ResetSignals(plan);
  // With our own copy of the parent's end open, its closing would never reach us.
  syscall(SYS_close, parent_socket);
  char go;
  long received;
  do {
    received = syscall(SYS_recvfrom, socket, &go, sizeof go, 0, nullptr, nullptr);
  } while (received < 0 && errno == EINTR);
  if (received < 0) Fail(socket, kAwaitRelease, errno);
  if (received != 1) Exit(0);

  ArrangeDescriptors(plan, socket);
  if (plan.change_user) ChangeUser(plan, socket);
  syscall(SYS_execve, plan.path, plan.argv, plan.env);
  if (errno == ENOEXEC) syscall(SYS_execve, "/bin/sh", plan.shell_argv, plan.env);
  Fail(socket, kExecve, errno);
}

/**
 * fork(2) without the C library's fork(3): no atfork handlers of other libraries run. All signals
 * are blocked around it, so that none of this process's handlers ever runs in the child (libuv's
 * would write into the pipe that it shares with the parent).
 *
 * `*pidfd` comes with the child: filters of older container runtimes refuse pidfd_open. It stays −1
 * where the kernel (before Linux 5.2) does not know the flag.
 */
pid_t Fork(const ChildPlan& plan, int child_socket, int parent_socket, int* pidfd) {
  const uint64_t all = ~uint64_t{0};
  uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, kKernelSigsetBytes);
  const long pid = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, pidfd, 0, 0);
  if (pid == 0) RunChild(plan, child_socket, parent_socket);
  const int clone_errno = errno;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, kKernelSigsetBytes);
  errno = clone_errno;
  return static_cast<pid_t>(pid);
}

std::vector<char*> PointersTo(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/** glibc's execvp runs a file of no known format as `/bin/sh file arguments…`; so do we. */
std::vector<char*> ShellArguments(const CommandSpec& spec) {
  std::vector<char*> pointers = {const_cast<char*>("/bin/sh"),
                                 const_cast<char*>(spec.path.c_str())};
  for (size_t i = 1; i < spec.argv.size(); i++) {
    pointers.push_back(const_cast<char*>(spec.argv[i].c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

/** Moves a descriptor out of the range of stdio, which a caller may have left closed. */
bool MoveAboveStdio(int* fd) {
  if (*fd > STDERR_FILENO) return true;
  const int moved = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) return false;
  close(*fd);
  *fd = moved;
  return true;
}

void SetError(Error* error, int code_errno, const char* operation, pid_t pid) {
  *error = Error{};
  error->code_errno = code_errno;
  error->operation = operation;
  error->pid = pid;
}

/** wait4 that is not interrupted; the result as wait4's. */
pid_t Wait(pid_t pid, int* status, int options, rusage* usage) {
  pid_t waited;
  do {
    waited = wait4(pid, status, options, usage);
  } while (waited < 0 && errno == EINTR);
  return waited;
}

/** Commands that run on although nobody waits for them: as their parent, we must reap them. */
class Orphans {
 public:
  /** Never destroyed: environments of worker threads may end after static objects are gone. */
  static Orphans& Get() {
    static Orphans* const orphans = new Orphans();
    return *orphans;
  }

  void Add(pid_t pid) {
    const std::lock_guard<std::mutex> lock(mutex_);
    pids_.push_back(pid);
  }

  /** The number that still runs. */
  size_t Reap() {
    const std::lock_guard<std::mutex> lock(mutex_);
    pids_.erase(std::remove_if(pids_.begin(), pids_.end(),
                               [](pid_t pid) { return Wait(pid, nullptr, WNOHANG, nullptr) != 0; }),
                pids_.end());
    return pids_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> pids_;
};

}  // namespace

std::unique_ptr<ChildProcess> ChildProcess::Spawn(const CommandSpec& spec, Error* error) {
  ReapOrphans();
  const std::vector<char*> argv = PointersTo(spec.argv);
  const std::vector<char*> shell_argv = ShellArguments(spec);
  const std::vector<char*> env = PointersTo(spec.env);
  ChildPlan plan = {};
  plan.path = spec.path.c_str();
  plan.argv = argv.data();
  plan.shell_argv = shell_argv.data();
  plan.env = env.data();
  plan.change_user = spec.change_user;
  plan.uid = spec.uid;
  plan.gid = spec.gid;
  plan.groups = spec.groups.data();
  plan.group_count = spec.groups.size();
  plan.stdout_to_stderr = spec.stdout_to_stderr;
  plan.inherited_fds = spec.inherited_fds.data();
  plan.inherited_fd_count = spec.inherited_fds.size();
  plan.blocking_fds = spec.blocking_fds.data();
  plan.blocking_fd_count = spec.blocking_fds.size();
  plan.ignored_signals = spec.ignored_signals.data();
  plan.ignored_signal_count = spec.ignored_signals.size();
  if (spec.soft_fd_limit > 0 && getrlimit(RLIMIT_NOFILE, &plan.fd_limit) == 0) {
    plan.sets_fd_limit = true;
    plan.fd_limit.rlim_cur = std::min<rlim_t>(spec.soft_fd_limit, plan.fd_limit.rlim_max);
  }

  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
    SetError(error, errno, "socketpair", -1);
    return nullptr;
  }
  if (!MoveAboveStdio(&sockets[0]) || !MoveAboveStdio(&sockets[1])) {
    SetError(error, errno, "fcntl", -1);
    close(sockets[0]);
    close(sockets[1]);
    return nullptr;
  }

  int pidfd_number = -1;
  const pid_t pid = Fork(plan, sockets[1], sockets[0], &pidfd_number);
  const int fork_errno = errno;
  close(sockets[1]);
  if (pid < 0) {
    SetError(error, fork_errno, "fork", -1);
    close(sockets[0]);
    return nullptr;
  }

  // The pid can't have been reused: only we can reap it.
  if (pidfd_number < 0) pidfd_number = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  Fd pidfd(pidfd_number);
  if (!pidfd.valid()) {
    SetError(error, errno, "pidfd_open", pid);
    kill(pid, SIGKILL);
    close(sockets[0]);
    Wait(pid, nullptr, 0, nullptr);
    return nullptr;
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, std::move(pidfd), Fd(sockets[0])));
}

ChildProcess::~ChildProcess() {
  if (!released_) {
    shutdown(socket_.get(), SHUT_RDWR);
    // End-of-file is enough for a running child; SIGKILL also ends one that was stopped.
    Kill(SIGKILL);
    WaitForEnd();
  }
  int exit_status, signal;
  if (!Reap(&exit_status, &signal)) Orphans::Get().Add(pid_);
}

size_t ChildProcess::ReapOrphans() {
  return Orphans::Get().Reap();
}

bool ChildProcess::LetGo(Error* error) {
  if (released_) {
    SetError(error, EALREADY, "release", pid_);
    return false;
  }
  released_ = true;
  ssize_t sent;
  do {
    sent = send(socket_.get(), "g", 1, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent != 1) send_errno_ = errno;
  return true;
}

bool ChildProcess::AwaitExec(Error* error) {
  const bool was_gone = send_errno_ == EPIPE || send_errno_ == ECONNRESET;
  ssize_t received = -1;
  Failure failure = {};
  // One that is gone may have left word why. That it went without taking its byte is reported
  // first, once.
  if (is_let_go() || was_gone) {
    do {
      received = recv(socket_.get(), &failure, sizeof failure, 0);
    } while (received < 0 && (errno == EINTR || errno == ECONNRESET));
  }
  // Closed by exec. (Or by a signal that struck in between: then `Reap` reports it.) What can't be
  // read says nothing about the command, which was let go.
  if (is_let_go() && received <= 0) return true;
  // A child that was stopped while it was held does not end by itself.
  if (!is_let_go()) Kill(SIGKILL);
  WaitForEnd();
  if (received == static_cast<ssize_t>(sizeof failure)) {
    SetError(error, failure.code_errno, StepName(failure.step), pid_);
  } else if (is_let_go() || was_gone) {
    SetError(error, ESRCH, "release", pid_);
  } else {
    SetError(error, send_errno_, "send", pid_);
  }
  return false;
}

void ChildProcess::CancelRelease() {
  shutdown(socket_.get(), SHUT_RDWR);
}

bool ChildProcess::Reap(int* exit_status, int* signal) {
  if (!ReapNow()) return false;
  *exit_status = exit_status_;
  *signal = signal_;
  return true;
}

bool ChildProcess::Kill(int signal) {
  if (syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0) == 0) return true;
  if (errno == ESRCH) return false;
  // The kernel, or a filter, may not know the call.
  const std::lock_guard<std::mutex> lock(reaping_);
  return !reaped_ && kill(pid_, signal) == 0;
}

void ChildProcess::WaitForEnd() {
  siginfo_t info;
  while (waitid(P_PID, pid_, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  ReapNow();
}

bool ChildProcess::ReapNow() {
  const std::lock_guard<std::mutex> lock(reaping_);
  if (reaped_) return true;
  int status = 0;
  const pid_t waited = Wait(pid_, &status, WNOHANG, &usage_);
  if (waited == 0) return false;
  reaped_ = true;
  if (waited != pid_) {
    exit_status_ = -1;
  } else if (WIFSIGNALED(status)) {
    signal_ = WTERMSIG(status);
  } else {
    exit_status_ = WEXITSTATUS(status);
  }
  return true;
}

}  // namespace perf_ts
