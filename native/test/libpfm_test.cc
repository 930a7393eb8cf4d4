// Against the installed libpfm4, all models of it. Without one, that loading says what is missing.

#include "../core/names/libpfm.h"

#include <stdlib.h>
#include <string.h>

#include <string>

#include "test.h"

using perf_ts::Libpfm;
using perf_ts::PfmEncoding;
using perf_ts::PfmEvent;
using perf_ts::PfmModel;

namespace {

constexpr int kKernelAndUser = 1 + 8;
constexpr int kNotFound = -4;
constexpr int kModifiersOfPerf = 2;

/** Null, with a word about it, where there is none: the library is optional. */
const Libpfm* Library() {
  std::string why;
  // Encode names of models that are not in this machine.
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  const Libpfm* const library = Libpfm::Load(&why);
  if (library == nullptr) {
    printf("  not tried: no libpfm here\n");
    CHECK(why.find("libpfm.so.4") != std::string::npos);
  }
  return library;
}

uint32_t Word(const std::vector<uint8_t>& attr, size_t offset) {
  uint32_t word = 0;
  memcpy(&word, attr.data() + offset, sizeof word);
  return word;
}

}  // namespace

TEST("every model tells as many events as it says, each with its own index") {
  const Libpfm* const library = Library();
  if (library == nullptr) return;
  const auto models = library->Models();
  CHECK(models.size() > 50);
  for (const PfmModel& model : models) {
    // Generic events of the kernel are counted without their aliases.
    const auto events = library->Events(model.id);
    if (model.type != 3) CHECK_EQUAL(events.size(), model.event_count);
    for (size_t i = 1; i < events.size(); i++) CHECK(events[i].index > events[i - 1].index);
  }
  CHECK(library->Events(1 << 20).empty());
}

TEST("an attr has its size, its type and its exclusions in place") {
  const Libpfm* const library = Library();
  if (library == nullptr) return;
  const PfmEncoding faults = library->EncodeAttr("perf::PERF_COUNT_SW_PAGE_FAULTS:u", 9);
  CHECK_EQUAL(faults.error, 0);
  CHECK_EQUAL(faults.attr.size(), Libpfm::kAttrBytes);
  CHECK_EQUAL(Word(faults.attr, 0), 1);
  CHECK_EQUAL(Word(faults.attr, 4), Libpfm::kAttrBytes);
  CHECK_EQUAL(Word(faults.attr, 8), 2);
  // exclude_user is bit 4 of the flags, exclude_kernel bit 5.
  CHECK_EQUAL(Word(faults.attr, 40) >> 4 & 3, 2);
  CHECK(faults.full_name.rfind("perf::PERF_COUNT_SW_PAGE_FAULTS:u=1:k=0", 0) == 0);
}

TEST("each event's first unit mask encodes, or the library says why not") {
  const Libpfm* const library = Library();
  if (library == nullptr) return;
  size_t encoded = 0, refused = 0;
  for (const PfmModel& model : library->Models()) {
    if (model.type != 1) continue;
    for (const PfmEvent& event : library->Events(model.id)) {
      std::string name = model.name + "::" + event.name;
      if (!event.attributes.empty() && event.attributes[0].control != kModifiersOfPerf &&
          event.attributes[0].type == 1) {
        name += ":" + event.attributes[0].name;
      }
      const PfmEncoding attr = library->EncodeAttr(name, kKernelAndUser);
      CHECK_EQUAL(attr.error == 0, attr.message.empty());
      (attr.error == 0 ? encoded : refused)++;
    }
  }
  CHECK(encoded > 100);
  printf("  %zu names encode, %zu are refused\n", encoded, refused);
}

TEST("names of all sorts are refused without harm") {
  const Libpfm* const library = Library();
  if (library == nullptr) return;
  const std::string names[] = {"",
                               ":",
                               "::",
                               "nothing::",
                               "::nothing",
                               "a:b:c=:d",
                               std::string(100'000, 'x'),
                               std::string("perf::") + '\0' + "x"};
  for (const std::string& name : names) {
    const PfmEncoding attr = library->EncodeAttr(name, kKernelAndUser);
    CHECK(attr.error < 0);
    CHECK(attr.attr.empty());
    CHECK(!attr.message.empty());
  }
  CHECK_EQUAL(library->EncodeAttr("no_such_event", 9).error, kNotFound);
}

int main() {
  return perf_ts::test::RunAll();
}
