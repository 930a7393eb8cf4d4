#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../posix/fd.h"
#include "../posix/peer.h"
#include "byte_queue.h"

namespace perf_ts {

/**
 * The connection of one isolate to the recorder, with a thread that sends what is queued. The
 * thread notices as well that the recorder is gone.
 *
 *   isolate's thread ── Append ──▶ queue ── thread ──▶ socket
 *   isolate's thread ◀── on_gone ─────────── thread ◀── hang-up
 */
class Sender {
 public:
  /** Called on the sender's thread, once, when the recorder has closed the connection. */
  using OnGone = void (*)(void* context);

  Sender() = default;
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  /** Sends what is left, for at most a second, and joins the thread. */
  ~Sender();

  /**
   * Connects to a Unix socket: a path, or with `@` an abstract name of this network namespace. 0,
   * or the errno with the name of the call.
   */
  int Connect(const char* name, const char** operation);

  /** The process that listens at the other end. */
  const Peer& peer() const { return peer_; }

  /** 0, or the errno of pthread_create. Until `Wake`, what is queued waits. */
  int Start(OnGone on_gone, void* context);

  /**
   * Room for a record of `size` bytes, and the lock that `Commit` gives back; null without memory,
   * and without a lock then: the record is counted as lost.
   */
  char* Begin(size_t size);
  void Commit();

  /** Records for which there was no memory since the last call. */
  uint64_t TakeLost() { return lost_.exchange(0, std::memory_order_relaxed); }

  /** Whether the recorder has closed the connection, be `OnGone` called yet or not. */
  bool IsGone() { return is_gone_.load(std::memory_order_acquire) || HasPeerClosed(); }

  /** Waits until everything queued is sent, at most a second. */
  void Flush();

 private:
  static void* Main(void* self);
  void Run();
  /** Whether the recorder has closed its side; it sends nothing. */
  bool HasPeerClosed();
  /** False when the recorder is gone. */
  bool SendQueued();
  bool SendAll(const char* bytes, size_t size);
  void Signal();

  Fd socket_;
  Fd wake_;
  Peer peer_;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  /** Under the mutex. */
  ByteQueue queue_;
  bool is_sending_ = false;
  std::atomic<uint64_t> lost_{0};
  std::atomic<bool> is_gone_{false};
  std::atomic<bool> ends_{false};
  pthread_t thread_{};
  bool running_ = false;
  OnGone on_gone_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace perf_ts
