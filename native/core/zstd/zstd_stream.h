#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "libzstd.h"

namespace perf_ts {

/**
 * One zstd frame that never ends, as perf writes it: what was compressed before is the window of
 * what comes, and after each piece a reader has all of it.
 */
class ZstdCompressor {
 public:
  /** The most bytes that `Compress` takes at once, and the most that come of them. */
  static constexpr size_t kMaxPiece = 64'000;
  static constexpr size_t kMaxPacked = 65'527;
  static constexpr int kMaxLevel = 22;

  /** `level`: 1 to kMaxLevel. Null where there is no memory for it. */
  static std::unique_ptr<ZstdCompressor> Open(const Libzstd* library, int level);
  ~ZstdCompressor() { library_->free_compression(context_); }

  ZstdCompressor(const ZstdCompressor&) = delete;
  ZstdCompressor& operator=(const ZstdCompressor&) = delete;

  /** Writes `size` bytes compressed to `to`, which has kMaxPacked bytes. 0 on failure. */
  size_t Compress(const uint8_t* from, size_t size, uint8_t* to);

 private:
  ZstdCompressor(const Libzstd* library, Libzstd::CompressionContext* context)
      : library_(library), context_(context) {}

  const Libzstd* library_;
  Libzstd::CompressionContext* context_;
};

/** The way back, of a stream that comes in pieces. */
class ZstdDecompressor {
 public:
  /** Null where there is no memory for it. */
  static std::unique_ptr<ZstdDecompressor> Open(const Libzstd* library);
  ~ZstdDecompressor() { library_->free_decompression(context_); }

  ZstdDecompressor(const ZstdDecompressor&) = delete;
  ZstdDecompressor& operator=(const ZstdDecompressor&) = delete;

  /**
   * Decompresses into at most `room` bytes; where it fills them, more may come without further
   * input. False where the stream makes no sense.
   */
  bool Decompress(Libzstd::InBuffer* from, uint8_t* to, size_t room, size_t* written);

 private:
  ZstdDecompressor(const Libzstd* library, Libzstd::DecompressionContext* context)
      : library_(library), context_(context) {}

  const Libzstd* library_;
  Libzstd::DecompressionContext* context_;
};

}  // namespace perf_ts
