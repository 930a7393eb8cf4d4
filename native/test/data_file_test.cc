#include "../core/session/data_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "fake_ring.h"
#include "test.h"

using namespace perf_ts;
using perf_ts::test::Bytes;
using perf_ts::test::FakeRing;

namespace {

constexpr uint64_t kDataOffset = 4096;

/** An unlinked file, as the recorder leaves it: a header of zeros up to the data. */
Fd TemporaryFile() {
  char path[] = "/tmp/perf-ts-data-XXXXXX";
  Fd fd(mkstemp(path));
  unlink(path);
  if (ftruncate(fd.get(), kDataOffset) != 0) abort();
  return fd;
}

std::vector<uint8_t> Contents(const Fd& fd, uint64_t from) {
  std::vector<uint8_t> bytes(lseek(fd.get(), 0, SEEK_END) - from);
  if (pread(fd.get(), bytes.data(), bytes.size(), from) != static_cast<ssize_t>(bytes.size())) {
    abort();
  }
  return bytes;
}

uint64_t DataSizeInHeader(const Fd& fd) {
  uint64_t size = 0;
  if (pread(fd.get(), &size, sizeof size, 48) != sizeof size) abort();
  return size;
}

std::unique_ptr<DataFile> Open(FileSinkOptions options, int abort_fd = -1) {
  Error error;
  std::unique_ptr<DataFile> file = DataFile::Open(options, abort_fd, &error);
  CHECK(file != nullptr);
  return file;
}

FileSinkOptions At(const Fd& fd) {
  FileSinkOptions options;
  options.fd = fd.get();
  options.data_offset = kDataOffset;
  return options;
}

/** Runs of `count` records of `size` bytes; the ring must outlive them. */
RecordRun Records(FakeRing* ring, int count, uint16_t size) {
  for (int i = 0; i < count; i++) ring->Write(kRecordSample, size, static_cast<uint8_t>(i));
  ring->Show();
  RingBuffer reader = ring->Reader();
  return reader.Records(reader.LoadHead());
}

std::vector<uint8_t> Join(std::initializer_list<std::vector<uint8_t>> parts) {
  std::vector<uint8_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<uint8_t> Marker() {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&kFinishedRound);
  return std::vector<uint8_t>(bytes, bytes + sizeof kFinishedRound);
}

}  // namespace

TEST("rounds are appended behind the data that is there, and the header's size follows") {
  const Fd fd = TemporaryFile();
  const std::vector<uint8_t> existing(16, 0xee);
  CHECK_EQUAL(pwrite(fd.get(), existing.data(), 16, kDataOffset), 16);
  FileSinkOptions options = At(fd);
  options.data_size = 16;
  auto file = Open(options);

  FakeRing first(4096, 4096 - 24), second(4096);
  const RecordRun a = Records(&first, 3, 48), b = Records(&second, 2, 24);
  const RecordSink::Taken taken = file->TakeRound({a, RecordRun(), b});
  CHECK_EQUAL(taken.bytes, 3 * 48 + 2 * 24);
  CHECK(taken.closed);
  CHECK_EQUAL(DataSizeInHeader(fd), 16 + 192 + 8);
  CHECK_EQUAL(file->data_end(), kDataOffset + 16 + 192 + 8);

  file->TakeRound({b});
  CHECK(Contents(fd, kDataOffset) ==
        Join({existing, Bytes(a), Bytes(b), Marker(), Bytes(b), Marker()}));
  CHECK_EQUAL(DataSizeInHeader(fd), 16 + 192 + 8 + 48 + 8);
}

TEST("more pieces than one system call takes are all written") {
  const Fd fd = TemporaryFile();
  auto file = Open(At(fd));
  FakeRing ring(4096, 4096 - 8);
  const RecordRun run = Records(&ring, 1, 32);
  const std::vector<RecordRun> runs(1500, run);
  CHECK_EQUAL(file->TakeRound(runs).bytes, 1500 * 32);
  const std::vector<uint8_t> contents = Contents(fd, kDataOffset);
  CHECK_EQUAL(contents.size(), 1500 * 32 + 8);
  CHECK(std::vector<uint8_t>(contents.end() - 40, contents.end() - 8) == Bytes(run));
}

