#include "sampler.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "compressed_file.h"
#include "data_file.h"

namespace perf_ts {

namespace {

std::unique_ptr<RecordSink> OpenFile(const FileSinkOptions& options, int abort_fd, Error* error) {
  if (options.compression_level > 0) return CompressedFile::Open(options, abort_fd, error);
  return DataFile::Open(options, abort_fd, error);
}

}  // namespace

std::unique_ptr<Sampler> Sampler::Open(const SamplerOptions& options, Error* error) {
  std::unique_ptr<Sampler> sampler(new Sampler());
  sampler->kind_ = options.target.kind;
  sampler->latency_ms_ = options.latency_ms;
  sampler->delayed_ = options.delayed;
  if (options.target.has_command) {
    sampler->child_ = ChildProcess::Spawn(options.target.command, error);
    if (!sampler->child_) return nullptr;
  }
  sampler->events_ = EventSet::Open(options, sampler->child_pid(), error);
  if (!sampler->events_) return nullptr;
  return sampler;
}

bool Sampler::StartFile(const FileSinkOptions& options, std::function<void()> notify,
                        Error* error) {
  abort_ = Fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!abort_.valid()) {
    *error = {errno, "eventfd"};
    return false;
  }
  std::unique_ptr<RecordSink> sink = OpenFile(options, abort_.get(), error);
  return sink && Start(std::move(sink), std::move(notify), error);
}

bool Sampler::StartLive(const LiveSinkOptions& options, std::function<void()> notify,
                        Error* error) {
  auto queue = std::make_unique<LiveQueue>(options);
  queue_ = queue.get();
  return Start(std::move(queue), std::move(notify), error);
}

bool Sampler::Start(std::unique_ptr<RecordSink> sink, std::function<void()> notify, Error* error) {
  sink_ = std::move(sink);
  mailbox_ = std::make_unique<Mailbox>(std::move(notify));
  const bool follows_tasks = kind_ == TargetKind::kProcesses || kind_ == TargetKind::kThreads;
  thread_ = std::make_unique<SamplerThread>(events_.get(), child_.get(), sink_.get(),
                                            mailbox_.get(), latency_ms_, follows_tasks);
  // A command's events are enabled by its exec; all others now, right before a command beside them
  // is let go.
  const bool enables = kind_ != TargetKind::kCommand && !delayed_;
  return (!enables || events_->Enable(error)) && thread_->Start(error);
}

bool Sampler::SwitchFile(const FileSinkOptions& options, Error* error) {
  if (!thread_ || queue_ != nullptr) {
    *error = {EBADF, "switch"};
    return false;
  }
  std::unique_ptr<RecordSink> sink = OpenFile(options, abort_.get(), error);
  if (!sink) return false;
  thread_->SwitchSink(std::move(sink));
  return true;
}

void Sampler::KeepSideband(bool keep) {
  if (thread_) thread_->KeepSideband(keep);
}

void Sampler::Snapshot() {
  if (thread_) thread_->Snapshot();
}

bool Sampler::Enable(Error* error) {
  return !events_ || events_->Enable(error);
}

void Sampler::Disable() {
  if (events_) events_->Disable();
}

void Sampler::Stop() {
  if (thread_) thread_->Stop();
}

bool Sampler::Kill(int signal) {
  return child_ && child_->Kill(signal);
}

void Sampler::Close() {
  closed_ = true;
  const uint64_t one = 1;
  if (abort_.valid() && write(abort_.get(), &one, sizeof one) < 0) errno = 0;
  if (thread_) {
    // The destructor joins, and the counts are final only then.
    thread_->Join();
    totals_ = thread_->totals();
  }
  thread_.reset();
  events_.reset();
  child_.reset();
  queue_ = nullptr;
  sink_.reset();
  mailbox_.reset();
}

std::unique_ptr<Chunk> Sampler::TakeChunk() {
  return queue_ ? queue_->Take() : nullptr;
}

void Sampler::RecycleChunk(std::unique_ptr<Chunk> chunk) {
  if (queue_ && queue_->Recycle(std::move(chunk)) && thread_) thread_->Wake();
}

}  // namespace perf_ts
