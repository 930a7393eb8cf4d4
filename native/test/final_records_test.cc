#include "../core/event/final_records.h"

#include <linux/perf_event.h>

#include "../core/ring/record.h"
#include "test.h"

using namespace perf_ts;

namespace {

EventAttr Attr(uint64_t sample_type, bool sample_id_all) {
  std::vector<uint8_t> bytes(112);
  const uint64_t flags = sample_id_all ? 1 << 18 : 0;
  memcpy(&bytes[24], &sample_type, sizeof sample_type);
  memcpy(&bytes[40], &flags, sizeof flags);
  return EventAttr(bytes);
}

RecordHeader HeaderOf(const std::vector<uint64_t>& words) {
  RecordHeader header;
  memcpy(&header, words.data(), sizeof header);
  return header;
}

}  // namespace

TEST("the trailer has the fields of the sample type, in the kernel's order") {
  const uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                        PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
  const std::vector<uint64_t> words =
      LostSamplesRecord(Attr(type, true), 99, {5, 3, 77, 79, 123456});
  const uint64_t pid_and_tid = uint64_t{79} << 32 | 77;
  CHECK(std::vector<uint64_t>(words.begin() + 1, words.end()) ==
        (std::vector<uint64_t>{99, pid_and_tid, 123456, 5, 5, 3, 5}));
  CHECK_EQUAL(HeaderOf(words).type, 13);
  CHECK_EQUAL(HeaderOf(words).size, words.size() * 8);
}

TEST("a final record without sample_id_all has only the count") {
  const std::vector<uint64_t> words =
      LostSamplesRecord(Attr(PERF_SAMPLE_TID | PERF_SAMPLE_TIME, false), 4, {});
  CHECK_EQUAL(words.size(), 2);
  CHECK_EQUAL(words[1], 4);
  CHECK_EQUAL(HeaderOf(words).size, 16);
}

TEST("a final value is the words of read() between the task and the trailer") {
  const std::vector<uint64_t> reading = {1000, 55, 44, 5, 2};
  const std::vector<uint64_t> words = ReadRecord(
      Attr(PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER, true), reading, {5, 3, 77, 79, 123456});
  const uint64_t pid_and_tid = uint64_t{79} << 32 | 77;
  CHECK(std::vector<uint64_t>(words.begin() + 1, words.end()) ==
        (std::vector<uint64_t>{pid_and_tid, 1000, 55, 44, 5, 2, 123456, 5}));
  CHECK_EQUAL(HeaderOf(words).type, 8);
  CHECK_EQUAL(HeaderOf(words).size, words.size() * 8);
}

int main() {
  return perf_ts::test::RunAll();
}
