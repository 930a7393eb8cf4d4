// Machine code that V8 left out of its listing, found in pages of this process that look like V8's.

#include "../core/code_events/unlisted_code.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "test.h"

using namespace perf_ts;
using namespace perf_ts::v8_abi;

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kPages = 600;

uint64_t Tagged(const void* object) {
  return reinterpret_cast<uintptr_t>(object) + 1;
}

struct Object {
  uint64_t words[16] = {};
};

enum class Kind { kBaseline = 10, kMaglev = 11, kTurboFan = 12 };

/** V8's heap as far as it is read: maps, functions, and pages for code of which most are not there.
 */
class FakeV8 {
 public:
  /** Layout of V8 12; `is_wrapped`: of V8 13, which has the function in an object of its own. */
  explicit FakeV8(bool is_wrapped = false) : is_wrapped_(is_wrapped) {
    pages_ = static_cast<uint8_t*>(
        mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    V8Layout layout = {0x18, 0x10, 0x28, 1};
    layout.flags_in_code = 0x30;
    layout.length_in_code = 0x34;
    layout.baseline_kind = static_cast<uint32_t>(Kind::kBaseline);
    heap.set_layout(layout);
  }
  ~FakeV8() {
    munmap(pages_, kPages * kPage);
    for (Object* object : objects_) delete object;
  }

  MemoryRange range() const { return {pages_, kPages * kPage}; }
  bool IsResident(size_t page) const {
    unsigned char residence = 0;
    mincore(pages_ + page * kPage, kPage, &residence);
    return (residence & 1) != 0;
  }

  /** A function's SharedFunctionInfo, as V8's pointer. */
  uint64_t MakeFunction() {
    Object* function = Make();
    function->words[0] = Tagged(&shared_map_);
    return Tagged(function);
  }

  /** Code in a page, `at` bytes behind its start; its first instruction. */
  uint64_t MakeCode(size_t page, size_t at, Kind kind, uint64_t shared, uint32_t length) {
    Object* data = Make();
    data->words[2] = Tagged(Make());
    data->words[8] = shared;
    if (is_wrapped_) {
      Object* wrapper = Make();
      wrapper->words[1] = shared;
      data->words[8] = Tagged(wrapper);
    }
    auto* stream = reinterpret_cast<uint64_t*>(pages_ + page * kPage + at);
    const uint64_t start = reinterpret_cast<uintptr_t>(stream + 4);
    Object* code = Make();
    code->words[1] = Tagged(data);
    code->words[5] = start;
    code->words[6] = uint64_t{length} << 32 | 0x1d0 | static_cast<uint32_t>(kind);
    stream[0] = Tagged(&code_map_);
    stream[1] = Tagged(code);
    return start;
  }

  V8Heap heap;

 private:
  Object* Make() {
    objects_.push_back(new Object());
    return objects_.back();
  }

  bool is_wrapped_;
  uint8_t* pages_;
  std::vector<Object*> objects_;
  Object code_map_;
  Object shared_map_;
};

CodeEvent EventOf(CodeType type, uint64_t start, const uint64_t* shared, const char* name) {
  CodeEvent event = {};
  event.type = EventType::kCodeAdded;
  event.code_type = type;
  event.code_start = reinterpret_cast<void*>(start);
  event.script = const_cast<uint64_t*>(shared);
  event.name.text = name;
  event.name.length = strlen(name);
  return event;
}

struct Found {
  std::string name;
  uint64_t start;
  uint64_t length;
  uint64_t shared;
};

std::vector<Found> Find(UnlistedCode* unlisted, const FakeV8& v8) {
  std::vector<Found> found;
  const MemoryRange range = v8.range();
  unlisted->Find(
      &range, 1,
      [](void* context, const CodeEvent& event) {
        uint64_t shared;
        memcpy(&shared, event.script, sizeof shared);
        static_cast<std::vector<Found>*>(context)->push_back(
            {std::string(event.name.text, event.name.length),
             reinterpret_cast<uintptr_t>(event.code_start), event.code_length, shared});
      },
      &found);
  return found;
}

/** Finds the code of one function behind the listing of its bytecode and of other baseline code. */
void CheckFound(FakeV8* v8, Kind kind, const char* name) {
  const uint64_t server = v8->MakeFunction();
  const uint64_t loop = v8->MakeFunction();
  const uint64_t listed = v8->MakeCode(3, 0, Kind::kBaseline, server, 64);
  const uint64_t start = v8->MakeCode(530, 96, kind, loop, 800);
  UnlistedCode unlisted(&v8->heap);
  unlisted.Note(EventOf(CodeType::kByteCode, 0x1000, &loop, "JS:~loop /app/a.mjs:3:1"));
  unlisted.Note(EventOf(CodeType::kMachineCode, listed, &server, "JS:^server /app/a.mjs:9:1"));
  const std::vector<Found> found = Find(&unlisted, *v8);
  CHECK_EQUAL(found.size(), 1);
  if (found.size() != 1) return;
  CHECK(found[0].name == name);
  CHECK_EQUAL(found[0].start, start);
  CHECK_EQUAL(found[0].length, 800);
  CHECK_EQUAL(found[0].shared, loop);
}

}  // namespace

