#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "../core/session/compressed_file.h"
#include "fake_ring.h"
#include "inflated_records.h"
#include "test.h"

using namespace perf_ts;
using perf_ts::test::FakeRing;
using perf_ts::test::Inflated;
using perf_ts::test::LibraryForTests;

namespace {

constexpr uint64_t kDataOffset = 4096;

/** An unlinked file, as the recorder leaves it: a header of zeros up to the data. */
Fd TemporaryFile() {
  char path[] = "/tmp/perf-ts-packed-XXXXXX";
  Fd fd(mkstemp(path));
  unlink(path);
  if (ftruncate(fd.get(), kDataOffset) != 0) abort();
  return fd;
}

/** The data that the header says are there. */
std::vector<uint8_t> Data(const Fd& fd) {
  uint64_t size = 0;
  if (pread(fd.get(), &size, sizeof size, 48) != sizeof size) abort();
  std::vector<uint8_t> bytes(size);
  CHECK_EQUAL(pread(fd.get(), bytes.data(), size, kDataOffset), size);
  return bytes;
}

FileSinkOptions At(const Fd& fd, int level = 1) {
  FileSinkOptions options;
  options.fd = fd.get();
  options.data_offset = kDataOffset;
  options.compression_level = level;
  return options;
}

std::unique_ptr<CompressedFile> Open(const FileSinkOptions& options, int abort_fd = -1) {
  Error error;
  auto file = CompressedFile::Open(options, abort_fd, &error);
  CHECK(file != nullptr);
  return file;
}

/** Samples whose bodies repeat nothing. */
class NoisyRecords {
 public:
  NoisyRecords& Add(int count, uint16_t size) {
    for (int i = 0; i < count; i++) {
      const RecordHeader header = {kRecordSample, 0, size};
      const size_t start = bytes_.size();
      bytes_.resize(start + size);
      for (size_t at = 0; at < size; at += 8) {
        word_ ^= word_ << 13;
        word_ ^= word_ >> 7;
        word_ ^= word_ << 17;
        memcpy(bytes_.data() + start + at, &word_, sizeof word_);
      }
      memcpy(bytes_.data() + start, &header, sizeof header);
    }
    return *this;
  }
  RecordRun Run() const {
    RecordRun run;
    run.parts[0] = {bytes_.data(), bytes_.size()};
    return run;
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
  uint64_t word_ = 0x2545'f491'4f6c'dd1d;
};

void Append(std::vector<uint8_t>* all, const std::vector<uint8_t>& bytes) {
  all->insert(all->end(), bytes.begin(), bytes.end());
}

void AppendMarker(std::vector<uint8_t>* all) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&kFinishedRound);
  all->insert(all->end(), bytes, bytes + sizeof kFinishedRound);
}

uint64_t SamplesIn(const std::vector<uint8_t>& bytes) {
  RecordRun run;
  run.parts[0] = {bytes.data(), bytes.size()};
  const RecordWalk walk = WalkRecords(run, 0, run.size());
  // The file ends at the end of a record.
  CHECK_EQUAL(walk.bytes, bytes.size());
  return walk.counts.samples;
}

/** A pipe that nobody reads until it is asked, with as little room as there can be. */
struct SlowPipe {
  Fd reading, writing;
  SlowPipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) abort();
    reading = Fd(ends[0]);
    writing = Fd(ends[1]);
    fcntl(writing.get(), F_SETPIPE_SZ, 4096);
  }
  FileSinkOptions Options() const {
    FileSinkOptions options;
    options.fd = writing.get();
    options.stream = true;
    options.compression_level = 1;
    return options;
  }
};

/** Fills both buffers, of which the worker can't write the first one. Returns what was taken. */
uint64_t FillUp(CompressedFile* file, const RecordRun& run) {
  uint64_t bytes = 0;
  for (;;) {
    const RecordSink::Taken taken = file->TakeRound({run});
    bytes += taken.bytes;
    if (taken.closed) continue;
    CHECK_EQUAL(taken.bytes % 32768, 0);
    // More than one buffer holds: the worker has the other one, and gives it back no more.
    if (taken.bytes == 0 && bytes > CompressedFile::kBufferBytes) return bytes;
  }
}

struct PipeReader {
  int fd;
  std::vector<uint8_t> bytes;
};

