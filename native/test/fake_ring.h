#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "../core/ring/record.h"
#include "../core/ring/ring_buffer.h"

namespace perf_ts::test {

/** A ring in ordinary memory, and the kernel's side of it: positions run freely. */
class FakeRing {
 public:
  explicit FakeRing(uint64_t size, uint64_t start = 0) : data_(size) {
    control_.data_head = start;
    control_.data_tail = start;
  }

  RingBuffer Reader() { return RingBuffer(&control_, data_.data(), data_.size()); }

  /** A record of `size` bytes whose body counts up from `seed`; does not look for room. */
  void Write(uint32_t type, uint16_t size, uint8_t seed = 0) {
    const RecordHeader header = {type, 0, size};
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&header);
    for (uint64_t i = 0; i < size && i < sizeof header; i++) Put(bytes[i]);
    for (uint64_t i = sizeof header; i < size; i++) Put(static_cast<uint8_t>(seed + i));
  }

  /** A PERF_RECORD_LOST that tells of `lost` records. */
  void WriteLost(uint64_t lost) {
    const RecordHeader header = {kRecordLost, 0, 24};
    uint64_t words[3] = {0, 7, lost};
    memcpy(words, &header, sizeof header);
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(words);
    for (size_t i = 0; i < sizeof words; i++) Put(bytes[i]);
  }

  /** Makes what was written visible to the reader. */
  void Show() {
    __atomic_store_n(&control_.data_head, control_.data_head + unpublished_, __ATOMIC_RELEASE);
    unpublished_ = 0;
  }

  perf_event_mmap_page& control() { return control_; }

 private:
  void Put(uint8_t byte) {
    data_[(control_.data_head + unpublished_++) & (data_.size() - 1)] = byte;
  }

  perf_event_mmap_page control_ = {};
  std::vector<uint8_t> data_;
  uint64_t unpublished_ = 0;
};

inline std::vector<uint8_t> Bytes(const RecordRun& run) {
  std::vector<uint8_t> bytes(run.size());
  CopyOut(run, 0, run.size(), bytes.data());
  return bytes;
}

}  // namespace perf_ts::test
