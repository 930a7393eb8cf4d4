#include "../core/event/read_format.h"

#include "test.h"

using namespace perf_ts;

namespace {
constexpr uint64_t kTimes = kReadTotalTimeEnabled | kReadTotalTimeRunning;
}

TEST("a counter alone: value, times, id, lost") {
  CounterReading reading;
  CHECK(ParseReading({42, 1000, 900, 7, 3}, kTimes | kReadId | kReadLost, 7, &reading));
  CHECK_EQUAL(reading.value, 42);
  CHECK_EQUAL(reading.enabled_ns, 1000);
  CHECK_EQUAL(reading.running_ns, 900);
  CHECK_EQUAL(reading.lost, 3);
}

TEST("fields that were not asked for are not there") {
  CounterReading reading;
  CHECK(ParseReading({42}, 0, 7, &reading));
  CHECK_EQUAL(reading.value, 42);
  CHECK(ParseReading({42, 3}, kReadLost, 7, &reading));
  CHECK_EQUAL(reading.lost, 3);
  CHECK_EQUAL(reading.enabled_ns, 0);
  CHECK(ParseReading({42, 900}, kReadTotalTimeRunning, 7, &reading));
  CHECK_EQUAL(reading.running_ns, 900);
}

TEST("a member of a group is found by its id") {
  //                                  nr  enabled running  value id lost  value id lost
  const std::vector<uint64_t> words = {2, 1000, 900, 11, 5, 1, 22, 6, 2};
  CounterReading reading;
  CHECK(ParseReading(words, kReadGroup | kTimes | kReadId | kReadLost, 6, &reading));
  CHECK_EQUAL(reading.value, 22);
  CHECK_EQUAL(reading.lost, 2);
  CHECK_EQUAL(reading.enabled_ns, 1000);
  CHECK(!ParseReading(words, kReadGroup | kTimes | kReadId | kReadLost, 9, &reading));
}

TEST("words of another shape are refused") {
  CounterReading reading;
  CHECK(!ParseReading({}, 0, 7, &reading));
  CHECK(!ParseReading({42, 1000}, kTimes, 7, &reading));
  CHECK(!ParseReading({42, 1000, 900, 7}, kTimes, 7, &reading));
  CHECK(!ParseReading({3, 11, 5}, kReadGroup | kReadId, 5, &reading));
  CHECK(!ParseReading({UINT64_MAX, 11, 5}, kReadGroup | kReadId, 5, &reading));
  // A group of two without ids does not say which is which.
  CHECK(!ParseReading({2, 11, 22}, kReadGroup, 5, &reading));
}

int main() {
  return perf_ts::test::RunAll();
}
