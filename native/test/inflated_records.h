#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "../core/ring/record.h"
#include "../core/zstd/zstd_stream.h"
#include "test.h"

namespace perf_ts::test {

/** The library, or null with a word about it: it is optional. */
inline const Libzstd* LibraryForTests() {
  std::string why;
  const Libzstd* const library = Libzstd::Load(&why);
  if (library == nullptr) {
    printf("  not tried: no libzstd here\n");
    CHECK(why.find("libzstd.so.1") != std::string::npos);
  }
  return library;
}

/**
 * Returns the data in the COMPRESSED records that `bytes` are, by perf's rules: one stream, out of
 * each record something, and at most `kMaxPiece` bytes of it.
 */
inline std::vector<uint8_t> Inflated(const Libzstd* library, const std::vector<uint8_t>& bytes) {
  std::vector<uint8_t> inflated;
  const auto decompressor = ZstdDecompressor::Open(library);
  std::vector<uint8_t> room(ZstdCompressor::kMaxPiece + 1);
  size_t at = 0;
  while (at + sizeof(RecordHeader) <= bytes.size()) {
    RecordHeader header;
    memcpy(&header, bytes.data() + at, sizeof header);
    CHECK_EQUAL(header.type, kRecordCompressed);
    CHECK(header.size > sizeof header && header.size <= bytes.size() - at);
    if (header.type != kRecordCompressed || header.size > bytes.size() - at) break;
    Libzstd::InBuffer in = {bytes.data() + at, header.size, sizeof header};
    size_t count = 0;
    CHECK(decompressor->Decompress(&in, room.data(), room.size(), &count));
    CHECK_EQUAL(in.pos, header.size);
    CHECK(count > 0 && count <= ZstdCompressor::kMaxPiece);
    inflated.insert(inflated.end(), room.begin(), room.begin() + static_cast<long>(count));
    at += header.size;
  }
  CHECK_EQUAL(at, bytes.size());
  return inflated;
}

}  // namespace perf_ts::test
