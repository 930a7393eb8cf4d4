// The word with the hash of V8's flags, found in the data of this program, which goes on as V8
// does.

#include "../core/code_events/flag_hash.h"

#include <cstdint>
#include <cstring>

#include "../core/code_events/v8_memory.h"
#include "test.h"

using namespace perf_ts;

namespace {

constexpr uint32_t kHashWithout = 0x51ed270b;
constexpr uint32_t kHashWith = 0x9e3779b9;

/** V8's words; `decoy` is one that changes each time a flag is set or the tag is asked for. */
struct State {
  uint32_t hash;
  uint32_t decoy;
  uint32_t second_hash;
};
volatile State state = {kHashWithout, 0x1234, 0};
bool is_on = false;
bool has_second = false;
/** Whether the flag changes the tag. */
bool is_of_tag = true;
int decoy_steps = 0;
/** The decoy at each step goes the way of the hash first, and then another. */
constexpr uint32_t kDecoySteps[] = {0, 0x77, 5, 6, 0, 7};

void StepDecoy() {
  if (decoy_steps < 6) state.decoy = kDecoySteps[decoy_steps++];
}

void SetFlags(const char* flag) {
  const bool on = strncmp(flag, "--no-", 5) != 0;
  if (on != is_on) {
    state.hash = 0;
    if (has_second) state.second_hash = 0;
  }
  is_on = on;
  StepDecoy();
}

uint32_t GetTag() {
  const uint32_t hash = is_on && is_of_tag ? kHashWith : kHashWithout;
  if (state.hash == 0) state.hash = hash;
  if (has_second && state.second_hash == 0) state.second_hash = hash;
  StepDecoy();
  return state.hash ^ 0xabcdef;
}

void Begin() {
  is_on = has_second = false;
  is_of_tag = true;
  state.hash = kHashWithout;
  state.second_hash = 0;
  state.decoy = 0x1234;
  // The first question of all comes before the first flag.
  decoy_steps = 6;
  GetTag();
}

void Set() {
  SetFlagWithinHash(SetFlags, GetTag, "--frames", "--no-frames");
}

}  // namespace

TEST("the tag is that of before once the flag is set") {
  Begin();
  const uint32_t tag = GetTag();
  Set();
  CHECK(is_on);
  CHECK(GetTag() == tag);
  CHECK(state.hash == kHashWithout);
}

TEST("a word that goes the way of the hash once is not written") {
  Begin();
  Set();
  const uint32_t hash = state.hash;
  Begin();
  has_second = false;
  // before: 0x1234; set: 0; asked: 0x77; then its own way.
  decoy_steps = 0;
  state.decoy = 0x1234;
  SetFlagWithinHash(
      SetFlags, [] { return decoy_steps == 0 ? state.hash ^ 0xabcdef : GetTag(); }, "--frames",
      "--no-frames");
  CHECK(state.decoy == 7);
  CHECK(state.hash == hash);
}

TEST("nothing is written where two words go the way of the hash") {
  Begin();
  has_second = true;
  state.second_hash = kHashWithout;
  Set();
  CHECK(is_on);
  CHECK(state.hash == kHashWith);
  CHECK(state.second_hash == kHashWith);
}

TEST("nothing is written where the tag does not go by the flag") {
  Begin();
  is_of_tag = false;
  Set();
  CHECK(is_on);
  CHECK(state.hash == kHashWithout);
}

TEST("the flag is set where V8 has no tag") {
  Begin();
  SetFlagWithinHash(SetFlags, nullptr, "--frames", "--no-frames");
  CHECK(is_on);
}

int main() {
  NoteOwnPid();
  return perf_ts::test::RunAll();
}
