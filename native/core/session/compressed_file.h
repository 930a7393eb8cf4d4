#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "../options.h"
#include "../posix/error.h"
#include "../posix/worker_thread.h"
#include "../ring/chunk.h"
#include "../ring/record_sink.h"
#include "../zstd/zstd_stream.h"
#include "data_file.h"

namespace perf_ts {

/**
 * Compresses rounds on a thread of its own and appends them to a perf.data file:
 *
 *     rings ──TakeRound (drain thread)──▶ [filling] ⇄ [working] ──zstd──▶ COMPRESSED … ──▶ DataFile
 *
 *     struct { struct perf_event_header header; char data[]; }      PERF_RECORD_COMPRESSED
 *
 * The data of all of them is one zstd frame that never ends. Each is flushed, because perf takes a
 * record out of which nothing comes for an error, and holds at most kMaxPiece bytes, for which
 * readers make room. A record larger than that lies in two of them; all others are whole in one,
 * and the file's size always ends behind a whole record.
 *
 * Both buffers have kBufferBytes. When the one to be filled is full the rest stays in the rings,
 * and what then does not fit there is lost in the kernel's own accounting, not in ours.
 *
 * Test hook: the environment variable PERF_TS_ZSTD_HOLD_MS, read in Open, makes the thread sleep
 * that many milliseconds for each buffer.
 */
class CompressedFile : public RecordSink {
 public:
  static constexpr size_t kBufferBytes = 8 << 20;

  /** Same contract as DataFile; ENOSYS where libzstd is missing. */
  static std::unique_ptr<CompressedFile> Open(const FileSinkOptions& options, int abort_fd,
                                              Error* error);
  ~CompressedFile() override;

  Taken TakeRound(const std::vector<RecordRun>& runs) override;
  Taken TakeAll(const std::vector<RecordRun>& runs) override;
  int failure() const override { return failure_; }
  bool full() const override { return full_; }
  bool marks_rounds() const override { return file_->marks_rounds(); }
  uint64_t data_end() const override { return data_end_; }
  uint64_t written_bytes() const override { return data_end_ - first_data_end_; }
  void LiftBound() override;
  void OnRoom(std::function<void()> notify) override { notify_room_ = std::move(notify); }
  bool is_settled() const override;
  void Settle() override;
  uint64_t unwritten_samples() const override { return unwritten_samples_; }

 private:
  CompressedFile(std::unique_ptr<DataFile> file, std::unique_ptr<ZstdCompressor> compressor);

  static void* Main(void* self);
  void Run();
  void Wait() { pthread_cond_wait(&changed_, mutex_.native_handle()); }
  /** Drain thread, with the lock: appends what fits of the run; returns bytes. */
  uint64_t Append(const RecordRun& run, uint64_t from);
  /** Appends all of the run, for which it may wait; false if there is no room. */
  bool AppendAll(const RecordRun& run, uint64_t* bytes);
  Taken Take(const std::vector<RecordRun>& runs);
  void Work(const RecordRun& run);
  bool Pack(const uint8_t* bytes, uint64_t size);
  void WriteOut();

  std::unique_ptr<DataFile> file_;
  std::unique_ptr<ZstdCompressor> compressor_;
  WorkerThread thread_;
  std::function<void()> notify_room_;
  int hold_ms_ = 0;

  mutable std::mutex mutex_;
  /** Signalled at every change of what stands below, up to the atomics. */
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  /** Drain thread, with the lock. */
  std::unique_ptr<Chunk> filling_;
  bool out_of_room_ = false;
  /** TakeRound waits for room. */
  bool waits_ = false;
  bool is_working_ = false;
  bool ends_ = false;

  std::atomic<int> failure_{0};
  std::atomic<bool> full_{false};
  std::atomic<uint64_t> data_end_;
  const uint64_t first_data_end_;
  std::atomic<uint64_t> unwritten_samples_{0};

  // The worker alone.
  std::unique_ptr<Chunk> working_;
  /** Records that are compressed and not written; has room for those of the largest record more. */
  std::unique_ptr<uint8_t[]> packed_;
  size_t packed_size_ = 0;
};

}  // namespace perf_ts
