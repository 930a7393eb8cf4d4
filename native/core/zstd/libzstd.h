#pragma once

#include <cstddef>
#include <string>

namespace perf_ts {

/**
 * libzstd, where it is installed: loaded when first used, never linked. What is declared here is of
 * its stable interface, as it has been since version 1.4.0. A context belongs to one thread at a
 * time; the library itself has no state. The object lives as long as the process.
 *
 * Manual: zstd.h, "Advanced compression API", "Streaming".
 */
struct Libzstd {
  /** ZSTD_inBuffer and ZSTD_outBuffer: `pos` moves forward with what was read or written. */
  struct InBuffer {
    const void* src;
    size_t size;
    size_t pos;
  };
  struct OutBuffer {
    void* dst;
    size_t size;
    size_t pos;
  };
  /** ZSTD_CCtx and ZSTD_DCtx. */
  struct CompressionContext;
  struct DecompressionContext;

  /** `major * 10000 + minor * 100 + release`. */
  unsigned (*version_number)();
  unsigned (*is_error)(size_t code);
  CompressionContext* (*create_compression)();
  size_t (*free_compression)(CompressionContext* context);
  size_t (*set_parameter)(CompressionContext* context, int parameter, int value);
  /** `end`: 0 go on, 1 flush, 2 end the frame. Returns what is still to be written, or an error. */
  size_t (*compress_stream)(CompressionContext* context, OutBuffer* out, InBuffer* in, int end);
  DecompressionContext* (*create_decompression)();
  size_t (*free_decompression)(DecompressionContext* context);
  size_t (*decompress_stream)(DecompressionContext* context, OutBuffer* out, InBuffer* in);

  /** Null where there is no usable library; `why` then states which file and what is wrong. */
  static const Libzstd* Load(std::string* why);
};

}  // namespace perf_ts
