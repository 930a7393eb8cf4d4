// A command that is held, let go and waited for on a thread.

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/command/held_command.h"
#include "test.h"

using perf_ts::CommandEnd;
using perf_ts::CommandSpec;
using perf_ts::Error;
using perf_ts::Fd;
using perf_ts::HeldCommand;

namespace {

CommandSpec Shell(const char* script) {
  CommandSpec spec;
  spec.path = "/bin/sh";
  spec.argv = {"sh", "-c", script};
  spec.env = {"PATH=/usr/bin:/bin"};
  return spec;
}

/** Rings by an eventfd, which the test waits on. */
struct Bell {
  Fd fd = Fd(eventfd(0, EFD_CLOEXEC));
  std::function<void()> ring() {
    return [this] {
      const uint64_t one = 1;
      if (write(fd.get(), &one, sizeof one) < 0) perror("write");
    };
  }
  void Await() {
    uint64_t times;
    if (read(fd.get(), &times, sizeof times) < 0) perror("read");
  }
};

TEST("a held command reports how it ended") {
  Error error;
  Bell bell;
  uint64_t start_ns = 0;
  const auto command = HeldCommand::Spawn(Shell("exit 7"), &error);
  CHECK(command != nullptr && command->pid() > 0);
  CHECK(command->Release(bell.ring(), &start_ns, &error));
  bell.Await();
  const std::optional<CommandEnd> end = command->end();
  CHECK(end.has_value());
  CHECK_EQUAL(end->status, 7);
  CHECK_EQUAL(end->signal, 0);
  CHECK(end->end_ns > start_ns && start_ns > 0);
}

TEST("a held command that is killed reports the signal") {
  Error error;
  Bell bell;
  uint64_t start_ns = 0;
  const auto command = HeldCommand::Spawn(Shell("exit 7"), &error);
  CHECK(command->Kill(9));
  CHECK(command->Release(bell.ring(), &start_ns, &error));
  bell.Await();
  CHECK_EQUAL(command->end()->signal, 9);
}

TEST("a held command reports the step that failed") {
  Error error;
  Bell bell;
  uint64_t start_ns = 0;
  CommandSpec spec = Shell("exit 7");
  spec.path = "/no/such/file";
  const auto command = HeldCommand::Spawn(spec, &error);
  CHECK(command->Release(bell.ring(), &start_ns, &error));
  bell.Await();
  CHECK_EQUAL(command->end()->failed_errno, ENOENT);
  CHECK(std::string(command->end()->failed_step) == "execve");
}

TEST("a held command gives up waiting for an exec that hangs when it is closed") {
  Error error;
  Bell bell;
  uint64_t start_ns = 0;
  const auto command = HeldCommand::Spawn(Shell("exit 7"), &error);
  const pid_t pid = command->pid();
  CHECK(command->Kill(SIGSTOP));
  siginfo_t info;
  waitid(P_PID, pid, &info, WSTOPPED | WNOWAIT);
  CHECK(command->Release(bell.ring(), &start_ns, &error));
  command->Close();
  CHECK(!command->end().has_value());
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

TEST("a held command gives up waiting when it is closed") {
  Error error;
  Bell bell;
  uint64_t start_ns = 0;
  const auto command = HeldCommand::Spawn(Shell("read line"), &error);
  CHECK(command->Release(bell.ring(), &start_ns, &error));
  command->Kill(9);
  command->Close();
  CHECK_EQUAL(command->pid(), -1);
}

}  // namespace

int main() {
  // A hang is a failure too.
  alarm(120);
  return perf_ts::test::RunAll();
}
