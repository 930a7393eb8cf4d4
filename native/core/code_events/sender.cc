#include "sender.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "../posix/peer.h"
#include "monotonic.h"

namespace perf_ts {
namespace {

/** Records of this time are sent together, then those of twice as long as long as there are more:
 * code is compiled in bursts, and to wake two processes takes as long as a hundred records. */
constexpr long kLeastGatherNs = 2'000'000;
constexpr long kMostGatherNs = 32'000'000;
constexpr long kFlushLookNs = 500'000;
constexpr int kFlushMs = 1000;
/** A recorder whose queue of connections stays full for so long is none. */
constexpr int kMostConnectMs = 20;
/** How often an idle thread looks whether the recorder is there, which waits for our end at its
 * own. */
constexpr long kLookNs = 50'000'000;

/** MADV_WIPEONFORK of Linux 4.14: a process that is forked off finds zeros there. */
constexpr int kWipeOnFork = 18;
constexpr size_t kPageBytes = 4096;

/** The pid of this process, in a page that no other inherits: to ask the kernel costs as much as a
 * record. Null: not there. */
std::atomic<std::atomic<int>*> own_pid{nullptr};

int OwnPid() {
  const auto* page = own_pid.load(std::memory_order_acquire);
  return page == nullptr ? getpid() : page->load(std::memory_order_relaxed);
}

void KeepOwnPid() {
  auto* page = own_pid.load(std::memory_order_acquire);
  if (page == nullptr) {
    void* fresh =
        mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return;
    if (madvise(fresh, kPageBytes, kWipeOnFork) != 0) {
      munmap(fresh, kPageBytes);
      return;
    }
    auto* made = static_cast<std::atomic<int>*>(fresh);
    made->store(getpid(), std::memory_order_relaxed);
    if (own_pid.compare_exchange_strong(page, made, std::memory_order_acq_rel)) return;
    munmap(fresh, kPageBytes);
  }
  page->store(getpid(), std::memory_order_relaxed);
}

void SleepNs(long ns) {
  const timespec pause = {0, ns};
  nanosleep(&pause, nullptr);
}

/** 0, or an errno. A stream socket connects at once or not at all, if it may not wait. */
int ConnectSoon(int fd, const sockaddr_un& address, size_t size) {
  for (int waited_ms = 0;; waited_ms++) {
    const auto* to = reinterpret_cast<const sockaddr*>(&address);
    if (connect(fd, to, static_cast<socklen_t>(size)) == 0) return 0;
    if (errno != EAGAIN && errno != EINTR) return errno;
    if (waited_ms >= kMostConnectMs) return EAGAIN;
    SleepNs(1'000'000);
  }
}

bool IsRecorder(const Peer& peer, int recorder) {
  if (!peer.known || (peer.uid != 0 && peer.uid != geteuid())) return false;
  return recorder == 0 || peer.pid == 0 || peer.pid == recorder;
}

}  // namespace

Sender::~Sender() {
  if (!IsOfThisProcess()) return;
  if (running_) {
    Flush(FlushDeadlineNs());
    ends_.store(true, std::memory_order_release);
    Signal();
    pthread_join(thread_, nullptr);
  }
  pthread_mutex_destroy(&mutex_);
}

bool Sender::IsOfThisProcess() const {
  return owner_ == 0 || owner_ == OwnPid();
}

int Sender::Connect(const char* name, int recorder, const char** operation) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const size_t length = strlen(name);
  *operation = "connect";
  if (length >= sizeof address.sun_path) return ENAMETOOLONG;
  memcpy(address.sun_path, name, length + 1);
  const bool is_abstract = name[0] == '@';
  if (is_abstract) address.sun_path[0] = '\0';
  *operation = "socket";
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return errno;
  *operation = "connect";
  // An abstract name has a length: Node 20 listens at one filled up with zeros.
  const size_t exact = offsetof(sockaddr_un, sun_path) + length;
  int refusal = ConnectSoon(socket.get(), address, is_abstract ? exact : sizeof address);
  if (refusal == ECONNREFUSED && is_abstract) {
    refusal = ConnectSoon(socket.get(), address, sizeof address);
  }
  if (refusal != 0) return refusal;
  if (!IsRecorder(PeerOf(socket.get()), recorder)) return ECONNREFUSED;
  socket_ = OwnedSocket(static_cast<Fd&&>(socket));
  owner_ = getpid();
  KeepOwnPid();
  return 0;
}

int Sender::Start(OnGone on_gone, OnLook on_look, void* context) {
  on_gone_ = on_gone;
  on_look_ = on_look;
  context_ = context;
  // The new thread inherits the mask: the program's signals are not handled on it.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failure = pthread_create(&thread_, nullptr, Main, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  running_ = failure == 0;
  return failure;
}

