// What a command finds when it starts, and what becomes of it: run against the real kernel.

#include "../core/command/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "command_runner.h"

using namespace perf_ts::test;
using perf_ts::ChildProcess;
using perf_ts::CommandSpec;
using perf_ts::Error;

namespace {

TEST("a child reports its exit status") {
  for (const int status : {0, 1, 42, 255}) {
    const Outcome outcome = Run(Shell("exit " + std::to_string(status)));
    CHECK(outcome.started);
    CHECK(outcome.exit_status == status);
    CHECK(outcome.signal == 0);
  }
}

TEST("a child reports the signal that it died of") {
  for (const int signal : {SIGSEGV, SIGKILL, SIGTERM}) {
    const Outcome outcome = Run(Shell("kill -" + std::to_string(signal) + " $$"));
    CHECK(outcome.started);
    CHECK(outcome.signal == signal);
    CHECK(outcome.exit_status == 0);
  }
}

TEST("reap is false while it runs and stays true afterwards") {
  Error error;
  auto child = ChildProcess::Spawn(Command({"/bin/sleep", "1000"}), &error);
  int status = -2, signal = -2;
  CHECK(!child->Reap(&status, &signal));
  CHECK(child->Release(&error));
  CHECK(!child->Reap(&status, &signal));
  CHECK(child->Kill(SIGKILL));
  AwaitEnd(*child);
  for (int i = 0; i < 2; i++) {
    CHECK(child->Reap(&status, &signal));
    CHECK(signal == SIGKILL);
  }
  CHECK(!child->Kill(0));
}

void CheckExecFails(const std::string& path, int expected_errno) {
  const Outcome outcome = Run(Command({path}));
  CHECK(!outcome.started);
  CHECK_TEXT(outcome.error.operation, "execve");
  CHECK(outcome.error.code_errno == expected_errno);
  CHECK(outcome.error.pid > 0);
  CHECK(kill(outcome.error.pid, 0) == -1 && errno == ESRCH);
}

TEST("a missing command fails with ENOENT") {
  CheckExecFails(scratch + "/nothing", ENOENT);
}

TEST("a file that is not executable fails with EACCES") {
  CheckExecFails(WriteFile("plain.txt", "exit 0\n", 0644), EACCES);
}

TEST("a directory fails with EACCES") {
  CheckExecFails(scratch, EACCES);
}

TEST("a script with a missing interpreter fails with ENOENT") {
  CheckExecFails(WriteFile("orphan", "#!/no/such/interpreter\n", 0755), ENOENT);
}

TEST("a script without an interpreter line runs in the shell") {
  CommandSpec spec = Command({WriteFile("bare", "echo \"$0|$1|$2\"; exit 9\n", 0755), "a b", "$c"});
  spec.argv[0] = "bare";
  const Outcome outcome = Run(spec);
  CHECK(outcome.exit_status == 9);
  CHECK_TEXT(outcome.output, scratch + "/bare|a b|$c\n");
}

TEST("arguments arrive unchanged") {
  const std::string big(100 * 1000, 'x');
  const Outcome outcome = Run(Command({"/usr/bin/printf", "<%s>", "", " ", "a\nb", "*", "\xff\xfe",
                                       "--", "\"quoted\" 'text' $HOME", big}));
  CHECK_TEXT(outcome.output, "<>< ><a\nb><*><\xff\xfe><--><\"quoted\" 'text' $HOME><" + big + ">");
}

TEST("the name it is called by may differ from the path") {
  CommandSpec spec = Shell("");
  spec.argv = {"-a name", "-c", "echo \"$0\""};
  CHECK_TEXT(Run(spec).output, "-a name\n");
}

TEST("the environment is exactly the given one") {
  CommandSpec spec = Command({"/usr/bin/env", "-0"});
  spec.env = {"A=1", "EMPTY=", "LINES=a\nb=c", "A=second"};
  setenv("PERF_TS_TEST_LEAK", "yes", 1);
  std::string output = Run(spec).output;
  std::replace(output.begin(), output.end(), '\0', '|');
  CHECK_TEXT(output, "A=1|EMPTY=|LINES=a\nb=c|A=second|");
  spec.env = {};
  CHECK_TEXT(Run(spec).output, "");
}

TEST("stdout goes to stderr when asked") {
  CommandSpec spec = Shell("echo out; echo err >&2");
  spec.stdout_to_stderr = true;
  CHECK_TEXT(Run(spec, STDERR_FILENO).output, "out\nerr\n");
  spec.stdout_to_stderr = false;
  CHECK_TEXT(Run(Shell("echo err >&2"), STDERR_FILENO).output, "err\n");
}

// Node marks its stdio close-on-exec as it starts.
TEST("stdio reaches the command though it is marked close-on-exec") {
  CHECK(InOwnProcess([] {
    for (int fd = 0; fd < 3; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
    int output[2];
    if (pipe2(output, O_CLOEXEC) != 0) return false;
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    dup3(output[1], STDOUT_FILENO, O_CLOEXEC);
    Error error;
    auto child = ChildProcess::Spawn(
        Shell("for fd in 0 1 2; do [ -e /proc/self/fd/$fd ] && echo $fd; done; true"), &error);
    dup2(kept, STDOUT_FILENO);
    close(output[1]);
    CHECK(child->Release(&error));
    CHECK_TEXT(ReadToEnd(output[0]), "0\n1\n2\n");
    return true;
  }));
}

constexpr const char* kListFds =
    "fd=3; while [ $fd -lt 256 ]; do [ -e /proc/self/fd/$fd ] && echo $fd; fd=$((fd+1)); done";

TEST("only descriptors without the close-on-exec mark and those of the plan reach the command") {
  CHECK(InOwnProcess([] {
    // What this test inherited itself.
    for (int fd = 3; fd < 256; fd++) close(fd);
    const int source = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (dup2(source, 100) < 0 || dup3(source, 120, O_CLOEXEC) < 0) return false;
    if (dup3(source, 200, O_CLOEXEC) < 0) return false;
    CommandSpec spec = Shell(kListFds);
    CHECK_TEXT(Run(spec).output, "100\n");
    // 201 is closed by now.
    spec.inherited_fds = {200, 201};
    CHECK_TEXT(Run(spec).output, "100\n200\n");
    // The marks of this process stay.
    CHECK((fcntl(200, F_GETFD) & FD_CLOEXEC) != 0);
    return true;
  }));
}

TEST("stdio is made blocking where that is asked for") {
  CHECK(InOwnProcess([] {
    int input[2];
    if (pipe2(input, O_CLOEXEC | O_NONBLOCK) != 0 || dup2(input[0], STDIN_FILENO) < 0) return false;
    CommandSpec spec = Command({"/bin/grep", "^flags", "/proc/self/fdinfo/0"});
    CHECK_TEXT(Run(spec).output, "flags:\t04000\n");
    spec.blocking_fds = {0, 1, 2};
    CHECK_TEXT(Run(spec).output, "flags:\t00\n");
    return (fcntl(STDIN_FILENO, F_GETFL) & O_NONBLOCK) == 0;
  }));
}

TEST("the soft limit of open files is the given one") {
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  CommandSpec spec = Shell("ulimit -Sn");
  spec.soft_fd_limit = 123;
  CHECK_TEXT(Run(spec).output, "123\n");
  rlimit after;
  getrlimit(RLIMIT_NOFILE, &after);
  CHECK(before.rlim_cur == after.rlim_cur);
}

TEST("closed stdio stays closed and nothing slips in") {
  CHECK(InOwnProcess([] {
    const int output = open((scratch + "/stdio").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    const int high = fcntl(output, F_DUPFD_CLOEXEC, 50);
    dup2(high, STDOUT_FILENO);
    close(output);
    close(STDIN_FILENO);
    Error error;
    auto child =
        ChildProcess::Spawn(Shell("[ -e /proc/self/fd/0 ] && echo open || echo closed"), &error);
    if (!child || !child->Release(&error)) return false;
    AwaitEnd(*child);
    lseek(high, 0, SEEK_SET);
    return ReadToEnd(high) == "closed\n";
  }));
}

// Node ignores SIGPIPE; a command that inherits this never ends at the head of a pipeline.
TEST("signals are default and unblocked") {
  CHECK(InOwnProcess([] {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGRTMAX, SIG_IGN);
    sigset_t blocked;
    sigfillset(&blocked);
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
    const Outcome outcome = Run(Command({"/bin/grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"}));
    CHECK_TEXT(outcome.output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    sigset_t now;
    sigprocmask(SIG_BLOCK, nullptr, &now);
    CHECK(sigismember(&now, SIGTERM) == 1);
    return true;
  }));
}

TEST("signals that the command is to ignore are ignored") {
  CommandSpec spec = Command({"/bin/grep", "SigIgn", "/proc/self/status"});
  spec.ignored_signals = {SIGHUP, SIGQUIT};
  CHECK_TEXT(Run(spec).output, "SigIgn:\t0000000000000005\n");
}

TEST("a held command never runs when the object is destroyed") {
  const std::string trace = scratch + "/held";
  Error error;
  auto child = ChildProcess::Spawn(Command({"/bin/touch", trace}), &error);
  const pid_t pid = child->pid();
  CHECK(kill(pid, 0) == 0);
  child.reset();
  CHECK(kill(pid, 0) == -1 && errno == ESRCH);
  CHECK(!Exists(trace));
}

TEST("a held command ends though a later one has a copy of our end") {
  Error error;
  auto first = ChildProcess::Spawn(Shell("exit 1"), &error);
  auto second = ChildProcess::Spawn(Shell("exit 2"), &error);
  first.reset();
  CHECK(second->Release(&error));
  AwaitEnd(*second);
  int status = 0, signal = 0;
  CHECK(second->Reap(&status, &signal) && status == 2);
}

TEST("a held command that was stopped ends too") {
  Error error;
  auto child = ChildProcess::Spawn(Shell("exit 1"), &error);
  const pid_t pid = child->pid();
  kill(pid, SIGSTOP);
  siginfo_t info;
  waitid(P_PID, pid, &info, WSTOPPED | WNOWAIT);
  child.reset();
  CHECK(kill(pid, 0) == -1 && errno == ESRCH);
}

TEST("a held command ends when the recorder is killed") {
  const std::string trace = scratch + "/orphaned";
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int told[2];
  if (pipe2(told, O_CLOEXEC) != 0) abort();
  fflush(stdout);
  const pid_t recorder = fork();
  if (recorder == 0) {
    Error error;
    auto child = ChildProcess::Spawn(Command({"/bin/touch", trace}), &error);
    const pid_t pid = child->pid();
    if (write(told[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    kill(getpid(), SIGKILL);
  }
  pid_t orphan = -1;
  CHECK(read(told[0], &orphan, sizeof orphan) == sizeof orphan);
  waitpid(recorder, nullptr, 0);
  // It becomes ours, as the nearest subreaper, and ends by itself: this wait returns.
  int status = -1;
  CHECK(waitpid(orphan, &status, 0) == orphan);
  CHECK(WIFEXITED(status));
  CHECK(!Exists(trace));
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  close(told[0]);
  close(told[1]);
}

TEST("a command killed while held is reported with its signal") {
  Error error;
  auto child = ChildProcess::Spawn(Shell("exit 0"), &error);
  CHECK(child->Kill(SIGINT));
  AwaitEnd(*child);
  CHECK(!child->Release(&error));
  CHECK(error.code_errno == ESRCH);
  CHECK_TEXT(error.operation, "release");
  int status = -2, signal = -2;
  CHECK(child->Reap(&status, &signal));
  CHECK(signal == SIGINT && status == 0);
}

TEST("release works once") {
  Error error;
  auto child = ChildProcess::Spawn(Shell("exit 0"), &error);
  CHECK(child->Release(&error));
  CHECK(!child->Release(&error));
  CHECK(error.code_errno == EALREADY);
  AwaitEnd(*child);
}

TEST("a released command runs on without its object") {
  Error error;
  auto child = ChildProcess::Spawn(Command({"/bin/sleep", "1000"}), &error);
  const pid_t pid = child->pid();
  CHECK(child->Release(&error));
  child.reset();
  CHECK(ChildProcess::ReapOrphans() == 1);
  CHECK(kill(pid, SIGKILL) == 0);
  siginfo_t info;
  CHECK(waitid(P_PID, pid, &info, WEXITED | WNOWAIT) == 0);
  CHECK(info.si_code == CLD_KILLED);
  // No zombie stays.
  CHECK(ChildProcess::ReapOrphans() == 0);
  CHECK(kill(pid, 0) == -1 && errno == ESRCH);
}

// The child is stopped: as far as the parent can see, its exec hangs.
TEST("a wait for an exec can be given up") {
  Error error;
  auto child = ChildProcess::Spawn(Command({"/bin/sleep", "1000"}), &error);
  CHECK(child->Kill(SIGSTOP));
  siginfo_t info;
  waitid(P_PID, child->pid(), &info, WSTOPPED | WNOWAIT);
  CHECK(child->LetGo(&error));
  std::thread canceller([&] { child->CancelRelease(); });
  CHECK(child->AwaitExec(&error));
  canceller.join();
  child->Kill(SIGKILL);
  AwaitEnd(*child);
}

TEST("a held command whose release was given up never runs") {
  const std::string trace = scratch + "/given-up";
  Error error;
  auto child = ChildProcess::Spawn(Command({"/bin/touch", trace}), &error);
  child->CancelRelease();
  CHECK(child->LetGo(&error));
  CHECK(!child->AwaitExec(&error));
  CHECK_TEXT(error.operation, "release");
  CHECK(!Exists(trace));
}

/** Makes these system calls fail with EPERM in this process, as a container filter does. */
bool Refuse(const std::vector<uint32_t>& calls) {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const uint32_t call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog program = {};
  program.len = static_cast<unsigned short>(filter.size());
  program.filter = filter.data();
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Linux 5.3 and 5.1 have these calls; profiles of container runtimes had them later.
TEST("a command runs, is waited for and gets signals where pidfd calls are refused") {
  CHECK(InOwnProcess([] {
    CHECK(Refuse({434 /* pidfd_open */, 424 /* pidfd_send_signal */}));
    CHECK(Run(Shell("exit 7")).exit_status == 7);
    Error error;
    auto child = ChildProcess::Spawn(Command({"/bin/sleep", "1000"}), &error);
    if (!child || !child->Release(&error)) return false;
    CHECK(child->Kill(SIGTERM));
    AwaitEnd(*child);
    int status = -2, signal = -2;
    CHECK(child->Reap(&status, &signal));
    CHECK(signal == SIGTERM);
    CHECK(!child->Kill(0));
    return true;
  }));
}

TEST("a command that can't be let go never runs, and the failure is named") {
  const std::string trace = scratch + "/not-let-go";
  CHECK(InOwnProcess([&] {
    Error error;
    auto child = ChildProcess::Spawn(Command({"/bin/touch", trace}), &error);
    CHECK(Refuse({SYS_sendto}));
    CHECK(!child->Release(&error));
    CHECK(error.code_errno == EPERM);
    CHECK_TEXT(error.operation, "send");
    int status = -2, signal = -2;
    CHECK(child->Reap(&status, &signal));
    return !ChildProcess::WasKilledWhileHeld(error, signal);
  }));
  CHECK(!Exists(trace));
}

TEST("a child that can't wait for its release says so") {
  CHECK(InOwnProcess([] {
    // The parent writes and reads by other calls than these, which the child inherits.
    CHECK(Refuse({SYS_recvfrom}));
    Error error;
    auto child = ChildProcess::Spawn(Shell("exit 0"), &error);
    AwaitEnd(*child);
    struct {
      int32_t step, code_errno;
    } failure = {-1, 0};
    CHECK(read(child->exec_fd(), &failure, sizeof failure) == sizeof failure);
    return failure.step == 0 && failure.code_errno == EPERM;
  }));
}

TEST("a command whose start can't be followed is taken to run") {
  CHECK(InOwnProcess([] {
    Error error;
    auto child = ChildProcess::Spawn(Shell("exit 7"), &error);
    CHECK(Refuse({SYS_recvfrom}));
    CHECK(child->Release(&error));
    AwaitEnd(*child);
    int status = -2, signal = -2;
    CHECK(child->Reap(&status, &signal));
    return status == 7 && signal == 0;
  }));
}

TEST("a status that nobody kept is unknown") {
  CHECK(InOwnProcess([] {
    signal(SIGCHLD, SIG_IGN);
    const Outcome outcome = Run(Shell("exit 3"));
    return outcome.started && outcome.exit_status == -1 && outcome.signal == 0;
  }));
}

// The child of a process with threads may find any lock taken, the allocator's first of all.
TEST("commands start from many threads that allocate") {
  constexpr int kThreads = 4, kCommands = 25;
  int right[kThreads] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([t, &right] {
      for (int i = 0; i < kCommands; i++) {
        const std::string status = std::to_string((t * kCommands + i) % 256);
        Error error;
        auto child = ChildProcess::Spawn(Shell("exit " + status), &error);
        if (!child || !child->Release(&error)) continue;
        AwaitEnd(*child);
        int exit_status = -1, signal = 0;
        if (child->Reap(&exit_status, &signal) && std::to_string(exit_status) == status) right[t]++;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : right) CHECK(count == kCommands);
}

}  // namespace

int main() {
  return RunAllInScratch();
}
