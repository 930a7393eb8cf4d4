#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "owned_socket.h"

namespace perf_ts {

/** A recorder's request to this process: a line, and the connection that its answer goes to. */
struct Request {
  static constexpr size_t kMostBytes = 4096;

  OwnedSocket connection;
  size_t size = 0;
  char text[kMostBytes] = {};

  /** Sends a line as far as it can be sent at once, and frees the request. */
  void Answer(const char* line, size_t size);
};

/**
 * Listens at a Unix socket for recorders, on a thread of its own: the program has no handle of its
 * event loop more, and may close the descriptor, which ends the listening. One in a process, and
 * never destroyed, since its thread may not be woken by then.
 */
class RequestListener {
 public:
  /** Called on the listener's thread; the request is freed by `Answer`. */
  using OnRequest = void (*)(void* context, Request* request);

  constexpr RequestListener() = default;
  RequestListener(const RequestListener&) = delete;
  RequestListener& operator=(const RequestListener&) = delete;

  /** 0, or the errno with the name of the call. EALREADY where it listens or has listened. */
  int Listen(const char* path, OnRequest on_request, void* context, const char** operation);

  /** The socket is gone, and `OnRequest` is not called any more. */
  void Close();

  /** Whether a socket is there that nobody listens at. */
  static bool IsDeaf(const char* path);

 private:
  static void* Main(void* self);
  void Run();
  void Take(Fd connection);
  bool IsOfThisProcess() const;

  static constexpr size_t kMostPathBytes = 108;

  char path_[kMostPathBytes] = {};
  OwnedSocket* socket_ = nullptr;
  /** The process that listens, and its user. */
  int owner_ = 0;
  uint32_t uid_ = 0;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  /** Guarded by the mutex; null: closed. */
  OnRequest on_request_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace perf_ts
