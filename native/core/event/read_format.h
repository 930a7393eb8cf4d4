#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perf_ts {

/** The values that read() of an event's fd returns. */
struct CounterReading {
  uint64_t value = 0;
  uint64_t enabled_ns = 0;
  uint64_t running_ns = 0;
  uint64_t lost = 0;

  void Add(const CounterReading& other) {
    value += other.value;
    enabled_ns += other.enabled_ns;
    running_ns += other.running_ns;
    lost += other.lost;
  }
};

constexpr uint64_t kReadTotalTimeEnabled = 1;
constexpr uint64_t kReadTotalTimeRunning = 2;
constexpr uint64_t kReadId = 4;
constexpr uint64_t kReadGroup = 8;
constexpr uint64_t kReadLost = 16;

/**
 * Finds the event `id` in `words`, which read() returned for an event opened with `read_format`.
 * False when the words don't have the announced shape or, in a group, no member has that id.
 */
bool ParseReading(const std::vector<uint64_t>& words, uint64_t read_format, uint64_t id,
                  CounterReading* reading);

/** Words that suffice for a group of `members`. */
inline size_t ReadingWords(size_t members) {
  return 3 + 3 * members;
}

}  // namespace perf_ts
