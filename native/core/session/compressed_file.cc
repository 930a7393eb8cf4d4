#include "compressed_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "../posix/hold.h"

namespace perf_ts {

namespace {

/** Compressed bytes from which on they are written. */
constexpr size_t kWriteBytes = 1 << 18;
/** COMPRESSED records that one record lies in at most. */
constexpr size_t kMostPieces = 2;
static_assert(kMaxRecordBytes <= kMostPieces * ZstdCompressor::kMaxPiece);

RecordRun RunOf(const void* bytes, uint64_t size) {
  RecordRun run;
  run.parts[0] = {static_cast<const uint8_t*>(bytes), size};
  return run;
}

}  // namespace

std::unique_ptr<CompressedFile> CompressedFile::Open(const FileSinkOptions& options, int abort_fd,
                                                     Error* error) {
  std::string why;
  const Libzstd* const library = Libzstd::Load(&why);
  if (library == nullptr) {
    *error = {ENOSYS, "dlopen(libzstd.so.1)"};
    return nullptr;
  }
  auto compressor = ZstdCompressor::Open(library, options.compression_level);
  if (!compressor) {
    *error = {ENOMEM, "ZSTD_createCCtx"};
    return nullptr;
  }
  auto file = DataFile::Open(options, abort_fd, error);
  if (!file) return nullptr;
  std::unique_ptr<CompressedFile> sink(new CompressedFile(std::move(file), std::move(compressor)));
  sink->hold_ms_ = HoldMs("PERF_TS_ZSTD_HOLD_MS");
  if (!sink->thread_.Start(Main, sink.get(), error)) return nullptr;
  return sink;
}

CompressedFile::CompressedFile(std::unique_ptr<DataFile> file,
                               std::unique_ptr<ZstdCompressor> compressor)
    : file_(std::move(file)),
      compressor_(std::move(compressor)),
      filling_(new Chunk(kBufferBytes)),
      data_end_(file_->data_end()),
      first_data_end_(file_->data_end()),
      working_(new Chunk(kBufferBytes)),
      packed_(new uint8_t[kWriteBytes +
                          kMostPieces * (sizeof(RecordHeader) + ZstdCompressor::kMaxPacked)]) {}

CompressedFile::~CompressedFile() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
    pthread_cond_broadcast(&changed_);
  }
  thread_.Join();
  pthread_cond_destroy(&changed_);
}

RecordSink::Taken CompressedFile::TakeRound(const std::vector<RecordRun>& runs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return Take(runs);
}

RecordSink::Taken CompressedFile::TakeAll(const std::vector<RecordRun>& runs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool waited = std::exchange(waits_, true);
  const Taken taken = Take(runs);
  waits_ = waited;
  return taken;
}

RecordSink::Taken CompressedFile::Take(const std::vector<RecordRun>& runs) {
  Taken taken;
  for (const RecordRun& run : runs) {
    if (!AppendAll(run, &taken.bytes)) return taken;
  }
  uint64_t marker = 0;
  taken.closed = marks_rounds() ? AppendAll(RunOf(&kFinishedRound, sizeof kFinishedRound), &marker)
                                : failure_ == 0;
  return taken;
}

bool CompressedFile::AppendAll(const RecordRun& run, uint64_t* bytes) {
  uint64_t from = 0;
  while (from < run.size()) {
    if (failure_ != 0) return false;
    const uint64_t fits = Append(run, from);
    from += fits;
    *bytes += fits;
    if (from == run.size()) break;
    if (waits_) {
      Wait();
      continue;
    }
    out_of_room_ = true;
    return false;
  }
  return true;
}

uint64_t CompressedFile::Append(const RecordRun& run, uint64_t from) {
  const uint64_t limit = std::min<uint64_t>(run.size(), from + filling_->room());
  const uint64_t fits = WalkRecords(run, from, limit).bytes;
  if (fits == 0) return 0;
  filling_->Append(run, from, fits);
  if (!is_working_) pthread_cond_broadcast(&changed_);
  return fits;
}

void CompressedFile::LiftBound() {
  const std::lock_guard<std::mutex> lock(mutex_);
  waits_ = true;
}

bool CompressedFile::is_settled() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !is_working_ && filling_->size() == 0;
}

void CompressedFile::Settle() {
  const std::lock_guard<std::mutex> lock(mutex_);
  while (is_working_ || filling_->size() > 0) Wait();
}

void* CompressedFile::Main(void* self) {
  pthread_setname_np(pthread_self(), "perf-ts zstd");
  static_cast<CompressedFile*>(self)->Run();
  return nullptr;
}

void CompressedFile::Run() {
  for (;;) {
    bool had_no_room;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      while (filling_->size() == 0 && !ends_) Wait();
      if (filling_->size() == 0) return;
      filling_.swap(working_);
      is_working_ = true;
      had_no_room = std::exchange(out_of_room_, false);
      pthread_cond_broadcast(&changed_);
    }
    if (had_no_room && notify_room_) notify_room_();
    if (hold_ms_ > 0) SleepMs(hold_ms_);
    Work(RunOf(working_->data(), working_->size()));
    const std::lock_guard<std::mutex> lock(mutex_);
    working_->Clear();
    is_working_ = false;
    pthread_cond_broadcast(&changed_);
  }
}

/** The run is whole records. What comes behind a failed write is counted, and no more. */
void CompressedFile::Work(const RecordRun& run) {
  const uint8_t* const bytes = run.parts[0].data;
  uint64_t at = 0;
  uint64_t written = 0;
  while (failure_ == 0 && at < run.size()) {
    const uint64_t piece = std::min<uint64_t>(run.size(), at + ZstdCompressor::kMaxPiece);
    uint64_t size = WalkRecords(run, at, piece).bytes;
    if (size == 0) {
      RecordHeader header;
      memcpy(&header, bytes + at, sizeof header);
      size = header.size;
    }
    if (!Pack(bytes + at, size)) failure_ = EIO;
    at += size;
    if (packed_size_ < kWriteBytes && at < run.size()) continue;
    WriteOut();
    if (failure_ == 0) written = at;
  }
  unwritten_samples_ += WalkRecords(run, written, run.size()).counts.samples;
}

/** Writes records of at most kMaxPiece bytes. */
bool CompressedFile::Pack(const uint8_t* bytes, uint64_t size) {
  while (size > 0) {
    const uint64_t piece = std::min<uint64_t>(size, ZstdCompressor::kMaxPiece);
    uint8_t* const record = packed_.get() + packed_size_;
    const size_t count = compressor_->Compress(bytes, piece, record + sizeof(RecordHeader));
    if (count == 0) return false;
    const RecordHeader header = {kRecordCompressed, 0,
                                 static_cast<uint16_t>(sizeof(RecordHeader) + count)};
    memcpy(record, &header, sizeof header);
    packed_size_ += header.size;
    bytes += piece;
    size -= piece;
  }
  return true;
}

void CompressedFile::WriteOut() {
  if (failure_ == 0) file_->Append(packed_.get(), packed_size_);
  packed_size_ = 0;
  data_end_ = file_->data_end();
  full_ = file_->full();
  if (failure_ == 0) failure_ = file_->failure();
}

}  // namespace perf_ts
