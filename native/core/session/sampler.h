#pragma once

#include <functional>
#include <memory>

#include "../command/child_process.h"
#include "../event/event_set.h"
#include "../options.h"
#include "../posix/error.h"
#include "../posix/fd.h"
#include "../ring/record_sink.h"
#include "live_queue.h"
#include "mailbox.h"
#include "sampler_thread.h"

namespace perf_ts {

/**
 * One recording session: events, rings, the held command, and once started the drain thread.
 * One thread at a time may call. After Close everything is a no-op.
 */
class Sampler {
 public:
  /** Forks and holds the command, opens the events, maps the rings. Null and `*error` on failure.
   */
  static std::unique_ptr<Sampler> Open(const SamplerOptions& options, Error* error);
  ~Sampler() { Close(); }

  /**
   * Enables the events, lets the command go and begins to drain. `notify` is called on the drain
   * thread when there is mail. Once per session.
   */
  bool StartFile(const FileSinkOptions& options, std::function<void()> notify, Error* error);
  bool StartLive(const LiveSinkOptions& options, std::function<void()> notify, Error* error);

  /**
   * Everything that was recorded so far goes into the old file, what comes into the new one; the
   * news of it comes by mail, unless the recording ends first. False when the session writes no
   * file.
   */
  bool SwitchFile(const FileSinkOptions& options, Error* error);
  /** See SamplerThread. */
  void KeepSideband(bool keep);
  /** Writes the content of the overwritten rings into the file. */
  void Snapshot();

  bool Enable(Error* error);
  void Disable();
  /** See EventSet; not after the end of the recording. */
  bool SignalSamples(int tid, bool on) { return events_ && events_->SignalSamples(tid, on); }
  /** Ends the recording; the news of it comes by mail. Nothing to do before a start. */
  void Stop();
  /** Sends a signal to the command; false when it is gone. */
  bool Kill(int signal);
  /**
   * Ends the recording without waiting for the command, joins the thread, closes everything. A held
   * command never runs. Idempotent.
   */
  void Close();
  /** Live sink: see LiveQueue. */
  std::unique_ptr<Chunk> TakeChunk();
  void RecycleChunk(std::unique_ptr<Chunk> chunk);

  Mail CollectMail() { return mailbox_ ? mailbox_->Collect() : Mail(); }
  Totals totals() const { return thread_ ? thread_->totals() : totals_; }
  bool closed() const { return closed_; }
  bool started() const { return sink_ != nullptr; }
  /** Null after Close. */
  const EventSet* events() const { return events_.get(); }
  int child_pid() const { return child_ ? child_->pid() : -1; }

 private:
  Sampler() = default;
  bool Start(std::unique_ptr<RecordSink> sink, std::function<void()> notify, Error* error);

  TargetKind kind_ = TargetKind::kSystem;
  int latency_ms_ = 0;
  bool delayed_ = false;
  bool closed_ = false;
  /** State of a session whose thread is gone. */
  Totals totals_;

  // Destroyed from the bottom up: the thread uses all that stands above it.
  std::unique_ptr<ChildProcess> child_;
  std::unique_ptr<EventSet> events_;
  /** Readable once writes are to be given up. */
  Fd abort_;
  std::unique_ptr<RecordSink> sink_;
  /** sink_, if it is a queue. */
  LiveQueue* queue_ = nullptr;
  std::unique_ptr<Mailbox> mailbox_;
  std::unique_ptr<SamplerThread> thread_;
};

}  // namespace perf_ts
