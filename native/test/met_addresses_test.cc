#include "../core/recording/met_addresses.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "../core/posix/fd.h"
#include "../core/ring/record.h"
#include "../core/session/compressed_file.h"
#include "inflated_records.h"
#include "test.h"

using namespace perf_ts;

namespace {

constexpr uint64_t kCode = 0xffff'ffff'8100'0120;

Fd FileOf(const std::vector<uint8_t>& bytes) {
  char path[] = "/tmp/perf-ts-met-XXXXXX";
  Fd fd(mkstemp(path));
  unlink(path);
  if (write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) abort();
  return fd;
}

void AppendRecord(std::vector<uint8_t>* bytes, uint32_t type, const std::vector<uint64_t>& words) {
  const RecordHeader header = {type, PERF_RECORD_MISC_USER,
                               static_cast<uint16_t>(sizeof(RecordHeader) + 8 * words.size())};
  const size_t at = bytes->size();
  bytes->resize(at + header.size);
  memcpy(bytes->data() + at, &header, sizeof header);
  if (!words.empty()) memcpy(bytes->data() + at + sizeof header, words.data(), 8 * words.size());
}

ScanResult Scan(const std::vector<uint8_t>& bytes, uint64_t kernel_from = 0) {
  const Fd fd = FileOf(bytes);
  ScanResult result;
  Error error;
  CHECK(ScanRecording({{fd.get(), 0, bytes.size()}, kernel_from}, &result, &error));
  return result;
}

/** The first `plain` bytes as they are, what follows in COMPRESSED records. */
std::vector<uint8_t> Packed(const Libzstd* library, const std::vector<uint8_t>& bytes,
                            size_t plain) {
  const auto compressor = ZstdCompressor::Open(library, 1);
  std::vector<uint8_t> packed(bytes.begin(), bytes.begin() + static_cast<long>(plain));
  // Cut anywhere: no record ends where a piece does.
  constexpr size_t kPiece = 61'001;
  std::vector<uint8_t> piece(ZstdCompressor::kMaxPacked);
  for (size_t at = plain; at < bytes.size(); at += kPiece) {
    const size_t size = std::min(kPiece, bytes.size() - at);
    const size_t count = compressor->Compress(bytes.data() + at, size, piece.data());
    const RecordHeader header = {kRecordCompressed, 0,
                                 static_cast<uint16_t>(sizeof(RecordHeader) + count)};
    const uint8_t* first = reinterpret_cast<const uint8_t*>(&header);
    packed.insert(packed.end(), first, first + sizeof header);
    packed.insert(packed.end(), piece.begin(), piece.begin() + static_cast<long>(count));
  }
  return packed;
}

}  // namespace

