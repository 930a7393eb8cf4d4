#include "worker_thread.h"

#include <signal.h>

#include <cstddef>

namespace perf_ts {
namespace {

constexpr size_t kStackBytes = 256 * 1024;

}  // namespace

bool WorkerThread::Start(void* (*main)(void*), void* self, Error* error) {
  // The new thread inherits the mask.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const int failure = pthread_create(&thread_, &attributes, main, self);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure != 0) {
    *error = {failure, "pthread_create"};
    return false;
  }
  running_ = true;
  return true;
}

void WorkerThread::Join() {
  if (running_) pthread_join(thread_, nullptr);
  running_ = false;
}

}  // namespace perf_ts
