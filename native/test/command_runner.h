// Running commands for tests of what they find: with their output, in a process of its own.

#pragma once

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../core/command/child_process.h"
#include "test.h"

namespace perf_ts::test {

#define CHECK_TEXT(actual, expected)                                                    \
  do {                                                                                  \
    const std::string a = (actual), e = (expected);                                     \
    if (a != e) {                                                                       \
      perf_ts::test::Failures()++;                                                      \
      printf("  %s:%d: expected \"%s\"\n  got \"%s\"\n", __FILE__, __LINE__, e.c_str(), \
             a.c_str());                                                                \
    }                                                                                   \
  } while (0)

/** Directory for scripts and traces of commands, readable by every user. */
inline std::string scratch;

inline CommandSpec Command(std::vector<std::string> argv) {
  CommandSpec spec;
  spec.path = argv[0];
  spec.argv = std::move(argv);
  spec.env = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
  return spec;
}

inline CommandSpec Shell(const std::string& script) {
  return Command({"/bin/sh", "-c", script});
}

inline std::string WriteFile(const std::string& name, const std::string& text, mode_t mode) {
  const std::string path = scratch + "/" + name;
  FILE* file = fopen(path.c_str(), "w");
  fwrite(text.data(), 1, text.size(), file);
  fclose(file);
  chmod(path.c_str(), mode);
  return path;
}

inline bool Exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

inline void AwaitEnd(const ChildProcess& child) {
  pollfd ended = {child.pidfd(), POLLIN, 0};
  while (poll(&ended, 1, -1) < 0 && errno == EINTR) {
  }
}

struct Outcome {
  bool started = false;
  Error error;
  int exit_status = -2;
  int signal = -2;
  /** The bytes that it wrote to the captured descriptor. */
  std::string output;
};

inline std::string ReadToEnd(int fd) {
  std::string text;
  char block[4096];
  ssize_t length;
  while ((length = read(fd, block, sizeof block)) > 0) text.append(block, length);
  return text;
}

/** Runs `spec` to its end with descriptor `captured` (1 or 2) turned into a pipe. */
inline Outcome Run(const CommandSpec& spec, int captured = STDOUT_FILENO) {
  fflush(stdout);
  Outcome outcome;
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) abort();
  const int kept = fcntl(captured, F_DUPFD_CLOEXEC, 10);
  dup2(output[1], captured);
  auto child = ChildProcess::Spawn(spec, &outcome.error);
  dup2(kept, captured);
  close(kept);
  close(output[1]);
  if (child) {
    outcome.started = child->Release(&outcome.error);
    outcome.output = ReadToEnd(output[0]);
    AwaitEnd(*child);
    if (!child->Reap(&outcome.exit_status, &outcome.signal)) outcome.exit_status = -3;
  }
  close(output[0]);
  return outcome;
}

/** Runs `body` in a process of its own, which may ruin itself; true if it returned true. */
inline bool InOwnProcess(const std::function<bool()>& body) {
  fflush(stdout);
  const int before = perf_ts::test::Failures();
  const pid_t pid = fork();
  if (pid == 0) {
    const bool result = body() && perf_ts::test::Failures() == before;
    fflush(stdout);
    _exit(result ? 0 : 1);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/** The `main` of these tests: runs them all with a scratch directory. */
inline int RunAllInScratch() {
  char directory[] = "/tmp/perf_ts_command_test.XXXXXX";
  if (mkdtemp(directory) == nullptr) {
    perror("mkdtemp");
    return 1;
  }
  chmod(directory, 0755);
  scratch = directory;
  // A hang is a failure too.
  alarm(120);

  const int status = RunAll();
  Run(Command({"/bin/rm", "-rf", scratch}));
  return status;
}

}  // namespace perf_ts::test