void* ReadAll(void* argument) {
  PipeReader& reader = *static_cast<PipeReader*>(argument);
  std::vector<uint8_t> block(1 << 16);
  for (;;) {
    const ssize_t count = read(reader.fd, block.data(), block.size());
    if (count <= 0) return nullptr;
    reader.bytes.insert(reader.bytes.end(), block.begin(), block.begin() + count);
  }
}

}  // namespace

TEST("rounds come out of the file as they went in, whatever their records are like") {
  const Libzstd* const library = LibraryForTests();
  if (library == nullptr) return;
  for (const int level : {1, 3, 22}) {
    const Fd fd = TemporaryFile();
    auto file = Open(At(fd, level));
    std::vector<uint8_t> expected;
    FakeRing ring(1 << 18, (1 << 18) - 24);
    for (int i = 0; i < 40; i++) ring.Write(kRecordSample, 4096, static_cast<uint8_t>(i));
    ring.Show();
    RingBuffer reader = ring.Reader();
    const RecordRun wraps = reader.Records(reader.LoadHead());
    // The largest records that there are, smaller ones that fill a piece, and the smallest.
    NoisyRecords noise;
    noise.Add(3, 65528).Add(1, 64000).Add(9, 32000).Add(5000, 8).Add(2, 65528);
    for (int round = 0; round < 3; round++) {
      const RecordSink::Taken taken = file->TakeRound({wraps, RecordRun(), noise.Run()});
      CHECK(taken.closed);
      CHECK_EQUAL(taken.bytes, wraps.size() + noise.bytes().size());
      Append(&expected, perf_ts::test::Bytes(wraps));
      Append(&expected, noise.bytes());
      AppendMarker(&expected);
    }
    file->Settle();
    CHECK(file->is_settled());
    CHECK_EQUAL(file->failure(), 0);
    const std::vector<uint8_t> data = Data(fd);
    CHECK_EQUAL(file->data_end(), kDataOffset + data.size());
    CHECK_EQUAL(file->written_bytes(), data.size());
    CHECK(Inflated(library, data) == expected);
  }
}

TEST("samples like the ones before take a small part of their bytes") {
  const Libzstd* const library = LibraryForTests();
  if (library == nullptr) return;
  const Fd fd = TemporaryFile();
  auto file = Open(At(fd));
  NoisyRecords noise;
  noise.Add(1, 32768);
  for (int i = 0; i < 100; i++) CHECK(file->TakeRound({noise.Run()}).closed);
  file->Settle();
  CHECK(file->written_bytes() < 100 * 32768 / 20);
}

TEST("a file without markers of rounds has none") {
  const Libzstd* const library = LibraryForTests();
  if (library == nullptr) return;
  const Fd fd = TemporaryFile();
  FileSinkOptions options = At(fd);
  options.marks_rounds = false;
  auto file = Open(options);
  NoisyRecords noise;
  noise.Add(4, 48);
  CHECK(file->TakeRound({noise.Run()}).closed);
  file->Settle();
  CHECK(Inflated(library, Data(fd)) == noise.bytes());
}

TEST("whenever the recorder is killed, the file ends with a whole record") {
  const Libzstd* const library = LibraryForTests();
  if (library == nullptr) return;
  const Fd fd = TemporaryFile();
  auto file = Open(At(fd));
  NoisyRecords noise;
  noise.Add(400, 1000).Add(2, 65528);
  std::vector<uint64_t> ends;
  for (int i = 0; i < 60; i++) {
    for (RecordSink::Taken taken; !taken.closed;) taken = file->TakeRound({noise.Run()});
    uint64_t size = 0;
    if (pread(fd.get(), &size, sizeof size, 48) != sizeof size) abort();
    if (ends.empty() || ends.back() != size) ends.push_back(size);
  }
  file->Settle();
  const std::vector<uint8_t> data = Data(fd);
  CHECK(ends.size() > 2);
  for (size_t i = 0; i < ends.size(); i += 1 + ends.size() / 10) {
    const auto end = data.begin() + static_cast<long>(ends[i]);
    SamplesIn(Inflated(library, std::vector<uint8_t>(data.begin(), end)));
  }
}

