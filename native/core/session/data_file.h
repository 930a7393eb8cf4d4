#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../options.h"
#include "../posix/error.h"
#include "../posix/fd.h"
#include "../ring/record_sink.h"

namespace perf_ts {

/**
 * Appends rounds to a perf.data file, straight out of the rings:
 *
 *     | header … size of data @48 | attrs, ids | data: records … FINISHED_ROUND records …
 *                                              ^ data_offset                            ^ data_end
 *
 * First the records and the marker are written, then the size of the data in the header: whenever
 * the recorder is killed, the header describes whole records that are there. A stream (pipe) gets
 * the same bytes without the header's upkeep.
 *
 * All writes go through libc's writev, pwritev and pwrite. The writing thread must have SIGPIPE and
 * SIGXFSZ blocked, so that EPIPE and EFBIG come back as errors.
 */
class DataFile : public RecordSink {
 public:
  /**
   * Duplicates `options.fd`. `abort_fd`: becomes readable when a write that waits for a reader is
   * to be given up (ECANCELED). Null and `*error` on failure.
   */
  static std::unique_ptr<DataFile> Open(const FileSinkOptions& options, int abort_fd, Error* error);

  Taken TakeRound(const std::vector<RecordRun>& runs) override;
  /** Appends records of which no part is worth anything: a failed write changes nothing. */
  void Append(const uint8_t* bytes, size_t size);
  int failure() const override { return failure_; }
  bool full() const override { return max_bytes_ > 0 && data_end() >= max_bytes_; }
  bool marks_rounds() const override { return marks_rounds_; }
  uint64_t data_end() const override { return data_offset_ + data_size_; }
  uint64_t written_bytes() const override { return data_size_ - first_data_size_; }

 private:
  DataFile() = default;
  /** Writes iov_ at the end of the data; returns bytes written, fewer only with failure_ set. */
  uint64_t WriteAll();
  bool WaitUntilWritable();
  /** Drops `written` bytes behind the data, as far as the file lets us. */
  void DropBehindData(uint64_t written);
  void WriteDataSize();

  Fd fd_;
  int abort_fd_ = -1;
  bool stream_ = false;
  /** ftruncate makes sense. */
  bool regular_ = false;
  bool marks_rounds_ = true;
  uint64_t data_offset_ = 0;
  uint64_t data_size_ = 0;
  uint64_t first_data_size_ = 0;
  uint64_t max_bytes_ = 0;
  int failure_ = 0;
  /** Reused by every round. */
  std::vector<iovec> iov_;
};

}  // namespace perf_ts
