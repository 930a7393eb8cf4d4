#include "../core/recording/met_addresses.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "../core/posix/fd.h"
#include "../core/ring/record.h"
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

TEST("a file that can't be read is an error") {
  ScanResult result;
  Error error;
  CHECK(!ScanRecording({{-1, 0, 8}, 0}, &result, &error));
  CHECK_EQUAL(error.code_errno, EBADF);
}

int main() {
  return perf_ts::test::RunAll();
}
