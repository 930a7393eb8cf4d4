#include "zstd_stream.h"

#include <utility>

namespace perf_ts {
namespace {

/** ZSTD_cParameter */
constexpr int kCompressionLevel = 100;
constexpr int kWindowLog = 101;
/** ZSTD_EndDirective */
constexpr int kGoOn = 0;
constexpr int kFlush = 1;

/**
 * 2 MiB at all levels; zstd's own are 512 KiB at level 1 and 128 MiB at 22. What repeats is the
 * sample before on the same thread: 80 dumps of 24 KiB. Readers that move their window with every
 * block (fzstd) are slower with more.
 */
constexpr int kWindowLogOfAll = 21;

/** A piece that can't be compressed becomes blocks of its bytes, each behind three bytes. */
static_assert(ZstdCompressor::kMaxPiece + 1024 < ZstdCompressor::kMaxPacked);

}  // namespace

std::unique_ptr<ZstdCompressor> ZstdCompressor::Open(const Libzstd* library, int level) {
  Libzstd::CompressionContext* const context = library->create_compression();
  if (context == nullptr) return nullptr;
  std::unique_ptr<ZstdCompressor> compressor(new ZstdCompressor(library, context));
  const auto set = [&](int parameter, int value) {
    return library->is_error(library->set_parameter(context, parameter, value)) == 0;
  };
  const bool is_set = set(kCompressionLevel, level) && set(kWindowLog, kWindowLogOfAll);
  // Takes all of its memory, and writes nothing yet.
  Libzstd::InBuffer in = {nullptr, 0, 0};
  Libzstd::OutBuffer out = {nullptr, 0, 0};
  const size_t code = library->compress_stream(context, &out, &in, kGoOn);
  return is_set && library->is_error(code) == 0 ? std::move(compressor) : nullptr;
}

size_t ZstdCompressor::Compress(const uint8_t* from, size_t size, uint8_t* to) {
  Libzstd::InBuffer in = {from, size, 0};
  Libzstd::OutBuffer out = {to, kMaxPacked, 0};
  const size_t left = library_->compress_stream(context_, &out, &in, kFlush);
  return left == 0 && in.pos == size ? out.pos : 0;
}

std::unique_ptr<ZstdDecompressor> ZstdDecompressor::Open(const Libzstd* library) {
  Libzstd::DecompressionContext* const context = library->create_decompression();
  if (context == nullptr) return nullptr;
  return std::unique_ptr<ZstdDecompressor>(new ZstdDecompressor(library, context));
}

bool ZstdDecompressor::Decompress(Libzstd::InBuffer* from, uint8_t* to, size_t room,
                                  size_t* written) {
  Libzstd::OutBuffer out = {to, room, 0};
  const size_t code = library_->decompress_stream(context_, &out, from);
  *written = out.pos;
  return library_->is_error(code) == 0;
}

}  // namespace perf_ts
