// Isolates fill the queue while the sender's thread empties it into a socket.

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../core/code_events/owned_socket.h"
#include "../core/code_events/sender.h"
#include "test.h"

using namespace perf_ts;

namespace {

/** A recorder: an abstract socket of this process, and what was read from it. */
class Recorder {
 public:
  explicit Recorder(const char* what) {
    name_ = "@perf-ts-test-" + std::to_string(getpid()) + "-" + what;
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, name_.c_str(), name_.size());
    address.sun_path[0] = '\0';
    listening_ = Fd(socket(AF_UNIX, SOCK_STREAM, 0));
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
    if (bind(listening_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(listening_.get(), 4) != 0) {
      perror("listen");
    }
  }

  const char* name() const { return name_.c_str(); }

  void Accept() { stream_ = Fd(accept(listening_.get(), nullptr, nullptr)); }

  /** Everything up to the end of the stream. */
  std::vector<char> ReadAll() {
    std::vector<char> all;
    char bytes[4096];
    for (;;) {
      const ssize_t size = read(stream_.get(), bytes, sizeof bytes);
      if (size <= 0) return all;
      all.insert(all.end(), bytes, bytes + size);
    }
  }

  void Ask(char question) { CHECK_EQUAL(send(stream_.get(), &question, 1, MSG_NOSIGNAL), 1); }
  void CloseOurSide() { shutdown(stream_.get(), SHUT_WR); }
  void Vanish() { stream_.Reset(); }

 private:
  std::string name_;
  Fd listening_;
  Fd stream_;
};

std::atomic<int> gone{0};
void OnGone(void*) {
  gone++;
}

void Append(Sender* sender, char value, size_t size) {
  if (char* place = sender->Begin(size)) {
    memset(place, value, size);
    sender->Commit();
  }
}

constexpr int kRecords = 5000;

void* AppendMany(void* sender) {
  for (int i = 0; i < kRecords; i++) Append(static_cast<Sender*>(sender), 'b', 16);
  return nullptr;
}

void UntilGone(int count) {
  while (gone.load() < count) usleep(100);
}

}  // namespace

TEST("every byte of two threads arrives, each record in one piece") {
  Recorder recorder("all");
  const char* operation = "";
  std::vector<char> received;
  {
    Sender sender;
    CHECK_EQUAL(sender.Connect(recorder.name(), getpid(), &operation), 0);
    recorder.Accept();
    CHECK_EQUAL(sender.Start(OnGone, nullptr, nullptr), 0);
    pthread_t other, reader;
    CHECK_EQUAL(pthread_create(&other, nullptr, AppendMany, &sender), 0);
    struct Reading {
      Recorder* recorder;
      std::vector<char>* into;
    } reading = {&recorder, &received};
    CHECK_EQUAL(pthread_create(
                    &reader, nullptr,
                    [](void* argument) -> void* {
                      auto* reading = static_cast<Reading*>(argument);
                      *reading->into = reading->recorder->ReadAll();
                      return nullptr;
                    },
                    &reading),
                0);
    for (int i = 0; i < kRecords; i++) Append(&sender, 'a', 24);
    pthread_join(other, nullptr);
    gone = 0;
    recorder.CloseOurSide();
    UntilGone(1);
    pthread_join(reader, nullptr);
    CHECK_EQUAL(sender.TakeLost(), 0u);
  }
  size_t of_ours = 0, of_other = 0;
  for (size_t at = 0; at < received.size();) {
    const size_t size = received[at] == 'a' ? 24 : 16;
    (received[at] == 'a' ? of_ours : of_other)++;
    for (size_t i = 1; i < size; i++) CHECK_EQUAL(received[at + i], received[at]);
    at += size;
  }
  CHECK_EQUAL(of_ours, static_cast<size_t>(kRecords));
  CHECK_EQUAL(of_other, static_cast<size_t>(kRecords));
}

TEST("a question is passed on once, and its answer comes behind what was queued before") {
  Recorder recorder("question");
  const char* operation = "";
  gone = 0;
  Sender sender;
  CHECK_EQUAL(sender.Connect(recorder.name(), getpid(), &operation), 0);
  recorder.Accept();
  Append(&sender, 'a', 8);
  recorder.Ask(3);
  recorder.Ask(4);
  const auto answer = [](void* sender, Sender::Look look) {
    if (look.question != 0) Append(static_cast<Sender*>(sender), look.question, 8);
  };
  CHECK_EQUAL(sender.Start(OnGone, answer, &sender), 0);
  // Another thread may look whether the recorder is there.
  CHECK(!sender.IsGone());
  recorder.CloseOurSide();
  UntilGone(1);
  const std::vector<char> received = recorder.ReadAll();
  CHECK_EQUAL(received.size(), 16u);
  CHECK_EQUAL(received[0], 'a');
  CHECK_EQUAL(received[8], 4);
}

