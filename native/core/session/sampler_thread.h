#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "../command/child_process.h"
#include "../event/event_set.h"
#include "../posix/error.h"
#include "../posix/worker_thread.h"
#include "../ring/record_sink.h"
#include "../ring/ring_buffer.h"
#include "mailbox.h"
#include "watcher.h"

namespace perf_ts {

/**
 * The worker: empties all rings into the sink, in rounds, until the recording ends; then waits for
 * the command.
 *
 *     let command go ──▶ turn: wait (ring half full, latency bound, stop, command's exec, target
 * gone) │     then one round └▶ end: disable events, rounds until empty, finals, 'recording-ended'
 *                                └▶ wait for the command, 'child-exited' ─▶ done
 *
 * A round: the heads of all rings are loaded, then everything up to them is taken. So every record
 * of round N + 1 is younger than the moment at which round N began, which is what lets the reader
 * sort with two rounds in hand.
 *
 * Nothing waits for the command's exec, which can hang (a program on a network file system).
 *
 * The thread knows no N-API, blocks all signals, and allocates nothing per record.
 *
 * Test hook: the environment variable PERF_TS_DRAIN_HOLD_MS, read in Start, makes the thread sleep
 * that many milliseconds every turn, so that rings fill and losses can be provoked.
 */
class SamplerThread {
 public:
  /**
   * All must outlive this. `child`: held, released by the thread; null without a command.
   * `follows_tasks`: the recording ends when no task is left on any event.
   */
  SamplerThread(EventSet* events, ChildProcess* child, RecordSink* sink, Mailbox* mailbox,
                int latency_ms, bool follows_tasks);
  ~SamplerThread() { Join(); }

  bool Start(Error* error);
  /** Close, and wait until the thread has ended. */
  void Join();

  // Any thread:

  /** Ends the recording; the thread then still waits for the command. */
  void Stop();
  /** Ends everything as soon as possible, keeping what is in the rings. */
  void Close();
  /** The file that was written so far is complete, what comes goes into `sink`. */
  void SwitchSink(std::unique_ptr<RecordSink> sink);
  /**
   * Keeps side-band records for the next sink as well from now on, until it is in use or this is
   * revoked. Whoever describes the machine for that sink asks for this first: what starts between
   * the description and the change is in no other place of the new file.
   */
  void KeepSideband(bool keep) { keeps_sideband_ = keep; }
  /** Writes the content of the overwritten rings into the sink. */
  void Snapshot();
  /** There is room again in the sink. */
  void Wake() { watcher_.Wake(); }
  Totals totals() const;

 private:
  static void* Main(void* self);
  void Run();
  void SettleStart();
  EndReason Record();
  bool DrainRound();
  void DrainOverwritten();
  /** errno of the write that ends the recording, 0 while all is well. */
  int WriteFailure() const;
  void KeepRound(const RecordSink::Taken& taken);
  void ReportMappings(const RecordSink::Taken& taken);
  void NoteRoundEnd();
  uint64_t Now() const;
  void ChangeSink();
  void UseSink(RecordSink* sink);
  void ReportSwitch();
  void WriteKept();
  void Account(const RecordSink::Taken& taken, size_t sideband_runs);
  void Finish(EndReason reason);
  void WriteFinals(bool is_last);
  void AwaitChild();

  EventSet* events_;
  ChildProcess* child_;
  RecordSink* sink_;
  Mailbox* mailbox_;
  int latency_ms_;
  bool follows_tasks_;
  int hold_ms_ = 0;

  /** The command's state; kNone without one. kGone: it was never executed. */
  enum class Command { kNone, kStarting, kRuns, kGone };
  Command command_ = Command::kNone;

  Watcher watcher_;
  WorkerThread thread_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> close_{false};

  std::atomic<bool> snapshot_{false};
  std::mutex next_sink_mutex_;
  /** Waits for the next turn. */
  std::unique_ptr<RecordSink> next_sink_;
  /** The one in use, if it is not the first. */
  std::unique_ptr<RecordSink> later_sink_;
  /** The one before it while it still writes what it has taken, and its owner if not the first. */
  RecordSink* retiring_ = nullptr;
  std::unique_ptr<RecordSink> retiring_owner_;
  /** Reported once it has. */
  SwitchedFile switched_;
  /** Written by all sinks before these, and the errno of theirs that failed. */
  uint64_t written_before_ = 0;
  int failed_before_ = 0;
  /** Per instance: losses that an earlier sink has told of; empty in the first one. */
  std::vector<uint64_t> told_lost_;

  std::atomic<bool> keeps_sideband_{false};
  /** Whole side-band records that are in this sink, for the next one. */
  std::vector<uint8_t> kept_;

  /** Rings that are overwritten and read only when asked. */
  std::vector<BackwardRing> backward_;
  /** The rings of the side-band come first. */
  std::vector<RingBuffer> buffers_;
  size_t sideband_buffers_ = 0;
  /** Per buffer: the head when the round began. */
  std::vector<uint64_t> limits_;
  std::vector<RecordRun> runs_;
  /** Times at which the heads of this round were loaded, and those of the one before, than which
   * all of its records are younger. */
  uint64_t round_ns_ = 0;
  uint64_t round_before_ns_ = 0;
  /** Ends of rounds of the sink in use. */
  std::vector<RoundEnd> round_ends_;
  /** A round was begun and the sink could not take all of it. */
  bool round_open_ = false;

  mutable std::mutex totals_mutex_;
  Totals totals_;
};

}  // namespace perf_ts
