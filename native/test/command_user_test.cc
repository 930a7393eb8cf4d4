// A command that runs as another user than its recorder.

#include <grp.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <string>

#include "../core/command/child_process.h"
#include "command_runner.h"

using namespace perf_ts::test;
using perf_ts::CommandSpec;

namespace {

bool IsRoot() {
  if (geteuid() == 0) return true;
  printf("SKIP (needs root):\n");
  return false;
}

constexpr uid_t kNobody = 65534;

CommandSpec AsNobody(CommandSpec spec) {
  spec.change_user = true;
  spec.uid = kNobody;
  spec.gid = kNobody;
  spec.groups = {kNobody, 12345, 54321};
  return spec;
}

TEST("the user changes with all groups and no way back") {
  if (!IsRoot()) return;
  const Outcome outcome = Run(AsNobody(
      Command({"/bin/grep", "-E", "^(Uid|Gid|Groups|CapPrm|CapEff|CapAmb)", "/proc/self/status"})));
  CHECK_TEXT(outcome.output,
             "Uid:\t65534\t65534\t65534\t65534\n"
             "Gid:\t65534\t65534\t65534\t65534\n"
             "Groups:\t12345 54321 65534 \n"
             "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapAmb:\t0000000000000000\n");
}

TEST("an empty list of groups leaves none") {
  if (!IsRoot()) return;
  CHECK(InOwnProcess([] {
    const gid_t ours[] = {0, 4, 24};
    if (setgroups(3, ours) != 0) return false;
    CommandSpec spec = AsNobody(Command({"/bin/grep", "^Groups", "/proc/self/status"}));
    spec.groups.clear();
    return Run(spec).output == "Groups:\t \n";
  }));
}

TEST("a change that is not permitted names the step") {
  if (!IsRoot()) return;
  CHECK(InOwnProcess([] {
    if (setgid(kNobody) != 0 || setuid(kNobody) != 0) return false;
    CommandSpec spec = AsNobody(Shell("exit 0"));
    const Outcome outcome = Run(spec);
    return !outcome.started && outcome.error.code_errno == EPERM &&
           std::string(outcome.error.operation) == "setgroups";
  }));
}

// With SECBIT_NO_SETUID_FIXUP a process keeps its capabilities, CAP_SETUID among them, as it leaves
// uid 0: every set*id call succeeds, and so would the way back.
TEST("a change that could be undone is refused") {
  if (!IsRoot()) return;
  const std::string trace = scratch + "/half-dropped";
  CHECK(InOwnProcess([&] {
    if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP) != 0) return false;
    const Outcome outcome = Run(AsNobody(Command({"/bin/touch", trace})));
    return !outcome.started && outcome.error.code_errno == EPERM &&
           std::string(outcome.error.operation) == "drop privileges";
  }));
  CHECK(!Exists(trace));
}

}  // namespace

int main() {
  return RunAllInScratch();
}
