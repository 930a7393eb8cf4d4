#include "sender.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

namespace perf_ts {
namespace {

/** Records of this time are sent together: code is compiled in bursts. */
constexpr long kGatherNs = 2'000'000;
constexpr int kFlushMs = 1000;

void SleepNs(long ns) {
  const timespec pause = {0, ns};
  nanosleep(&pause, nullptr);
}

}  // namespace

Sender::~Sender() {
  if (running_) {
    Flush();
    ends_.store(true, std::memory_order_release);
    Signal();
    pthread_join(thread_, nullptr);
  }
  pthread_mutex_destroy(&mutex_);
}

int Sender::Connect(const char* name, const char** operation) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const size_t length = strlen(name);
  *operation = "connect";
  if (length >= sizeof address.sun_path) return ENAMETOOLONG;
  memcpy(address.sun_path, name, length + 1);
  const bool is_abstract = name[0] == '@';
  if (is_abstract) address.sun_path[0] = '\0';
  *operation = "socket";
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return errno;
  *operation = "connect";
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  const auto exact = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  // An abstract name has a length: Node 20 listens at one filled up with zeros.
  if (connect(socket.get(), to, is_abstract ? exact : sizeof address) != 0 &&
      (!is_abstract || connect(socket.get(), to, sizeof address) != 0)) {
    return errno;
  }
  *operation = "eventfd";
  Fd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) return errno;
  peer_ = PeerOf(socket.get());
  socket_ = static_cast<Fd&&>(socket);
  wake_ = static_cast<Fd&&>(wake);
  return 0;
}

int Sender::Start(OnGone on_gone, void* context) {
  on_gone_ = on_gone;
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

void Sender::Flush() {
  for (long waited_ns = 0; waited_ns < kFlushMs * 1'000'000l; waited_ns += kGatherNs / 4) {
    pthread_mutex_lock(&mutex_);
    const bool is_done = !is_sending_ || is_gone_.load(std::memory_order_relaxed);
    pthread_mutex_unlock(&mutex_);
    if (is_done) return;
    SleepNs(kGatherNs / 4);
  }
}

void* Sender::Main(void* self) {
  prctl(PR_SET_NAME, "perf-ts", 0, 0, 0);
  static_cast<Sender*>(self)->Run();
  return nullptr;
}

void Sender::Run() {
  while (!ends_.load(std::memory_order_acquire)) {
    pollfd ready[] = {{wake_.get(), POLLIN, 0}, {socket_.get(), POLLIN | POLLRDHUP, 0}};
    if (poll(ready, 2, -1) < 0) continue;
    if (ready[0].revents != 0) {
      uint64_t count;
      if (read(wake_.get(), &count, sizeof count) < 0) continue;
    }
    const bool is_last = ready[1].revents != 0 && HasPeerClosed();
    if (!SendQueued() || is_last) {
      shutdown(socket_.get(), SHUT_WR);
      is_gone_.store(true, std::memory_order_release);
      on_gone_(context_);
      break;
    }
  }
}

bool Sender::HasPeerClosed() {
  char nothing;
  const ssize_t size = recv(socket_.get(), &nothing, 1, MSG_DONTWAIT);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
}

bool Sender::SendQueued() {
  for (;;) {
    pthread_mutex_lock(&mutex_);
    ByteQueue::Block* list = queue_.TakeAll();
    is_sending_ = list != nullptr;
    pthread_mutex_unlock(&mutex_);
    if (list == nullptr) return true;
    bool is_sent = true;
    for (auto* block = list; block != nullptr && is_sent; block = block->next) {
      is_sent = SendAll(block->bytes(), block->used);
    }
    ByteQueue::Free(list);
    if (!is_sent) return false;
    if (!ends_.load(std::memory_order_relaxed)) SleepNs(kGatherNs);
  }
}

bool Sender::SendAll(const char* bytes, size_t size) {
  while (size > 0) {
    // A recorder that reads nothing any more must not hold up the end of the program.
    const ssize_t sent = send(socket_.get(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes += sent;
      size -= static_cast<size_t>(sent);
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (ends_.load(std::memory_order_acquire)) return false;
      pollfd ready = {socket_.get(), POLLOUT, 0};
      if (poll(&ready, 1, kFlushMs / 10) > 0 && (ready.revents & (POLLHUP | POLLERR)) != 0)
        return false;
    } else if (!(sent < 0 && errno == EINTR)) {
      return false;
    }
  }
  return true;
}

void Sender::Signal() {
  const uint64_t one = 1;
  // It can't block, and a full counter wakes as well.
  if (write(wake_.get(), &one, sizeof one) < 0) return;
}

}  // namespace perf_ts
