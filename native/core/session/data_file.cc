#include "data_file.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace perf_ts {

namespace {

/** `struct perf_file_header { u64 magic, size, attr_size; struct { u64 offset, size; } attrs, data;
 * …` */
constexpr off_t kDataSizeOffset = 48;

/**
 * A pipe is opened anew to be non-blocking: setting the flag on the descriptor we were given would
 * set it for everybody who shares it, the terminal's other programs included.
 */
int Duplicate(int fd, bool pipe) {
  if (pipe) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    const int reopened = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (reopened >= 0) return reopened;
  }
  return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

}  // namespace

std::unique_ptr<DataFile> DataFile::Open(const FileSinkOptions& options, int abort_fd,
                                         Error* error) {
  struct stat status;
  std::unique_ptr<DataFile> file(new DataFile());
  if (fstat(options.fd, &status) == 0) {
    file->fd_ = Fd(Duplicate(options.fd, S_ISFIFO(status.st_mode)));
  }
  if (!file->fd_.valid()) {
    error->code_errno = errno;
    error->operation = "dup";
    return nullptr;
  }
  file->regular_ = S_ISREG(status.st_mode);
  file->abort_fd_ = abort_fd;
  file->stream_ = options.stream;
  file->marks_rounds_ = options.marks_rounds;
  file->data_offset_ = options.data_offset;
  file->data_size_ = options.data_size;
  file->first_data_size_ = options.data_size;
  file->max_bytes_ = options.max_bytes;
  return file;
}

RecordSink::Taken DataFile::TakeRound(const std::vector<RecordRun>& runs) {
  Taken taken;
  iov_.clear();
  uint64_t offered = 0;
  for (const RecordRun& run : runs) {
    for (const Span& part : run.parts) {
      if (part.size > 0) iov_.push_back({const_cast<uint8_t*>(part.data), part.size});
    }
    offered += run.size();
  }
  if (marks_rounds_) {
    iov_.push_back({const_cast<RecordHeader*>(&kFinishedRound), sizeof kFinishedRound});
  }
  const uint64_t written = WriteAll();
  taken.closed = failure_ == 0;
  if (taken.closed) {
    taken.bytes = offered;
    data_size_ += written;
  } else {
    // What counts is what made it to the file whole.
    uint64_t left = written;
    for (const RecordRun& run : runs) {
      const uint64_t whole = WalkRecords(run, 0, std::min(left, run.size())).bytes;
      taken.bytes += whole;
      if (whole != run.size()) break;
      left -= whole;
    }
    data_size_ += taken.bytes;
    DropBehindData(written - taken.bytes);
  }
  if (!stream_) WriteDataSize();
  return taken;
}

void DataFile::Append(const uint8_t* bytes, size_t size) {
  iov_.assign(1, {const_cast<uint8_t*>(bytes), size});
  const uint64_t written = WriteAll();
  if (failure_ == 0) {
    data_size_ += written;
  } else {
    DropBehindData(written);
  }
  if (!stream_) WriteDataSize();
}

void DataFile::DropBehindData(uint64_t written) {
  if (!regular_ || stream_ || written == 0) return;
  // Best effort: the header's size alone already ends the data at the last whole record.
  if (ftruncate(fd_.get(), static_cast<off_t>(data_end())) != 0) errno = 0;
}

uint64_t DataFile::WriteAll() {
  uint64_t written = 0;
  size_t next = 0;
  while (next < iov_.size()) {
    const int count = static_cast<int>(std::min<size_t>(iov_.size() - next, IOV_MAX));
    const ssize_t result =
        stream_ ? writev(fd_.get(), &iov_[next], count)
                : pwritev(fd_.get(), &iov_[next], count, static_cast<off_t>(data_end() + written));
    if (result <= 0) {
      const int cause = result < 0 ? errno : EIO;
      if (cause == EINTR) continue;
      if (cause == EAGAIN && WaitUntilWritable()) continue;
      failure_ = cause == EAGAIN ? ECANCELED : cause;
      break;
    }
    written += static_cast<uint64_t>(result);
    size_t done = static_cast<size_t>(result);
    while (next < iov_.size() && done >= iov_[next].iov_len) done -= iov_[next++].iov_len;
    if (done > 0) {
      iov_[next].iov_base = static_cast<uint8_t*>(iov_[next].iov_base) + done;
      iov_[next].iov_len -= done;
    }
  }
  return written;
}

/** False when the recording was aborted instead. */
bool DataFile::WaitUntilWritable() {
  pollfd fds[2] = {{fd_.get(), POLLOUT, 0}, {abort_fd_, POLLIN, 0}};
  while (poll(fds, 2, -1) < 0) {
    if (errno != EINTR) return false;
  }
  return (fds[1].revents & POLLIN) == 0;
}

void DataFile::WriteDataSize() {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&data_size_);
  size_t done = 0;
  while (done < sizeof data_size_) {
    const ssize_t result = pwrite(fd_.get(), bytes + done, sizeof data_size_ - done,
                                  kDataSizeOffset + static_cast<off_t>(done));
    if (result > 0) {
      done += static_cast<size_t>(result);
    } else if (result < 0 && (errno == EINTR || (errno == EAGAIN && WaitUntilWritable()))) {
      continue;
    } else {
      if (failure_ == 0) failure_ = result < 0 ? errno : EIO;
      return;
    }
  }
}

}  // namespace perf_ts