char* Sender::Begin(size_t size) {
  // The lock may have been held by a thread that a fork has left behind.
  if (!IsOfThisProcess()) return nullptr;
  pthread_mutex_lock(&mutex_);
  char* place = is_gone_.load(std::memory_order_relaxed) ? nullptr : queue_.Append(size);
  if (place == nullptr) {
    pthread_mutex_unlock(&mutex_);
    lost_.fetch_add(1, std::memory_order_relaxed);
  }
  return place;
}

void Sender::Commit() {
  const bool is_asleep = !is_sending_;
  is_sending_ = true;
  pthread_mutex_unlock(&mutex_);
  if (is_asleep) Signal();
}

void Sender::CommitLazily() {
  pthread_mutex_unlock(&mutex_);
}

uint64_t Sender::FlushDeadlineNs() {
  return NowNs() + kFlushMs * 1'000'000ull;
}

void Sender::Flush(uint64_t deadline_ns) {
  if (!IsOfThisProcess()) return;
  is_last_.store(true, std::memory_order_release);
  for (;;) {
    pthread_mutex_lock(&mutex_);
    if (!queue_.IsEmpty()) is_sending_ = true;
    const bool is_done = !is_sending_ || is_gone_.load(std::memory_order_relaxed);
    pthread_mutex_unlock(&mutex_);
    if (is_done || NowNs() >= deadline_ns) break;
    Signal();
    SleepNs(kFlushLookNs);
  }
}

void* Sender::Main(void* self) {
  prctl(PR_SET_NAME, "perf-ts", 0, 0, 0);
  static_cast<Sender*>(self)->Run();
  return nullptr;
}

void Sender::Run() {
  for (long gather_ns = kLeastGatherNs;;) {
    const uint32_t seen = signals_.load(std::memory_order_acquire);
    if (ends_.load(std::memory_order_acquire)) return;
    const uint8_t question = TakeQuestion();
    const bool is_unwanted = HasPeerClosed();
    if (on_look_ != nullptr) on_look_(context_, {is_unwanted, question});
    ByteQueue::Block* list = TakeQueued();
    const bool is_idle = list == nullptr;
    if (!SendAndFree(list) || is_unwanted) break;
    if (is_idle) {
      AwaitSignal(seen, kLookNs);
      gather_ns = kLeastGatherNs;
    } else if (!is_last_.load(std::memory_order_acquire)) {
      AwaitSignal(seen, gather_ns);
      if (gather_ns < kMostGatherNs) gather_ns *= 2;
    }
  }
  if (const int fd = socket_.get(); fd >= 0) shutdown(fd, SHUT_WR);
  is_gone_.store(true, std::memory_order_release);
  on_gone_(context_);
}

bool Sender::HasPeerClosed() {
  const int fd = socket_.get();
  if (fd < 0) return true;
  char question;
  const ssize_t size = recv(fd, &question, 1, MSG_DONTWAIT | MSG_PEEK);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
}

uint8_t Sender::TakeQuestion() {
  const int fd = socket_.get();
  uint8_t questions[64];
  const ssize_t size = fd < 0 ? 0 : recv(fd, questions, sizeof questions, MSG_DONTWAIT);
  return size > 0 ? questions[size - 1] : 0;
}

ByteQueue::Block* Sender::TakeQueued() {
  pthread_mutex_lock(&mutex_);
  ByteQueue::Block* list = queue_.TakeAll();
  is_sending_ = list != nullptr;
  pthread_mutex_unlock(&mutex_);
  return list;
}

bool Sender::SendAndFree(ByteQueue::Block* list) {
  bool is_sent = true;
  for (auto* block = list; block != nullptr && is_sent; block = block->next) {
    is_sent = SendAll(block->bytes(), block->used);
  }
  ByteQueue::Free(list);
  return is_sent;
}

bool Sender::SendAll(const char* bytes, size_t size) {
  while (size > 0) {
    const int fd = socket_.get();
    if (fd < 0) return false;
    // A recorder that reads nothing any more must not hold up the end of the program.
    const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes += sent;
      size -= static_cast<size_t>(sent);
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (ends_.load(std::memory_order_acquire)) return false;
      pollfd ready = {fd, POLLOUT, 0};
      if (poll(&ready, 1, kFlushMs / 10) > 0 && (ready.revents & (POLLHUP | POLLERR)) != 0)
        return false;
    } else if (!(sent < 0 && errno == EINTR)) {
      return false;
    }
  }
  return true;
}

void Sender::Signal() {
  signals_.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &signals_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void Sender::AwaitSignal(uint32_t than, long most_ns) {
  const timespec most = {0, most_ns};
  syscall(SYS_futex, &signals_, FUTEX_WAIT_PRIVATE, than, &most, nullptr, 0);
}

}  // namespace perf_ts