TEST("a stream gets the same bytes and is never sought") {
  int ends[2];
  CHECK_EQUAL(pipe2(ends, O_CLOEXEC), 0);
  const Fd reading(ends[0]), writing(ends[1]);
  FileSinkOptions options;
  options.fd = writing.get();
  options.stream = true;
  auto file = Open(options);
  FakeRing ring(4096);
  const RecordRun run = Records(&ring, 4, 40);
  CHECK(file->TakeRound({run}).closed);
  CHECK_EQUAL(file->failure(), 0);
  std::vector<uint8_t> bytes(4 * 40 + 8);
  CHECK_EQUAL(read(reading.get(), bytes.data(), bytes.size()), bytes.size());
  CHECK(bytes == Join({Bytes(run), Marker()}));
  // The descriptor that was given is not made non-blocking by us.
  CHECK_EQUAL(fcntl(writing.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST("a pipe without a reader is a write error, not a signal") {
  int ends[2];
  CHECK_EQUAL(pipe2(ends, O_CLOEXEC), 0);
  const Fd writing(ends[1]);
  FileSinkOptions options;
  options.fd = writing.get();
  options.stream = true;
  auto file = Open(options);
  close(ends[0]);
  FakeRing ring(4096);
  const RecordSink::Taken taken = file->TakeRound({Records(&ring, 1, 40)});
  CHECK_EQUAL(file->failure(), EPIPE);
  CHECK_EQUAL(taken.bytes, 0);
  CHECK(!taken.closed);
}

TEST("a write that waits for a reader is given up on request") {
  int ends[2];
  CHECK_EQUAL(pipe2(ends, O_CLOEXEC), 0);
  const Fd reading(ends[0]), writing(ends[1]);
  const Fd abort_fd(eventfd(1, EFD_CLOEXEC));
  FileSinkOptions options;
  options.fd = writing.get();
  options.stream = true;
  auto file = Open(options, abort_fd.get());
  // Nobody reads, and the round is larger than any pipe.
  FakeRing ring(1 << 21);
  const RecordSink::Taken taken = file->TakeRound({Records(&ring, 40, 32768)});
  CHECK_EQUAL(file->failure(), ECANCELED);
  CHECK_EQUAL(taken.bytes % 32768, 0);
  CHECK(taken.bytes < 40 * 32768);
}

TEST("the data at a file-size limit ends with the last whole record") {
  const Fd fd = TemporaryFile();
  auto file = Open(At(fd));
  FakeRing ring(1 << 16);
  const RecordRun run = Records(&ring, 100, 48);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {kDataOffset + 1000, before.rlim_max};
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
  const RecordSink::Taken taken = file->TakeRound({run});
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK_EQUAL(file->failure(), EFBIG);
  CHECK(!taken.closed);
  CHECK_EQUAL(taken.bytes, 1000 / 48 * 48);
  CHECK_EQUAL(DataSizeInHeader(fd), taken.bytes);
  const std::vector<uint8_t> contents = Contents(fd, kDataOffset);
  CHECK_EQUAL(contents.size(), taken.bytes);
  const std::vector<uint8_t> all = Bytes(run);
  CHECK(contents == std::vector<uint8_t>(all.begin(), all.begin() + taken.bytes));
}

TEST("the user's limit is reached by the round that reaches it") {
  const Fd fd = TemporaryFile();
  FileSinkOptions options = At(fd);
  options.max_bytes = kDataOffset + 100;
  auto file = Open(options);
  FakeRing ring(4096);
  const RecordRun run = Records(&ring, 1, 48);
  file->TakeRound({run});
  CHECK(!file->full());
  file->TakeRound({run});
  CHECK(file->full());
  CHECK_EQUAL(file->failure(), 0);
}

int main() {
  // As on the drain thread.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  return perf_ts::test::RunAll();
}