TEST("kernel addresses are found once each, over the edges of many windows") {
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < 40'000; i++) {
    AppendRecord(&bytes, kRecordSample, {i, kCode + i % 10'000 * 16, 0x7f00'0000'0000 + i});
  }
  const ScanResult result = Scan(bytes);
  CHECK_EQUAL(result.kernel_addresses.size(), 10'000);
  CHECK(result.kernel_addresses.front() == kCode);
  CHECK(result.kernel_addresses.back() == kCode + 9'999 * 16);
}

TEST("kernel addresses before the place where samples begin are left out") {
  std::vector<uint8_t> bytes;
  AppendRecord(&bytes, kRecordSample, {kCode});
  AppendRecord(&bytes, kRecordSample, {kCode + 16});
  const ScanResult result = Scan(bytes, 16);
  CHECK_EQUAL(result.kernel_addresses.size(), 1);
  CHECK(result.kernel_addresses[0] == kCode + 16);
}

TEST("records that are cut, empty or larger than the file end the mappings, and nothing else") {
  for (const uint16_t size : {0, 4, 7, 8, 72, 65528}) {
    std::vector<uint8_t> bytes;
    AppendRecord(&bytes, kRecordMmap2, {kCode});
    memcpy(bytes.data() + 6, &size, sizeof size);
    const ScanResult result = Scan(bytes);
    CHECK_EQUAL(result.kernel_addresses.size(), 1);
    CHECK(result.code_mappings.empty());
  }
  CHECK(Scan({}).kernel_addresses.empty());
  CHECK(Scan({1, 2, 3}).kernel_addresses.empty());
}

TEST("a mapping is one of code when it is executable and the user's") {
  std::vector<uint8_t> bytes;
  // pid and tid, address, length, offset, file id (3), protection and flags, name.
  AppendRecord(&bytes, kRecordMmap2, {1, 2, 3, 4, 5, 6, 7, 4 /* PROT_EXEC */, 0x61});
  const size_t size = bytes.size();
  AppendRecord(&bytes, kRecordMmap2, {1, 2, 3, 4, 5, 6, 7, 1 /* PROT_READ */, 0x61});
  CHECK_EQUAL(Scan(bytes).code_mappings.size(), size);
}

TEST("mappings of code are kept up to a bound, and those beyond it counted") {
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < 10'000; i++) {
    AppendRecord(&bytes, kRecordMmap2, {1, i, 3, 4, 5, 6, 7, 4 /* PROT_EXEC */, 0x61});
  }
  const size_t size = bytes.size() / 10'000;
  const Fd fd = FileOf(bytes);
  ScanRequest request = {{fd.get(), 0, bytes.size()}};
  request.most_mapping_bytes = 100 * size + 1;
  ScanResult result;
  Error error;
  CHECK(ScanRecording(request, &result, &error));
  CHECK_EQUAL(result.code_mappings.size(), 100 * size);
  CHECK_EQUAL(result.mappings_left_out, 9'900);
}

TEST("owners are met where their ranges overlap with those of other processes in any way") {
  uint64_t state = 1;
  const auto random = [&](uint64_t below) {
    state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return (state >> 33) % below;
  };
  for (int round = 0; round < 200; round++) {
    std::vector<CodeRange> ranges(random(20) + 1);
    for (CodeRange& range : ranges) {
      const uint64_t start = random(30);
      range = {start, start + random(12), static_cast<uint32_t>(random(ranges.size()))};
    }
    std::vector<uint8_t> bytes;
    uint32_t owners = 0;
    for (const CodeRange& range : ranges) owners = std::max(owners, range.owner + 1);
    std::vector<uint8_t> expected(owners);
    for (int i = 0; i < 4; i++) {
      const uint64_t address = random(40);
      AppendRecord(&bytes, kRecordSample, {address});
      for (const CodeRange& range : ranges) {
        if (range.start <= address && address < range.end) expected[range.owner] = 1;
      }
    }
    const Fd fd = FileOf(bytes);
    std::vector<uint8_t> met;
    Error error;
    CHECK(FindMetOwners({fd.get(), 0, bytes.size()}, ranges, &met, &error));
    CHECK(met == expected);
  }
}

TEST("owners are met by words of samples, and several at one address") {
  std::vector<uint8_t> bytes;
  AppendRecord(&bytes, kRecordMmap2, {0x5000});
  for (int i = 0; i < 40'000; i++) AppendRecord(&bytes, kRecordSample, {7, 0xfff, 0x3000});
  AppendRecord(&bytes, kRecordSample, {0x1800});
  const Fd fd = FileOf(bytes);
  std::vector<uint8_t> met;
  Error error;
  const std::vector<CodeRange> ranges = {
      {0x5000, 0x6000, 0}, {0x1000, 0x2000, 1}, {0x1000, 0x3000, 2}};
  CHECK(FindMetOwners({fd.get(), 0, bytes.size()}, ranges, &met, &error));
  CHECK(met == std::vector<uint8_t>({0, 1, 1}));
  CHECK(FindMetOwners({fd.get(), 0, bytes.size()}, {}, &met, &error));
  CHECK(met.empty());
}

TEST("compressed records hold the same addresses as plain ones") {
  const Libzstd* const library = perf_ts::test::LibraryForTests();
  if (library == nullptr) return;
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < 3; i++) AppendRecord(&bytes, kRecordSample, {kCode + 8 * i});
  const size_t plain = bytes.size();
  for (uint64_t i = 0; i < 60'000; i++) {
    AppendRecord(&bytes, kRecordSample, {i * 0x9e37'79b9, kCode + i % 1000 * 16, 0x3000 + i});
    if (i % 9'000 == 0) {
      AppendRecord(&bytes, kRecordMmap2, {1, i, 3, 4, 5, 6, 7, 4 /* PROT_EXEC */, 0x61});
    }
  }
  const std::vector<uint8_t> packed = Packed(library, bytes, plain);
  CHECK(packed.size() < bytes.size() / 2);
  const Fd plain_fd = FileOf(bytes), packed_fd = FileOf(packed);
  const RecordedBytes as_it_is = {plain_fd.get(), 0, bytes.size()};
  const RecordedBytes compressed = {packed_fd.get(), 0, packed.size(), true};
  Error error;
  ScanResult expected;
  for (const uint64_t kernel_from : {uint64_t{0}, uint64_t{16}, uint64_t{plain}}) {
    ScanResult result;
    expected = ScanResult();
    CHECK(ScanRecording({as_it_is, kernel_from}, &expected, &error));
    CHECK(ScanRecording({compressed, kernel_from}, &result, &error));
    CHECK(result.kernel_addresses == expected.kernel_addresses);
    CHECK(result.code_mappings == expected.code_mappings);
    CHECK(!result.code_mappings.empty());
  }
  const std::vector<CodeRange> ranges = {
      {0x3000 + 59'999, 0x3000 + 60'000, 0}, {0x2fff, 0x3000, 1}, {0x3000, 0x3001, 2}};
  std::vector<uint8_t> met;
  CHECK(FindMetOwners(compressed, ranges, &met, &error));
  CHECK(met == std::vector<uint8_t>({1, 0, 1}));

  // Damaged, and cut in a COMPRESSED record.
  std::vector<uint8_t> damaged = packed;
  memset(damaged.data() + plain + sizeof(RecordHeader), 0xff, 16);
  const Fd damaged_fd = FileOf(damaged);
  ScanResult result;
  CHECK(!ScanRecording({{damaged_fd.get(), 0, damaged.size(), true}, plain}, &result, &error));
  CHECK_EQUAL(error.code_errno, EBADMSG);
  ScanResult of_cut;
  CHECK(ScanRecording({{packed_fd.get(), 0, packed.size() - 100, true}, plain}, &of_cut, &error));
  CHECK(of_cut.kernel_addresses == expected.kernel_addresses);
}

TEST("a file that can't be read is an error") {
  ScanResult result;
  Error error;
  CHECK(!ScanRecording({{-1, 0, 8}, 0}, &result, &error));
  CHECK_EQUAL(error.code_errno, EBADF);
}

int main() {
  return perf_ts::test::RunAll();
}
