#include "read_format.h"

namespace perf_ts {

// struct read_format {                    struct read_format {         with PERF_FORMAT_GROUP
//     u64 value;                              u64 nr;
//     u64 time_enabled;  if TIME_ENABLED      u64 time_enabled;  if TIME_ENABLED
//     u64 time_running;  if TIME_RUNNING      u64 time_running;  if TIME_RUNNING
//     u64 id;            if ID                struct {
//     u64 lost;          if LOST                  u64 value;
// };                                              u64 id;        if ID
//                                                 u64 lost;      if LOST
//                                             } cntr[nr];
//                                         };

bool ParseReading(const std::vector<uint64_t>& words, uint64_t read_format, uint64_t id,
                  CounterReading* reading) {
  const bool group = (read_format & kReadGroup) != 0;
  const size_t times = ((read_format & kReadTotalTimeEnabled) != 0 ? 1 : 0) +
                       ((read_format & kReadTotalTimeRunning) != 0 ? 1 : 0);
  const size_t id_words = (read_format & kReadId) != 0 ? 1 : 0;
  const size_t member_words = 1 + id_words + ((read_format & kReadLost) != 0 ? 1 : 0);
  if (words.empty()) return false;
  const uint64_t members = group ? words[0] : 1;
  if (members > words.size() || words.size() < 1 + times) return false;
  if (words.size() != (group ? 1 : 0) + times + members * member_words) return false;

  CounterReading result;
  size_t next = 1;
  if ((read_format & kReadTotalTimeEnabled) != 0) result.enabled_ns = words[next++];
  if ((read_format & kReadTotalTimeRunning) != 0) result.running_ns = words[next++];
  if (!group) {
    result.value = words[0];
    if ((read_format & kReadLost) != 0) result.lost = words[next + id_words];
    *reading = result;
    return true;
  }
  for (size_t member = next; member < words.size(); member += member_words) {
    // Without ids only a group of one states whose count it is.
    if (id_words == 0 ? members != 1 : words[member + 1] != id) continue;
    result.value = words[member];
    if ((read_format & kReadLost) != 0) result.lost = words[member + 1 + id_words];
    *reading = result;
    return true;
  }
  return false;
}

}  // namespace perf_ts
