#pragma once

#include <pthread.h>

#include "error.h"

namespace perf_ts {

/**
 * A thread on which no signal of the process is ever handled; a write to a closed pipe or beyond
 * the file-size limit is an errno there.
 */
class WorkerThread {
 public:
  WorkerThread() = default;
  ~WorkerThread() { Join(); }

  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  /** Runs `main(self)`; false with the failed step in `*error`. Once. */
  bool Start(void* (*main)(void*), void* self, Error* error);

  bool running() const { return running_; }
  /** Waits until `main` has returned. Idempotent. */
  void Join();

 private:
  pthread_t thread_ = {};
  bool running_ = false;
};

}  // namespace perf_ts