TEST("bytes that do not fit the buffers stay in the rings until there is room") {
  const Libzstd* const library = LibraryForTests();
  if (library == nullptr) return;
  SlowPipe pipe;
  auto file = Open(pipe.Options());
  std::atomic<int> told{0};
  file->OnRoom([&told] { told++; });
  NoisyRecords noise;
  noise.Add(30, 32768);
  const uint64_t taken = FillUp(file.get(), noise.Run());
  CHECK(taken <= 2 * CompressedFile::kBufferBytes);
  CHECK(!file->is_settled());
  const int before = told;
  PipeReader reader = {pipe.reading.get(), {}};
  pthread_t thread;
  CHECK_EQUAL(pthread_create(&thread, nullptr, ReadAll, &reader), 0);
  // At the end of a recording it is taken, however long that takes.
  file->LiftBound();
  const RecordSink::Taken rest = file->TakeRound({noise.Run()});
  CHECK(rest.closed);
  CHECK_EQUAL(rest.bytes, noise.bytes().size());
  file->Settle();
  CHECK(told > before);
  file.reset();
  pipe.writing.Reset();
  pthread_join(thread, nullptr);
  CHECK_EQUAL(SamplesIn(Inflated(library, reader.bytes)) * 32768, taken + rest.bytes);
}

TEST("bytes in no ring are taken at once or waited for") {
  if (LibraryForTests() == nullptr) return;
  SlowPipe pipe;
  auto file = Open(pipe.Options());
  NoisyRecords noise;
  noise.Add(30, 32768);
  FillUp(file.get(), noise.Run());
  PipeReader reader = {pipe.reading.get(), {}};
  pthread_t thread;
  CHECK_EQUAL(pthread_create(&thread, nullptr, ReadAll, &reader), 0);
  CHECK_EQUAL(file->TakeAll({noise.Run()}).bytes, noise.bytes().size());
  file->Settle();
  file.reset();
  pipe.writing.Reset();
  pthread_join(thread, nullptr);
}

TEST("a write that waits for a reader is given up on request, and nobody waits any more") {
  if (LibraryForTests() == nullptr) return;
  SlowPipe pipe;
  const Fd abort_fd(eventfd(0, EFD_CLOEXEC));
  auto file = Open(pipe.Options(), abort_fd.get());
  NoisyRecords noise;
  noise.Add(30, 32768);
  const uint64_t taken = FillUp(file.get(), noise.Run());
  const uint64_t one = 1;
  CHECK_EQUAL(write(abort_fd.get(), &one, sizeof one), sizeof one);
  file->Settle();
  CHECK_EQUAL(file->failure(), ECANCELED);
  file->LiftBound();
  CHECK_EQUAL(file->TakeRound({noise.Run()}).bytes, 0);
  CHECK(file->unwritten_samples() <= taken / 32768);
  CHECK(file->unwritten_samples() > 0);
}

TEST("all samples at a file-size limit are in the file or counted as unwritten") {
  const Libzstd* const library = LibraryForTests();
  if (library == nullptr) return;
  const Fd fd = TemporaryFile();
  auto file = Open(At(fd));
  NoisyRecords noise;
  noise.Add(2000, 1000);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {kDataOffset + 1'000'000, before.rlim_max};
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
  uint64_t taken = 0;
  for (int i = 0; i < 4; i++) taken += file->TakeRound({noise.Run()}).bytes / 1000;
  file->Settle();
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK_EQUAL(file->failure(), EFBIG);
  const std::vector<uint8_t> data = Data(fd);
  CHECK_EQUAL(lseek(fd.get(), 0, SEEK_END), kDataOffset + data.size());
  CHECK(data.size() > 500'000);
  CHECK_EQUAL(SamplesIn(Inflated(library, data)) + file->unwritten_samples(), taken);
}

TEST("the user's limit is of what is in the file") {
  if (LibraryForTests() == nullptr) return;
  const Fd fd = TemporaryFile();
  FileSinkOptions options = At(fd);
  options.max_bytes = kDataOffset + 50'000;
  auto file = Open(options);
  NoisyRecords noise;
  noise.Add(1, 40'000);
  for (int i = 0; i < 100; i++) file->TakeRound({noise.Run()});
  file->Settle();
  // A hundred times the same is not much more than once.
  CHECK(!file->full());
  NoisyRecords more;
  more.Add(3, 40'000);
  file->TakeRound({more.Run()});
  file->Settle();
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
