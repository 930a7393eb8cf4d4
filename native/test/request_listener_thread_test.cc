// Recorders ask a program at its socket, on a thread of its own.

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "../core/code_events/owned_socket.h"
#include "../core/code_events/request_listener.h"
#include "test.h"

using namespace perf_ts;

namespace {

#ifdef SYS_poll
constexpr long kPoll = SYS_poll;
#else
constexpr long kPoll = SYS_ppoll;
#endif

std::string PathOf(const char* name) {
  return "/tmp/perf-ts-test-" + std::to_string(getpid()) + "-" + name;
}

Fd Connect(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.c_str(), path.size());
  Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  return connect(socket.get(), to, sizeof address) == 0 ? std::move(socket) : Fd();
}

/** The text after these words, up to the end. */
std::string Ask(const std::string& path, const char* words) {
  const Fd socket = Connect(path);
  if (!socket.valid()) return "nobody listens";
  send(socket.get(), words, strlen(words), MSG_NOSIGNAL);
  shutdown(socket.get(), SHUT_WR);
  std::string all;
  char bytes[256];
  for (ssize_t size; (size = read(socket.get(), bytes, sizeof bytes)) > 0;) {
    all.append(bytes, static_cast<size_t>(size));
  }
  return all;
}

void Echo(void*, Request* request) {
  request->Answer(request->text, request->size);
}

bool IsThere(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

/** The listening socket that was made last, above the program's own descriptors. */
int HighSocket() {
  int last = -1;
  for (int fd = kLeastOwnedFd; fd < kLeastOwnedFd + 16; fd++) {
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode)) last = fd;
  }
  return last;
}

/** Until so many threads wait in poll(2). */
void UntilPolling(int threads) {
  for (int polling = 0; polling < threads; usleep(100)) {
    polling = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream file(task.path() / "syscall");
      long number = -1;
      if (file >> number && number == kPoll) polling++;
    }
  }
}

}  // namespace

TEST("a line is answered, and what is no line is not") {
  const std::string path = PathOf("line");
  // Listeners are not destroyed.
  static RequestListener listener;
  const char* operation = "";
  CHECK_EQUAL(listener.Listen(path.c_str(), Echo, nullptr, &operation), 0);
  CHECK(Ask(path, "a line\n") == "a line\n");
  CHECK(Ask(path, "no line") == "");
  CHECK(Ask(path, std::string(Request::kMostBytes + 1, 'x').c_str()) == "");
  CHECK(Ask(path, "another\n") == "another\n");
  CHECK_EQUAL(listener.Listen(path.c_str(), Echo, nullptr, &operation), EALREADY);
  listener.Close();
  CHECK(!IsThere(path));
}

TEST("a program that closes its descriptors ends the listening, and keeps what it opens then") {
  const std::string path = PathOf("closed");
  static RequestListener listener;
  const char* operation = "";
  CHECK_EQUAL(listener.Listen(path.c_str(), Echo, nullptr, &operation), 0);
  const int ours = HighSocket();
  CHECK(ours > kLeastOwnedFd);
  // Those of both tests.
  UntilPolling(2);
  close(ours);
  // The kernel keeps the socket for whoever waits at it; a recorder that comes wakes the thread.
  Ask(path, "a line\n");
  while (IsThere(path)) usleep(100);
  int pipe_ends[2];
  CHECK_EQUAL(pipe(pipe_ends), 0);
  CHECK_EQUAL(dup2(pipe_ends[1], ours), ours);
  listener.Close();
  CHECK_EQUAL(write(ours, "x", 1), 1);
  for (const int fd : {ours, pipe_ends[0], pipe_ends[1]}) close(fd);
}

TEST("a process that was forked leaves the socket to the one that listens") {
  const std::string path = PathOf("fork");
  static RequestListener listener;
  const char* operation = "";
  CHECK_EQUAL(listener.Listen(path.c_str(), Echo, nullptr, &operation), 0);
  const pid_t child = fork();
  if (child == 0) {
    listener.Close();
    _exit(7);
  }
  int status = 0;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK_EQUAL(WEXITSTATUS(status), 7);
  CHECK(Ask(path, "a line\n") == "a line\n");
  listener.Close();
  CHECK(!IsThere(path));
}

TEST("a socket that nobody listens at is deaf, and other places are not") {
  const std::string path = PathOf("deaf");
  static RequestListener listener;
  const char* operation = "";
  CHECK(!RequestListener::IsDeaf(path.c_str()));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.c_str(), path.size());
  {
    const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    CHECK_EQUAL(bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  CHECK(RequestListener::IsDeaf(path.c_str()));
  CHECK_EQUAL(listener.Listen(path.c_str(), Echo, nullptr, &operation), EADDRINUSE);
  unlink(path.c_str());
  CHECK_EQUAL(listener.Listen(path.c_str(), Echo, nullptr, &operation), 0);
  CHECK(!RequestListener::IsDeaf(path.c_str()));
  listener.Close();
}

int main() {
  return perf_ts::test::RunAll();
}
