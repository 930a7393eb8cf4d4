#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../posix/error.h"
#include "../zstd/zstd_stream.h"

namespace perf_ts {

/** Records that were written: bytes [from, to) of a file, little-endian as this machine. */
struct RecordedBytes {
  int fd = -1;
  uint64_t from = 0;
  uint64_t to = 0;
  /** COMPRESSED records may be among them, as `CompressedFile` writes them. */
  bool compressed = false;
};

/**
 * A window that moves forward over records. Where they are compressed it is over what they hold:
 * positions are then those that the records would have if they had been written as they are.
 */
class RecordWindow {
 public:
  /** Larger than any record, whose size has 16 bits. */
  static constexpr size_t kBytes = 1 << 18;

  explicit RecordWindow(const RecordedBytes& records);

  /**
   * Moves to `at`, never back. Then it has as many bytes from there on as there are and fit, 0 at
   * the end. False where reading fails.
   */
  bool MoveTo(uint64_t at, Error* error);
  const uint8_t* data() const { return bytes_.data(); }
  size_t size() const { return size_; }

 private:
  bool Fill(Error* error);
  /** Puts some bytes, at most `room`, at `to`; none at the end. */
  bool Read(uint8_t* to, size_t room, size_t* count, Error* error);
  bool ReadFile(uint8_t* to, size_t room, size_t* count, Error* error);
  bool ReadInflated(uint8_t* to, size_t room, size_t* count, Error* error);
  bool BeginRecord(Error* error);

  RecordedBytes records_;
  std::vector<uint8_t> bytes_;
  size_t size_ = 0;
  /** The window begins here. */
  uint64_t start_;

  /** The file is read from here on next. */
  uint64_t file_at_;
  /** Bytes of the record that was begun which are to come; `packed_left_` of a COMPRESSED one. */
  size_t plain_left_ = 0;
  size_t packed_left_ = 0;
  /** The part of it that was read, and how far it was decompressed. */
  std::vector<uint8_t> packed_;
  size_t packed_at_ = 0;
  /** More may come out of what went into the decompressor. */
  bool is_full_ = false;
  std::unique_ptr<ZstdDecompressor> decompressor_;
};

}  // namespace perf_ts
