#include "signal_origin.h"

#include <signal.h>

#include <atomic>

namespace perf_ts {
namespace {

// Only lock-free atomics may be touched by a signal handler.
using Handler = void (*)(int);
std::atomic<Handler> previous_handlers[kSignalCount + 1];
std::atomic<int> last_senders[kSignalCount + 1];
static_assert(std::atomic<Handler>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void NoteAndPassOn(int signal, siginfo_t* info, void*) {
  last_senders[signal] = info->si_code == SI_KERNEL ? kFromKernel : info->si_pid;
  const Handler previous = previous_handlers[signal];
  if (previous != nullptr) previous(signal);
}

}  // namespace

bool NoteSignalOrigin(int signal) {
  struct sigaction action;
  if (signal < 1 || signal > kSignalCount || sigaction(signal, nullptr, &action) != 0) return false;
  if ((action.sa_flags & SA_SIGINFO) != 0) return action.sa_sigaction == NoteAndPassOn;
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return false;
  previous_handlers[signal] = action.sa_handler;
  // The mask and the other flags (SA_RESTART, SA_ONSTACK) stay as they are.
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = NoteAndPassOn;
  return sigaction(signal, &action, nullptr) == 0;
}

int SenderOfSignal(int signal) {
  return signal >= 1 && signal <= kSignalCount ? last_senders[signal].load() : 0;
}

}  // namespace perf_ts
