#include "sampler_thread.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "../event/final_records.h"
#include "../posix/clock.h"
#include "../posix/hold.h"

namespace perf_ts {
namespace {

/** Processes that the command leaves are reported if they live so long: helpers end just behind it.
 */
constexpr std::chrono::milliseconds kTaskGrace(100);

/** A time in which no ring of the usual size fills up. */
constexpr int kSignalledMs = 10;

/** Ends of rounds that are remembered: of longer recordings the gaps between them grow. */
constexpr size_t kMostRoundEnds = 2048;
/** Mappings that may wait for JavaScript. */
constexpr size_t kMostMappingBytes = 16 << 20;

/**
 * Records without use_clockid carry the scheduler's clock, which can't be read from here;
 * CLOCK_MONOTONIC is the nearest.
 */
int ClockOf(const EventAttr& attr) {
  return attr.use_clockid() ? attr.clockid() : CLOCK_MONOTONIC;
}

}  // namespace

SamplerThread::SamplerThread(EventSet* events, ChildProcess* child, RecordSink* sink,
                             Mailbox* mailbox, int latency_ms, bool follows_tasks)
    : events_(events),
      child_(child),
      sink_(sink),
      mailbox_(mailbox),
      latency_ms_(latency_ms),
      follows_tasks_(follows_tasks) {
  // Of each CPU's two rings the side-band one goes first: should a full disk cut a round, the
  // samples that made it have their threads and mappings.
  std::vector<Ring>& rings = events_->rings();
  for (const size_t kind : {kSidebandRing, kSampleRing}) {
    for (size_t i = kind; i < rings.size(); i += kRingsPerPlace) {
      if (rings[i].writers.empty()) continue;
      if (kind == kSampleRing && events_->overwrites()) {
        backward_.push_back(rings[i].mapping.Backward());
      } else {
        buffers_.push_back(rings[i].mapping.Buffer());
      }
    }
    if (kind == kSidebandRing) sideband_buffers_ = buffers_.size();
  }
  limits_.resize(buffers_.size());
  runs_.resize(buffers_.size());
  UseSink(sink);
}

void SamplerThread::Join() {
  Close();
  thread_.Join();
}

bool SamplerThread::Start(Error* error) {
  hold_ms_ = HoldMs("PERF_TS_DRAIN_HOLD_MS");
  if (!watcher_.Open(events_->rings(), child_, error)) return false;
  return thread_.Start(Main, this, error);
}

void SamplerThread::Stop() {
  stop_ = true;
  watcher_.Wake();
}

void SamplerThread::Close() {
  close_ = true;
  Stop();
}

Totals SamplerThread::totals() const {
  const std::lock_guard<std::mutex> lock(totals_mutex_);
  return totals_;
}

void* SamplerThread::Main(void* self) {
  pthread_setname_np(pthread_self(), "perf-ts drain");
  static_cast<SamplerThread*>(self)->Run();
  return nullptr;
}

void SamplerThread::Run() {
  if (child_ != nullptr) {
    Error error;
    command_ = !close_ && child_->LetGo(&error) ? Command::kStarting : Command::kGone;
    if (command_ == Command::kStarting && !child_->is_let_go()) SettleStart();
  }
  Finish(command_ == Command::kGone ? EndReason::kTargetExited : Record());
  if (command_ == Command::kStarting || command_ == Command::kRuns) AwaitChild();
  mailbox_->Post([](Mail* mail) { mail->done = true; });
}

/** Has to be called when the exec has had its outcome, or the child its end. */
void SamplerThread::SettleStart() {
  command_ = Command::kRuns;
  // Another process may hold the other end of the socket of a child that has ended.
  child_->CancelRelease();
  Error error;
  if (child_->AwaitExec(&error)) return;
  int status, signal;
  if (child_->Reap(&status, &signal) && ChildProcess::WasKilledWhileHeld(error, signal)) return;
  command_ = Command::kGone;
  mailbox_->Post([&](Mail* mail) {
    mail->exec_failure = ExecFailure{error.operation, error.code_errno};
  });
}

EndReason SamplerThread::Record() {
  for (;;) {
    watcher_.Wait(latency_ms_);
    // The kernel wakes us for each sample of a thread that it signals.
    if (events_->signals()) watcher_.WaitWithoutRings(kSignalledMs);
    if (hold_ms_ > 0) SleepMs(hold_ms_);
    const bool is_settled = watcher_.exec_settled() || watcher_.child_ended();
    if (command_ == Command::kStarting && is_settled) SettleStart();
    if (command_ == Command::kGone) return EndReason::kTargetExited;
    DrainRound();
    if (snapshot_.exchange(false)) DrainOverwritten();
    ReportSwitch();
    ChangeSink();
    if (WriteFailure() != 0) return EndReason::kWriteError;
    if (sink_->full()) return EndReason::kSizeLimit;
    if (stop_) return EndReason::kStopped;
    if (watcher_.child_ended()) return EndReason::kTargetExited;
    if (follows_tasks_ && watcher_.all_tasks_gone()) return EndReason::kTargetExited;
  }
}

uint64_t SamplerThread::Now() const {
  uint64_t now = 0;
  ReadClock(ClockOf(events_->AttrOf(events_->instances()[0])), &now);
  return now;
}

/** True when there may be more to take. */
bool SamplerThread::DrainRound() {
  if (!round_open_) {
    round_before_ns_ = std::exchange(round_ns_, Now());
    for (size_t i = 0; i < buffers_.size(); i++) limits_[i] = buffers_[i].LoadHead();
  }
  uint64_t offered = 0;
  for (size_t i = 0; i < buffers_.size(); i++) {
    runs_[i] = buffers_[i].Records(limits_[i]);
    offered += runs_[i].size();
  }
  if (offered == 0 && !round_open_) return false;
  const RecordSink::Taken taken = sink_->TakeRound(runs_);
  Account(taken, sideband_buffers_);
  KeepRound(taken);
  if (!sink_->has_reader()) {
    ReportMappings(taken);
    if (taken.closed) NoteRoundEnd();
  }
  uint64_t left = taken.bytes;
  for (size_t i = 0; i < buffers_.size() && left > 0; i++) {
    const uint64_t bytes = std::min(left, runs_[i].size());
    if (bytes > 0) buffers_[i].Consume(bytes);
    left -= bytes;
  }
  round_open_ = !taken.closed && (round_open_ || taken.bytes > 0);
  if (taken.bytes > 0 && sink_->has_reader()) {
    mailbox_->Post([](Mail* mail) { mail->chunks = true; });
  }
  return sink_->failure() == 0;
}

/** Before the records go back to the kernel. A steady recording has none, and wakes nobody. */
void SamplerThread::ReportMappings(const RecordSink::Taken& taken) {
  CodeMappings mappings;
  uint64_t left = taken.bytes;
  for (size_t i = 0; i < sideband_buffers_ && left > 0; i++) {
    const uint64_t bytes = std::min(left, runs_[i].size());
    AppendCodeMappings(runs_[i], bytes, kMostMappingBytes, &mappings);
    left -= bytes;
  }
  if (mappings.empty()) return;
  mailbox_->Post([&](Mail* mail) {
    if (mail->code_mappings.empty()) mail->mappings_since_ns = round_before_ns_;
    mail->code_mappings.Add(mappings, kMostMappingBytes);
  });
}

void SamplerThread::NoteRoundEnd() {
  round_ends_.push_back({sink_->data_end(), Now()});
  if (round_ends_.size() <= kMostRoundEnds) return;
  for (size_t i = 0; 2 * i + 1 < round_ends_.size(); i++) round_ends_[i] = round_ends_[2 * i + 1];
  round_ends_.resize(round_ends_.size() / 2);
}

/**
 * Called when the heads of the round are loaded: a record of a round before the flag was seen is
 * older than the request, and so than the description that follows the request.
 */
void SamplerThread::KeepRound(const RecordSink::Taken& taken) {
  if (!keeps_sideband_) {
    kept_.clear();
    return;
  }
  uint64_t left = taken.bytes;
  for (size_t i = 0; i < sideband_buffers_ && left > 0; i++) {
    const uint64_t bytes = std::min(left, runs_[i].size());
    const size_t before = kept_.size();
    kept_.resize(before + bytes);
    if (bytes > 0) CopyOut(runs_[i], 0, bytes, kept_.data() + before);
    left -= bytes;
  }
}

/** The first round of a new sink: older than all that follows, younger than its description. */
void SamplerThread::WriteKept() {
  const bool is_wanted = keeps_sideband_.exchange(false);
  const std::vector<uint8_t> kept = std::move(kept_);
  kept_.clear();
  if (!is_wanted || kept.empty()) return;
  std::vector<RecordRun> runs(1);
  runs[0].parts[0] = {kept.data(), kept.size()};
  const RecordSink::Taken taken = sink_->TakeAll(runs);
  const std::lock_guard<std::mutex> lock(totals_mutex_);
  // Counted when it was drained, so only the bytes are new.
  totals_.bytes +=
      taken.bytes + (taken.closed && sink_->marks_rounds() ? sizeof kFinishedRound : 0);
  totals_.rounds += taken.closed ? 1 : 0;
}

/** The rings' output stands still meanwhile; what would have come is lost, and counted as lost. */
void SamplerThread::DrainOverwritten() {
  if (backward_.empty()) return;
  events_->PauseSamples(true);
  std::vector<RecordRun> runs;
  WrittenSnapshot snapshot;
  for (BackwardRing& ring : backward_) {
    runs.push_back(ring.Take());
    if (ring.has_lost()) snapshot.is_whole = false;
  }
  runs_.swap(runs);
  const RecordSink::Taken taken = sink_->TakeAll(runs_);
  Account(taken, 0);
  runs_.swap(runs);
  mailbox_->Post([&](Mail* mail) {
    if (mail->snapshot && !mail->snapshot->is_whole) snapshot.is_whole = false;
    mail->snapshot = snapshot;
  });
  events_->PauseSamples(false);
}

void SamplerThread::SwitchSink(std::unique_ptr<RecordSink> sink) {
  {
    const std::lock_guard<std::mutex> lock(next_sink_mutex_);
    next_sink_ = std::move(sink);
  }
  watcher_.Wake();
}

void SamplerThread::Snapshot() {
  snapshot_ = true;
  watcher_.Wake();
}

/** The old file has all that was recorded before its last round. */
void SamplerThread::ChangeSink() {
  if (round_open_ || retiring_ != nullptr || sink_->failure() != 0) return;
  std::unique_ptr<RecordSink> next;
  {
    const std::lock_guard<std::mutex> lock(next_sink_mutex_);
    next = std::move(next_sink_);
  }
  if (!next) return;
  DrainOverwritten();
  events_->ReadFinals();
  WriteFinals(false);
  if (sink_->failure() != 0) return;
  switched_.totals = totals();
  retiring_ = sink_;
  retiring_owner_ = std::move(later_sink_);
  later_sink_ = std::move(next);
  UseSink(later_sink_.get());
  WriteKept();
  ReportSwitch();
}

void SamplerThread::UseSink(RecordSink* sink) {
  sink_ = sink;
  round_ends_.clear();
  sink->OnRoom([this] { Wake(); });
}

/** The old file is complete once its sink has written what it took: rings are drained meanwhile. */
void SamplerThread::ReportSwitch() {
  if (retiring_ == nullptr || !retiring_->is_settled()) return;
  failed_before_ = retiring_->failure();
  written_before_ += retiring_->written_bytes();
  switched_.data_end = retiring_->data_end();
  {
    const std::lock_guard<std::mutex> lock(totals_mutex_);
    totals_.counts.samples -= retiring_->unwritten_samples();
  }
  mailbox_->Post([&](Mail* mail) { mail->switched_file = switched_; });
  retiring_ = nullptr;
  retiring_owner_.reset();
}

int SamplerThread::WriteFailure() const {
  return sink_->failure() != 0 ? sink_->failure() : failed_before_;
}

/**
 * Before the taken records go back to the kernel. `sideband_runs`: how many of the runs, the first
 * ones, come from side-band rings, where what is lost is no sample.
 */
void SamplerThread::Account(const RecordSink::Taken& taken, size_t sideband_runs) {
  RecordCounts counts;
  uint64_t left = taken.bytes;
  for (size_t i = 0; i < runs_.size(); i++) {
    const RecordRun& run = runs_[i];
    const uint64_t bytes = std::min(left, run.size());
    RecordCounts of_run = bytes == run.size() ? run.counts : WalkRecords(run, 0, bytes).counts;
    if (i < sideband_runs) of_run.lost_sideband = std::exchange(of_run.lost_records, 0);
    counts.Add(of_run);
    left -= bytes;
  }
  uint64_t skipped = 0;
  for (const RingBuffer& buffer : buffers_) skipped += buffer.SkippedBytes();
  const bool is_held = !taken.closed && sink_->failure() == 0;
  const std::lock_guard<std::mutex> lock(totals_mutex_);
  totals_.counts.Add(counts);
  totals_.bytes +=
      taken.bytes + (taken.closed && sink_->marks_rounds() ? sizeof kFinishedRound : 0);
  totals_.rounds += taken.closed ? 1 : 0;
  totals_.written_bytes = written_before_ + sink_->written_bytes() +
                          (retiring_ == nullptr ? 0 : retiring_->written_bytes());
  totals_.held_rounds += is_held ? 1 : 0;
  totals_.skipped_bytes = skipped;
}

void SamplerThread::Finish(EndReason reason) {
  events_->DisableAll();
  sink_->LiftBound();
  if (reason == EndReason::kStopped || reason == EndReason::kTargetExited) {
    while (DrainRound()) continue;
    DrainOverwritten();
  }
  RecordingEnd end;
  end.finals = events_->ReadFinals();
  if (sink_->failure() == 0) WriteFinals(true);
  // Nothing is recorded any more: there is time.
  if (retiring_ != nullptr) retiring_->Settle();
  ReportSwitch();
  sink_->Settle();
  end.reason = WriteFailure() != 0 ? EndReason::kWriteError : reason;
  end.code_errno = WriteFailure();
  end.data_end = sink_->data_end();
  end.round_ends = std::move(round_ends_);
  end.tasks_left = watcher_.child_ended() && watcher_.HasTasksAfter(kTaskGrace);

  // As the counters know them: a LOST record is written with the next record that fits.
  uint64_t lost_samples = 0, lost_sideband = 0;
  for (size_t i = 0; i < events_->instances().size(); i++) {
    (events_->instances()[i].event < 0 ? lost_sideband : lost_samples) += events_->lost()[i];
  }
  {
    const std::lock_guard<std::mutex> lock(totals_mutex_);
    if (events_->CountsLost()) {
      totals_.lost_samples = static_cast<int64_t>(lost_samples);
    }
    totals_.counts.lost_sideband = std::max(totals_.counts.lost_sideband, lost_sideband);
    totals_.counts.samples -= sink_->unwritten_samples();
    totals_.written_bytes = written_before_ + sink_->written_bytes();
    end.totals = totals_;
  }
  mailbox_->Post([&](Mail* mail) { mail->recording_end = std::move(end); });
}

/**
 * Makes the counters' values the last round of the file: their final values, where it is the
 * only one, and what was lost since the file before.
 */
void SamplerThread::WriteFinals(bool is_last) {
  told_lost_.resize(events_->instances().size(), 0);
  std::vector<std::vector<uint64_t>> records;
  for (size_t i = 0; i < events_->instances().size(); i++) {
    const Instance& instance = events_->instances()[i];
    const EventAttr& attr = events_->AttrOf(instance);
    InstanceOrigin origin;
    origin.event_id = instance.id;
    origin.cpu = instance.cpu;
    if (instance.task > 0) {
      origin.pid = static_cast<uint32_t>(events_->ProcessOf(instance.task));
      origin.tid = static_cast<uint32_t>(instance.task);
    }
    ReadClock(ClockOf(attr), &origin.time_ns);
    // The side-band event counts nothing. A final value is of all samples: where only some are in
    // this file, it would state that the others were lost.
    const bool is_whole = is_last && backward_.empty() && !later_sink_;
    if (is_whole && instance.event >= 0 && !events_->readings()[i].empty()) {
      records.push_back(ReadRecord(attr, events_->readings()[i], origin));
    }
    const uint64_t lost = events_->lost()[i];
    // Where an instance could not be read, its losses come with a later file.
    if (lost <= told_lost_[i]) continue;
    records.push_back(LostSamplesRecord(attr, lost - told_lost_[i], origin));
    told_lost_[i] = lost;
  }
  if (records.empty()) return;
  // `runs_` has a place for each buffer, and keeps it: there may be a next round.
  std::vector<RecordRun> runs(records.size());
  for (size_t i = 0; i < records.size(); i++) {
    runs[i].parts[0] = {reinterpret_cast<const uint8_t*>(records[i].data()),
                        records[i].size() * sizeof(uint64_t)};
  }
  runs_.swap(runs);
  const RecordSink::Taken taken = sink_->TakeAll(runs_);
  Account(taken, 0);
  runs_.swap(runs);
}

void SamplerThread::AwaitChild() {
  ChildExit exit;
  while (!child_->Reap(&exit.status, &exit.signal)) {
    if (close_) return;
    watcher_.WaitForChild();
  }
  if (command_ == Command::kStarting) SettleStart();
  if (command_ == Command::kGone) return;
  mailbox_->Post([&](Mail* mail) { mail->child_exit = exit; });
}

}  // namespace perf_ts
