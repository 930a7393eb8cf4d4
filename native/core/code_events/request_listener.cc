#include "request_listener.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <new>

#include "../posix/peer.h"
#include "monotonic.h"

namespace perf_ts {
namespace {

/** Time from the connection to the end of the line. */
constexpr int kMostRequestMs = 1000;
/** The pause before the next attempt while descriptors or memory are short. */
constexpr int kPauseMs = 100;
constexpr int kBacklog = 16;

int64_t NowMs() {
  return static_cast<int64_t>(NowNs() / 1'000'000);
}

bool SetAddress(const char* path, sockaddr_un* address) {
  address->sun_family = AF_UNIX;
  const size_t length = strlen(path);
  if (length >= sizeof address->sun_path) return false;
  memcpy(address->sun_path, path, length + 1);
  return true;
}

/** Reads up to the end of a line; false where that does not come in time, or is too long. */
bool ReadLine(Request* request) {
  const int64_t end_ms = NowMs() + kMostRequestMs;
  while (request->size < Request::kMostBytes) {
    const int64_t left_ms = end_ms - NowMs();
    pollfd ready = {request->connection.get(), POLLIN, 0};
    if (ready.fd < 0 || left_ms <= 0) return false;
    if (poll(&ready, 1, static_cast<int>(left_ms)) <= 0) continue;
    const ssize_t size = recv(ready.fd, request->text + request->size,
                              Request::kMostBytes - request->size, MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (size < 0) continue;
    request->size += static_cast<size_t>(size);
    if (request->text[request->size - 1] == '\n') return true;
  }
  return false;
}

void Free(Request* request) {
  request->~Request();
  free(request);
}

bool IsShortage(int code) {
  return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM;
}

}  // namespace

void Request::Answer(const char* line, size_t size) {
  const int fd = connection.get();
  if (fd >= 0) send(fd, line, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  Free(this);
}

int RequestListener::Listen(const char* path, OnRequest on_request, void* context,
                            const char** operation) {
  sockaddr_un address = {};
  *operation = "listen";
  if (socket_ != nullptr) return EALREADY;
  if (!SetAddress(path, &address)) return ENAMETOOLONG;
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return errno;
  if (bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket.get(), kBacklog) != 0) {
    return errno;
  }
  void* memory = malloc(sizeof(OwnedSocket));
  if (memory == nullptr) return ENOMEM;
  socket_ = new (memory) OwnedSocket(static_cast<Fd&&>(socket));
  memcpy(path_, address.sun_path, sizeof path_);
  owner_ = getpid();
  uid_ = geteuid();
  on_request_ = on_request;
  context_ = context;
  // The new thread inherits the mask: the program's signals are not handled on it.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  *operation = "pthread_create";
  const int failure = pthread_create(&thread, nullptr, Main, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure == 0)
    pthread_detach(thread);
  else
    Close();
  return failure;
}

void RequestListener::Close() {
  // The lock of a process that another has forked may be held for ever.
  if (!IsOfThisProcess()) return;
  pthread_mutex_lock(&mutex_);
  const bool is_open = on_request_ != nullptr;
  on_request_ = nullptr;
  pthread_mutex_unlock(&mutex_);
  if (is_open) unlink(path_);
}

bool RequestListener::IsOfThisProcess() const {
  return owner_ == getpid();
}

bool RequestListener::IsDeaf(const char* path) {
  sockaddr_un address = {};
  if (!SetAddress(path, &address)) return false;
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  return socket.valid() && connect(socket.get(), to, sizeof address) != 0 && errno == ECONNREFUSED;
}

void* RequestListener::Main(void* self) {
  prctl(PR_SET_NAME, "perf-ts", 0, 0, 0);
  static_cast<RequestListener*>(self)->Run();
  return nullptr;
}

void RequestListener::Run() {
  for (;;) {
    pollfd ready = {socket_->get(), POLLIN, 0};
    if (ready.fd < 0) return Close();
    if (poll(&ready, 1, -1) < 0) continue;
    const int fd = socket_->get();
    if (fd < 0) return Close();
    Fd connection(accept4(fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.valid())
      Take(static_cast<Fd&&>(connection));
    else if (IsShortage(errno))
      poll(nullptr, 0, kPauseMs);
    else if (errno == EINVAL || errno == EBADF)
      return Close();
  }
}

void RequestListener::Take(Fd connection) {
  void* memory = malloc(sizeof(Request));
  if (memory == nullptr) return;
  auto* request = new (memory) Request();
  request->connection = OwnedSocket(static_cast<Fd&&>(connection));
  const Peer peer = PeerOf(request->connection.get());
  if (!peer.known || (peer.uid != 0 && peer.uid != uid_)) {
    char refusal[96];
    const int size = snprintf(refusal, sizeof refusal,
                              "{\"failure\":\"uid %u may not profile uid %u\"}\n", peer.uid, uid_);
    return request->Answer(refusal, static_cast<size_t>(size));
  }
  if (!ReadLine(request)) return Free(request);
  pthread_mutex_lock(&mutex_);
  const bool is_taken = on_request_ != nullptr;
  if (is_taken) on_request_(context_, request);
  pthread_mutex_unlock(&mutex_);
  if (!is_taken) Free(request);
}

}  // namespace perf_ts