TEST("a loop's own code has its function's name, with the mark of the compiler") {
  FakeV8 v8;
  CheckFound(&v8, Kind::kTurboFan, "JS:*loop /app/a.mjs:3:1");
  FakeV8 v8_13(true);
  CheckFound(&v8_13, Kind::kMaglev, "JS:+loop /app/a.mjs:3:1");
}

TEST(
    "the search leaves out listed code, baseline code and code of functions that V8 has not "
    "listed") {
  FakeV8 v8;
  const uint64_t function = v8.MakeFunction();
  const uint64_t other = v8.MakeFunction();
  const uint64_t listed = v8.MakeCode(0, 0, Kind::kTurboFan, function, 100);
  v8.MakeCode(0, 256, Kind::kBaseline, function, 100);
  v8.MakeCode(0, 512, Kind::kTurboFan, other, 100);
  UnlistedCode unlisted(&v8.heap);
  unlisted.Note(EventOf(CodeType::kMachineCode, listed, &function, "JS:*f /app/a.mjs:1:1"));
  CHECK_EQUAL(Find(&unlisted, v8).size(), 0);
}

TEST("code is not searched for where nothing listed shows how its objects begin") {
  FakeV8 v8;
  const uint64_t function = v8.MakeFunction();
  v8.MakeCode(0, 0, Kind::kTurboFan, function, 100);
  UnlistedCode unlisted(&v8.heap);
  unlisted.Note(EventOf(CodeType::kByteCode, 0x1000, &function, "JS:~f /app/a.mjs:1:1"));
  CHECK_EQUAL(Find(&unlisted, v8).size(), 0);
}

TEST("the search makes no page of V8's reservation resident") {
  FakeV8 v8;
  CheckFound(&v8, Kind::kTurboFan, "JS:*loop /app/a.mjs:3:1");
  size_t resident = 0;
  for (size_t page = 0; page < kPages; page++) resident += v8.IsResident(page) ? 1 : 0;
  CHECK_EQUAL(resident, 2);
}

int main() {
  return perf_ts::test::RunAll();
}

TEST("places of fields behind what is read of a code object find nothing") {
  const int places[][3] = {{0x78, 0x30, 0x34},
                           {0x10, 0x5e, 0x34},
                           {0x10, 0x30, 0x1000},
                           {0x10, -8, 0x34},
                           {0x00, 0x30, 0x34}};
  for (const auto& [in_code, flags, length] : places) {
    FakeV8 v8;
    const uint64_t start = v8.MakeCode(3, 0, Kind::kTurboFan, v8.MakeFunction(), 64);
    V8Layout layout = {0x18, in_code, 0x28, 1};
    layout.flags_in_code = flags;
    layout.length_in_code = length;
    layout.baseline_kind = static_cast<uint32_t>(Kind::kBaseline);
    v8.heap.set_layout(layout);
    V8Heap::CodeObject object;
    CHECK(!v8.heap.ReadCodeObject(start, &object));
  }
}