TEST("a recorder that vanishes is reported once, and what comes later is lost") {
  Recorder recorder("vanish");
  const char* operation = "";
  gone = 0;
  Sender sender;
  CHECK_EQUAL(sender.Connect(recorder.name(), getpid(), &operation), 0);
  recorder.Accept();
  CHECK_EQUAL(sender.Start(OnGone, nullptr, nullptr), 0);
  recorder.Vanish();
  UntilGone(1);
  Append(&sender, 'a', 8);
  CHECK_EQUAL(sender.TakeLost(), 1u);
  CHECK_EQUAL(gone.load(), 1);
}

/** The descriptor of the one socket of this process above those that it opened itself. */
int HighSocket() {
  for (int fd = kLeastOwnedFd; fd < kLeastOwnedFd + 16; fd++) {
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode)) return fd;
  }
  return -1;
}

TEST(
    "a program that closes the connection and uses its number gets nothing of it, and loses none") {
  Recorder recorder("closed");
  const char* operation = "";
  gone = 0;
  int pipe_ends[2];
  CHECK_EQUAL(pipe2(pipe_ends, O_NONBLOCK), 0);
  {
    Sender sender;
    CHECK_EQUAL(sender.Connect(recorder.name(), getpid(), &operation), 0);
    recorder.Accept();
    CHECK_EQUAL(sender.Start(OnGone, nullptr, nullptr), 0);
    const int ours = HighSocket();
    CHECK(ours >= kLeastOwnedFd);
    CHECK_EQUAL(dup2(pipe_ends[1], ours), ours);
    Append(&sender, 'a', 8);
    UntilGone(1);
    CHECK(sender.IsGone());
    CHECK_EQUAL(write(ours, "x", 1), 1);
    pipe_ends[1] = ours;
  }
  // Still the program's.
  CHECK_EQUAL(write(pipe_ends[1], "y", 1), 1);
  char bytes[8];
  CHECK_EQUAL(read(pipe_ends[0], bytes, sizeof bytes), 2);
  close(pipe_ends[1]);
}

TEST("bytes queued when the sender ends have been sent") {
  Recorder recorder("end");
  const char* operation = "";
  {
    Sender sender;
    CHECK_EQUAL(sender.Connect(recorder.name(), getpid(), &operation), 0);
    recorder.Accept();
    CHECK_EQUAL(sender.Start(OnGone, nullptr, nullptr), 0);
    for (int i = 0; i < 100; i++) Append(&sender, 'a', 8);
  }
  CHECK_EQUAL(recorder.ReadAll().size(), 800u);
}

TEST("nobody who listens is a refusal with its reason") {
  const char* operation = "";
  Sender sender;
  CHECK_EQUAL(sender.Connect("@perf-ts-test-nobody", 0, &operation), ECONNREFUSED);
  CHECK_EQUAL(strcmp(operation, "connect"), 0);
  Sender longest;
  CHECK_EQUAL(longest.Connect(std::string(200, 'x').c_str(), 0, &operation), ENAMETOOLONG);
}

TEST("a process that has taken the name of a recorder that ended is refused") {
  Recorder other("other");
  const char* operation = "";
  Sender sender;
  CHECK_EQUAL(sender.Connect(other.name(), getppid(), &operation), ECONNREFUSED);
  CHECK_EQUAL(strcmp(operation, "connect"), 0);
}

TEST("a full queue of connections is a refusal, and not waited for") {
  Recorder recorder("full");
  const char* operation = "";
  std::vector<Sender> senders(16);
  int refusal = 0;
  for (auto& sender : senders) {
    refusal = sender.Connect(recorder.name(), getpid(), &operation);
    if (refusal != 0) break;
  }
  CHECK_EQUAL(refusal, EAGAIN);
}

TEST("a process that was forked takes no lock, sends nothing and ends at once") {
  Recorder recorder("fork");
  const char* operation = "";
  {
    Sender sender;
    CHECK_EQUAL(sender.Connect(recorder.name(), getpid(), &operation), 0);
    recorder.Accept();
    CHECK_EQUAL(sender.Start(OnGone, nullptr, nullptr), 0);
    // Holds the lock while the process is forked.
    char* place = sender.Begin(8);
    CHECK(place != nullptr);
    memset(place, 'a', 8);
    const pid_t child = fork();
    if (child == 0) {
      Append(&sender, 'b', 8);
      sender.Flush(Sender::FlushDeadlineNs());
      sender.~Sender();
      _exit(7);
    }
    sender.Commit();
    int status = 0;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(WEXITSTATUS(status), 7);
  }
  CHECK_EQUAL(recorder.ReadAll().size(), 8u);
}

int main() {
  return perf_ts::test::RunAll();
}
