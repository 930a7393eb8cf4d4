// Every name of the installed libpfm, with its codes and its attr as native/core/names/libpfm.cc gives them; a
// line each:
//   name <tab> 1 core, 2 uncore <tab> codes <tab> error type config config1 config2 flags period

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "../../native/core/names/libpfm.h"

using perf_ts::Libpfm;
using perf_ts::PfmEncoding;

namespace {

constexpr int kKernelAndUser = 1 + 8;
constexpr int kOsGeneric = 3;
constexpr int kUnitMask = 1;

void Print(const Libpfm& library, const std::string& name, int type) {
  std::string codes;
  for (const uint64_t code : library.EncodeCodes(name, kKernelAndUser).codes) {
    char text[24];
    snprintf(text, sizeof text, "%s0x%" PRIx64, codes.empty() ? "" : " ", code);
    codes += text;
  }
  const PfmEncoding attr = library.EncodeAttr(name, kKernelAndUser);
  uint32_t attr_type = 0;
  uint64_t words[5] = {};
  if (attr.error == 0) {
    constexpr size_t kOffsets[5] = {8, 56, 64, 40, 16};
    memcpy(&attr_type, attr.attr.data(), sizeof attr_type);
    for (int i = 0; i < 5; i++) memcpy(&words[i], attr.attr.data() + kOffsets[i], sizeof words[i]);
  }
  printf("%s\t%d\t%s\t%d %u", name.c_str(), type, codes.c_str(), attr.error, attr_type);
  for (const uint64_t word : words) printf(" %" PRIx64, word);
  printf("\n");
}

}  // namespace

int main() {
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  std::string why;
  const Libpfm* const library = Libpfm::Load(&why);
  if (library == nullptr) {
    fprintf(stderr, "%s\n", why.c_str());
    return 1;
  }
  for (const auto& model : library->Models()) {
    if (model.type == kOsGeneric) continue;
    for (const auto& event : library->Events(model.id)) {
      const std::string name = model.name + "::" + event.name;
      bool has_masks = false;
      for (const auto& attribute : event.attributes) {
        if (attribute.type != kUnitMask) continue;
        has_masks = true;
        Print(*library, name + ":" + attribute.name, model.type);
      }
      if (!has_masks) Print(*library, name, model.type);
    }
  }
  return 0;
}
