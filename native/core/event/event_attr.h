#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace perf_ts {

/**
 * The bytes of a `struct perf_event_attr` as they came, of whatever version, with access to the few
 * fields that matter here:
 *
 *     u32 type, size;      u64 config;          u64 sample_period or sample_freq;
 *     u64 sample_type;     u64 read_format;     u64 flags (bit fields);
 *     u32 wakeup_events or wakeup_watermark;    …    s32 clockid at byte 92
 */
class EventAttr {
 public:
  static constexpr size_t kMinSize = 64;  // PERF_ATTR_SIZE_VER0

  EventAttr() = default;
  /** `bytes` must have at least kMinSize. */
  explicit EventAttr(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}

  uint64_t sample_type() const { return Read<uint64_t>(24); }
  uint64_t read_format() const { return Read<uint64_t>(32); }
  uint32_t wakeup() const { return Read<uint32_t>(48); }
  bool inherit() const { return Flag(kInherit); }
  bool sample_id_all() const { return Flag(kSampleIdAll); }
  bool use_clockid() const { return Flag(kUseClockid); }
  int32_t clockid() const { return bytes_.size() >= 96 ? Read<int32_t>(92) : 0; }

  bool write_backward() const { return Flag(kWriteBackward); }

  void set_disabled(bool on) { SetFlag(kDisabled, on); }
  void set_enable_on_exec(bool on) { SetFlag(kEnableOnExec, on); }
  void set_watermark(bool on) { SetFlag(kWatermark, on); }
  void set_wakeup(uint32_t bytes) { memcpy(bytes_.data() + 48, &bytes, sizeof bytes); }

  uint8_t* data() { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }

 private:
  static constexpr size_t kFlagsOffset = 40;
  static constexpr int kDisabled = 0;
  static constexpr int kInherit = 1;
  static constexpr int kEnableOnExec = 12;
  static constexpr int kWatermark = 14;
  static constexpr int kSampleIdAll = 18;
  static constexpr int kUseClockid = 25;
  static constexpr int kWriteBackward = 27;

  template <typename T>
  T Read(size_t offset) const {
    T value;
    memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  bool Flag(int bit) const { return (Read<uint64_t>(kFlagsOffset) >> bit & 1) != 0; }
  void SetFlag(int bit, bool on) {
    const uint64_t mask = uint64_t{1} << bit;
    uint64_t flags = Read<uint64_t>(kFlagsOffset);
    flags = on ? flags | mask : flags & ~mask;
    memcpy(bytes_.data() + kFlagsOffset, &flags, sizeof flags);
  }

  std::vector<uint8_t> bytes_;
};

}  // namespace perf_ts
