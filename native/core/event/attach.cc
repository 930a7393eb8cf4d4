#include "attach.h"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "../posix/clock.h"
#include "fork_watch.h"
#include "tasks.h"

namespace perf_ts {

namespace {

/** How often what is new is looked for, and how long at most. */
constexpr int kMaxRounds = 1000;
constexpr uint64_t kMaxNs = 2'000'000'000;
/**
 * The kernel copies a parent's events some microseconds before it reports the fork: a fork that is
 * reported this soon after an opening may have happened before it.
 */
constexpr uint64_t kGuardNs = 300'000;

uint64_t Now() {
  uint64_t ns = 0;
  ReadClock(CLOCK_MONOTONIC, &ns);
  return ns;
}

void SleepUntil(uint64_t ns) {
  const timespec time = {static_cast<time_t>(ns / 1'000'000'000),
                         static_cast<long>(ns % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) continue;
}

/** Ascending, each once. A process that has ended is left out, unless `missing_pid` is asked for.
 */
std::set<int> List(const AttachTarget& target, int* missing_pid = nullptr) {
  std::set<int> threads(target.tids.begin(), target.tids.end());
  for (const int pid : target.pids) {
    const std::vector<int> of_process = ListThreads(pid);
    if (of_process.empty() && missing_pid != nullptr) *missing_pid = pid;
    threads.insert(of_process.begin(), of_process.end());
  }
  return threads;
}

std::set<int> Without(const std::set<int>& all, const std::set<int>& known) {
  std::set<int> rest;
  std::set_difference(all.begin(), all.end(), known.begin(), known.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

bool OpenAll(const std::set<int>& threads, const Attachment& attachment) {
  return std::all_of(threads.begin(), threads.end(),
                     [&](int tid) { return attachment.open(tid) != Opened::kFailed; });
}

/** Every thread is opened by itself without inheritance, so that none can be opened twice. */
AttachResult OpenEach(const AttachTarget& target, std::set<int> known,
                      const Attachment& attachment) {
  for (int round = 0; round < kMaxRounds; round++) {
    const std::set<int> fresh = Without(List(target), known);
    if (fresh.empty()) return AttachResult::kSettled;
    if (!OpenAll(fresh, attachment)) return AttachResult::kFailed;
    known.insert(fresh.begin(), fresh.end());
  }
  return AttachResult::kUnsettled;
}

/** Attaches under a ForkWatch. */
class WatchedAttach {
 public:
  WatchedAttach(const AttachTarget& target, const Attachment& attachment)
      : target_(target), attachment_(attachment), watch_(target.cpus) {}

  AttachResult Run() {
    const uint64_t end_ns = Now() + kMaxNs;
    std::set<int> threads;
    const bool is_watched = WatchAll(&threads);
    for (const int tid : threads) {
      if (!Open(tid)) return AttachResult::kFailed;
    }
    if (!is_watched) return AttachResult::kUnsettled;
    for (int round = 0; round < kMaxRounds && Now() < end_ns; round++) {
      SleepUntil(opened_ns_ + kGuardNs);
      for (const Fork& fork : watch_.Collect()) forks_.push_back(fork);
      if (watch_.has_lost()) return AttachResult::kUnsettled;
      std::set<int> doubtful = Judge();
      for (const int tid : doubtful) {
        attachment_.close(tid);
        spans_.erase(tid);
      }
      if (!doubtful.empty()) Judge();
      doubtful.insert(bare_.begin(), bare_.end());
      if (doubtful.empty()) return AttachResult::kSettled;
      for (const int tid : doubtful) {
        if (!Open(tid)) return AttachResult::kFailed;
      }
    }
    return AttachResult::kUnsettled;
  }

 private:
  struct Span {
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
  };

  /** Until all threads that there are report what they start. False where that can't be had. */
  bool WatchAll(std::set<int>* threads) {
    for (int round = 0; round < kMaxRounds; round++) {
      const std::set<int> fresh = Without(List(target_), *threads);
      if (fresh.empty()) return true;
      for (const int tid : fresh) {
        if (watch_.Add(tid) || errno == ESRCH) continue;
        *threads = List(target_);
        return false;
      }
      threads->insert(fresh.begin(), fresh.end());
    }
    return false;
  }

  bool Open(int tid) {
    Span span;
    span.begin_ns = Now();
    const Opened opened = attachment_.open(tid);
    span.end_ns = opened_ns_ = Now();
    if (opened == Opened::kYes) spans_[tid] = span;
    if (opened == Opened::kGone) gone_[tid] = span.end_ns;
    return opened != Opened::kFailed;
  }

  /** Sets `bare_`; returns threads that started others while, or right before, they were opened. */
  std::set<int> Judge() {
    std::set<int> doubtful, covered;
    bare_.clear();
    std::sort(forks_.begin(), forks_.end(),
              [](const Fork& a, const Fork& b) { return a.time_ns < b.time_ns; });
    for (const Fork& fork : forks_) {
      // A number may come back: what is known of it holds for the thread that had it then.
      const auto own = spans_.find(fork.tid);
      if (own != spans_.end() && own->second.begin_ns > fork.time_ns) continue;
      bool is_covered = covered.count(fork.parent_tid) > 0;
      const auto parent = spans_.find(fork.parent_tid);
      if (parent != spans_.end() && fork.time_ns >= parent->second.begin_ns) {
        is_covered = true;
        if (fork.time_ns <= parent->second.end_ns + kGuardNs) doubtful.insert(fork.parent_tid);
      }
      const auto ended = gone_.find(fork.tid);
      const bool is_gone = ended != gone_.end() && ended->second > fork.time_ns;
      if (is_covered) {
        covered.insert(fork.tid);
      } else {
        covered.erase(fork.tid);
      }
      if (is_covered || is_gone) {
        bare_.erase(fork.tid);
      } else {
        bare_.insert(fork.tid);
      }
    }
    return doubtful;
  }

  const AttachTarget& target_;
  const Attachment& attachment_;
  ForkWatch watch_;
  std::vector<Fork> forks_;
  /** When the threads were opened that are. */
  std::map<int, Span> spans_;
  /** When threads were found to have ended. */
  std::map<int, uint64_t> gone_;
  /** Threads that were started and have inherited nothing. */
  std::set<int> bare_;
  uint64_t opened_ns_ = 0;
};

}  // namespace

AttachOutcome AttachThreads(const AttachTarget& target, const Attachment& attachment) {
  AttachOutcome outcome;
  const std::set<int> threads = List(target, &outcome.pid);
  if (outcome.pid >= 0) {
    errno = ESRCH;
    outcome.result = AttachResult::kNoTarget;
    return outcome;
  }
  if (!OpenAll(threads, attachment)) {
    outcome.result = AttachResult::kFailed;
  } else if (!target.inherits) {
    outcome.result = OpenEach(target, threads, attachment);
  } else if (!Without(List(target), threads).empty()) {
    for (const int tid : threads) attachment.close(tid);
    outcome.result = WatchedAttach(target, attachment).Run();
  }
  return outcome;
}

}  // namespace perf_ts
