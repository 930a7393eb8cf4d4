#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "byte_queue.h"
#include "owned_socket.h"

namespace perf_ts {

/**
 * The connection of one isolate to the recorder, with a thread that sends what is queued. The
 * thread notices as well that the recorder is gone, or that the program has closed the connection.
 *
 *   isolate's thread ── Append ──▶ queue ── thread ──▶ socket
 *   isolate's thread ◀── on_gone ─────────── thread ◀── hang-up, looked for
 *                                            20 times a second where nothing is queued
 */
class Sender {
 public:
  /** Called on the sender's thread, once, when the recorder has closed the connection. */
  using OnGone = void (*)(void* context);
  struct Look {
    /** The recorder wants no more. */
    bool is_last;
    /** The byte of a question that the recorder has asked since the last look; 0: none. */
    uint8_t question;
  };
  /** Called on the sender's thread, some 20 times a second, and once with `is_last`: what is
   * written here is sent. */
  using OnLook = void (*)(void* context, Look look);

  Sender() = default;
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  /** Sends what is left, for at most a second, and joins the thread. */
  ~Sender();

  /**
   * Connects to a Unix socket: a path, or with `@` an abstract name of this network namespace. 0,
   * or the errno with the name of the call. It never waits for whoever listens: EAGAIN where the
   * queue stays full for some milliseconds. ECONNREFUSED also where another process than
   * `recorder` listens, or another user than root and our own: the name is free for anybody when
   * the recorder has ended. `recorder` 0: its pid is not known here.
   */
  int Connect(const char* name, int recorder, const char** operation);

  /**
   * Whether this process is the one that connected. One that it has forked has neither the thread
   * nor the lock's other side, and the connection is not its own: there all of this does nothing.
   */
  bool IsOfThisProcess() const;

  /** 0, or the errno of pthread_create. Until `Wake`, what is queued waits. */
  int Start(OnGone on_gone, OnLook on_look, void* context);

  /**
   * Room for a record of `size` bytes, and the lock that `Commit` gives back; null without memory,
   * and without a lock then: the record is counted as lost.
   */
  char* Begin(size_t size);
  void Commit();
  /** Ends the record and wakes nobody: it is sent when the thread looks for the recorder. */
  void CommitLazily();

  /** Has the thread look now; in a signal handler too. */
  void Wake() { Signal(); }

  /** Records for which there was no memory since the last call. */
  uint64_t TakeLost() { return lost_.exchange(0, std::memory_order_relaxed); }

  /** Whether the recorder has closed the connection, be `OnGone` called yet or not. */
  bool IsGone() { return is_gone_.load(std::memory_order_acquire) || HasPeerClosed(); }

  /** The time at which a wait that begins now has to end. */
  static uint64_t FlushDeadlineNs();

  /** Waits until everything queued is sent, at most until then; the sender ends soon. */
  void Flush(uint64_t deadline_ns);

 private:
  static void* Main(void* self);
  void Run();
  /** Whether the recorder has closed its side behind its last question, or the program ours. */
  bool HasPeerClosed();
  /** The recorder's last question that was not taken yet; 0: none. */
  uint8_t TakeQuestion();
  ByteQueue::Block* TakeQueued();
  /** False when the recorder is gone. */
  bool SendAndFree(ByteQueue::Block* list);
  bool SendAll(const char* bytes, size_t size);
  void Signal();
  /** Until there are other signals than these. */
  void AwaitSignal(uint32_t than, long most_ns);

  OwnedSocket socket_;
  /** Calls of `Signal`: the thread sleeps until there is another. */
  std::atomic<uint32_t> signals_{0};
  /** The process that connected. */
  int owner_ = 0;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  /** Guarded by the mutex. */
  ByteQueue queue_;
  bool is_sending_ = false;
  /** Nothing is gathered any more. */
  std::atomic<bool> is_last_{false};
  std::atomic<uint64_t> lost_{0};
  std::atomic<bool> is_gone_{false};
  std::atomic<bool> ends_{false};
  pthread_t thread_{};
  bool running_ = false;
  OnGone on_gone_ = nullptr;
  OnLook on_look_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace perf_ts
