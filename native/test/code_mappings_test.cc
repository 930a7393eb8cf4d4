#include <linux/perf_event.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "../core/ring/record_run.h"
#include "test.h"

using namespace perf_ts;

namespace {

constexpr size_t kSize = 80;

/** MMAP2 records of `count` mappings with these protections, one after the other. */
std::vector<uint8_t> Mappings(const std::vector<uint32_t>& protections) {
  std::vector<uint8_t> bytes(kSize * protections.size());
  for (size_t i = 0; i < protections.size(); i++) {
    uint8_t* record = bytes.data() + i * kSize;
    const RecordHeader header = {kRecordMmap2, PERF_RECORD_MISC_USER, kSize};
    memcpy(record, &header, sizeof header);
    // Behind pid, tid, addr, len, pgoff and 24 bytes of the file or the build ID.
    memcpy(record + 64, &protections[i], sizeof protections[i]);
  }
  return bytes;
}

CodeMappings Append(const std::vector<uint8_t>& bytes, size_t most) {
  RecordRun run;
  run.parts[0] = {bytes.data(), bytes.size()};
  CodeMappings found;
  AppendCodeMappings(run, bytes.size(), most, &found);
  return found;
}

}  // namespace

TEST("mappings of code are taken, and those that have no room are counted") {
  const std::vector<uint8_t> bytes =
      Mappings({PROT_EXEC, PROT_READ, PROT_EXEC, PROT_EXEC, PROT_WRITE, PROT_EXEC});
  const CodeMappings all = Append(bytes, 4 * kSize);
  CHECK_EQUAL(all.records.size(), 4 * kSize);
  CHECK_EQUAL(all.count, 4);
  CHECK_EQUAL(all.left_out, 0);
  const CodeMappings some = Append(bytes, 4 * kSize - 1);
  CHECK_EQUAL(some.records.size(), 3 * kSize);
  CHECK_EQUAL(some.count, 3);
  CHECK_EQUAL(some.left_out, 1);
}

TEST("mappings that wait are joined, and those of a round that has no room are counted") {
  const CodeMappings round = Append(Mappings({PROT_EXEC, PROT_EXEC, PROT_EXEC}), 2 * kSize);
  CodeMappings waiting;
  CHECK(waiting.empty());
  waiting.Add(round, 5 * kSize);
  waiting.Add(round, 5 * kSize);
  CHECK_EQUAL(waiting.records.size(), 4 * kSize);
  CHECK_EQUAL(waiting.count, 4);
  CHECK_EQUAL(waiting.left_out, 2);
  waiting.Add(round, 5 * kSize);
  CHECK_EQUAL(waiting.records.size(), 4 * kSize);
  CHECK_EQUAL(waiting.count, 4);
  CHECK_EQUAL(waiting.left_out, 5);
}

int main() {
  return perf_ts::test::RunAll();
}
