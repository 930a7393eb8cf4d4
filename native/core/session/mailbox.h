#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "../event/read_format.h"
#include "../ring/record_run.h"

namespace perf_ts {

enum class EndReason { kStopped, kTargetExited, kWriteError, kSizeLimit };

/** Counts kept by the drain thread; exact once the recording has ended. */
struct Totals {
  uint64_t rounds = 0;
  /** Round markers included. */
  uint64_t bytes = 0;
  /** Bytes that they take in their files: less where they are compressed, and somewhat behind. */
  uint64_t written_bytes = 0;
  /** Times that the sink had no room for all of a round, so that records waited in the rings. */
  uint64_t held_rounds = 0;
  RecordCounts counts;
  /** Σ of the sampled events' own lost counts; −1 until read, or where the kernel has none. */
  int64_t lost_samples = -1;
  uint64_t skipped_bytes = 0;
};

/** The end of a round in the file, and the clock of the recording once it was there. */
struct RoundEnd {
  uint64_t end = 0;
  uint64_t at_ns = 0;
};

struct RecordingEnd {
  EndReason reason = EndReason::kStopped;
  /** errno of the failed write, 0 otherwise. */
  int code_errno = 0;
  Totals totals;
  /** Per sampled event. */
  std::vector<CounterReading> finals;
  uint64_t data_end = 0;
  /** Places in this file at which its data could end earlier; of long recordings some. */
  std::vector<RoundEnd> round_ends;
  /** The command has ended, and its events still have tasks: processes that it started. */
  bool tasks_left = false;
};

/** A file that was closed while the recording goes on in another one. */
struct SwitchedFile {
  Totals totals;
  uint64_t data_end = 0;
};

/** The content of overwritten rings is written. */
struct WrittenSnapshot {
  /** All that was recorded since the snapshot before is in it. */
  bool is_whole = true;
};

struct ExecFailure {
  const char* step = "";
  int code_errno = 0;
};

struct ChildExit {
  int status = 0;
  int signal = 0;
};

/** News in the order in which it is to be told; each kind comes at most once, save for the first
 * two. */
struct Mail {
  bool chunks = false;
  /** Mappings of code that JavaScript has not taken; those that have no room are in the file alone.
   */
  CodeMappings code_mappings;
  /** They came later than that, by the clock of the recording. */
  uint64_t mappings_since_ns = 0;
  std::optional<ExecFailure> exec_failure;
  std::optional<WrittenSnapshot> snapshot;
  std::optional<SwitchedFile> switched_file;
  std::optional<RecordingEnd> recording_end;
  std::optional<ChildExit> child_exit;
  /** The thread is done: nothing comes after this. */
  bool done = false;
};

/**
 * Channel from the drain thread to JavaScript's. The drain thread leaves news and rings; it never
 * calls into JavaScript, and what waits here is bounded because news of one kind is one slot.
 */
class Mailbox {
 public:
  /** `notify` is called on the drain thread after every Post. */
  explicit Mailbox(std::function<void()> notify) : notify_(std::move(notify)) {}

  /** Drain thread: `edit` changes the waiting mail. */
  template <typename Edit>
  void Post(Edit edit) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      edit(&mail_);
    }
    notify_();
  }

  /** Any thread: what has come since the last call. */
  Mail Collect() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(mail_, Mail());
  }

 private:
  std::mutex mutex_;
  Mail mail_;
  std::function<void()> notify_;
};

}  // namespace perf_ts
