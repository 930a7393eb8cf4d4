#include "kept_kernel.h"

#include <algorithm>
#include <cstring>

namespace perf_ts {

namespace {

constexpr uint64_t kMagic = 0x3031'4e52'454b'5450;  // PTKERN10
constexpr size_t kWord = sizeof(uint64_t);
constexpr size_t kHead = 3 * kWord;

uint64_t WordAt(std::string_view bytes, size_t at) {
  uint64_t word = 0;
  memcpy(&word, bytes.data() + at, std::min(kWord, bytes.size() - at));
  return word;
}

/** FNV-1a over words, in four lanes: a processor takes them side by side. */
uint64_t Checksum(std::string_view bytes) {
  constexpr uint64_t kPrime = 0x100'0000'01b3;
  uint64_t lanes[4] = {0xcbf2'9ce4'8422'2325, 1, 2, bytes.size()};
  size_t at = 0;
  for (; at + 4 * kWord <= bytes.size(); at += 4 * kWord) {
    for (size_t lane = 0; lane < 4; lane++) {
      lanes[lane] = (lanes[lane] ^ WordAt(bytes, at + lane * kWord)) * kPrime;
    }
  }
  for (; at < bytes.size(); at += kWord) lanes[0] = (lanes[0] ^ WordAt(bytes, at)) * kPrime;
  for (size_t lane = 1; lane < 4; lane++) {
    lanes[0] = (lanes[0] ^ lanes[lane] ^ (lanes[lane] >> 32)) * kPrime;
  }
  return lanes[0];
}

void AppendWord(std::string* bytes, uint64_t word) {
  bytes->append(reinterpret_cast<const char*>(&word), sizeof word);
}

}  // namespace

std::string PackKernel(std::string_view key, std::string_view proper) {
  std::string body;
  body.reserve(kWord + key.size() + proper.size());
  AppendWord(&body, key.size());
  body.append(key).append(proper);
  std::string packed;
  packed.reserve(2 * kWord + body.size());
  AppendWord(&packed, kMagic);
  AppendWord(&packed, Checksum(body));
  return packed.append(body);
}

std::string_view UnpackKernel(std::string_view packed, std::string_view key) {
  if (packed.size() < kHead + key.size() || WordAt(packed, 0) != kMagic) return {};
  if (WordAt(packed, 2 * kWord) != key.size() || packed.substr(kHead, key.size()) != key) return {};
  if (WordAt(packed, kWord) != Checksum(packed.substr(2 * kWord))) return {};
  return packed.substr(kHead + key.size());
}

}  // namespace perf_ts
