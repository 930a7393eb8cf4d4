// Interpreted functions that wait for V8, found on stacks that look like those of V8's compiler.

#include <cstdint>

#include "../core/code_events/v8_heap.h"
#include "test.h"

using namespace perf_ts;

namespace {

constexpr int kBytecodeType = 0xb1;
constexpr size_t kWords = 64;

/** Frames of C++ below the frame of an interpreted function, at bytecode 0x2a from its array's tag.
 */
class FakeStack {
 public:
  FakeStack() {
    map_[1] = kBytecodeType;
    array_[0] = AddressOf(map_) + 1;
    SetFrame(0, 8, 0xc1);
    SetFrame(8, 16, 0xc2);
    SetFrame(16, kFunction, 0xe1);
    SetFrame(kFunction, kCaller, 0xe2);
    words[kFunction - 4] = array();
    words[kFunction - 5] = uint64_t{0x2a} << 32;
  }

  uint64_t array() const { return AddressOf(array_) + 1; }
  void SetMapType(uint64_t type) { map_[1] = type; }

  /** Finds from the innermost frame, in a V8 whose frames have these slots. */
  bool Find(code_stream::Caller* out, int array_slot = -32) {
    V8Heap heap;
    code_stream::Caller found[V8Heap::kMostCallers];
    const size_t count = FindAll(&heap, found, array_slot);
    if (count > 0) *out = found[0];
    return count == 1;
  }

  size_t FindAll(V8Heap* heap, code_stream::Caller* out, int array_slot = -32) {
    V8Layout layout;
    layout.type_in_map = 8;
    layout.bytecode_type = kBytecodeType;
    layout.array_in_frame = array_slot;
    layout.offset_in_frame = -40;
    layout.bytecode_head = kHead;
    heap->set_layout(layout);
    return heap->FindCallers(words, out);
  }

  /** Makes the function's caller an interpreted one as well, at bytecode 0x51. */
  void AddOuter() {
    outer_[0] = AddressOf(map_) + 1;
    SetFrame(kCaller, 60, 0xe3);
    words[kCaller - 4] = AddressOf(outer_) + 1;
    words[kCaller - 5] = uint64_t{0x51} << 32;
  }

  const void* bytecode() const { return reinterpret_cast<const char*>(array_) + kHead; }
  const void* outer_bytecode() const { return reinterpret_cast<const char*>(outer_) + kHead; }
  uint64_t outer() const { return AddressOf(outer_) + 1; }

  static constexpr int kHead = 16;
  static constexpr size_t kFunction = 32;
  static constexpr size_t kCaller = 48;
  uint64_t words[kWords] = {};

 private:
  void SetFrame(size_t at, size_t outer, uint64_t return_address) {
    words[at] = AddressOf(&words[outer]);
    words[at + 1] = return_address;
  }

  uint64_t map_[2] = {};
  uint64_t array_[4] = {};
  uint64_t outer_[4] = {};
};

}  // namespace

TEST("an interpreted function that waits is found with its bytecode and the frames around it") {
  FakeStack stack;
  code_stream::Caller caller = {};
  CHECK(stack.Find(&caller));
  CHECK_EQUAL(caller.bytecode, stack.array() + 0x2a);
  CHECK_EQUAL(caller.addresses[0], 0xc1u);
  CHECK_EQUAL(caller.addresses[1], 0xc2u);
  CHECK_EQUAL(caller.addresses[2], 0xe1u);
  CHECK_EQUAL(caller.addresses[3], 0xe2u);
}

TEST("a frame whose slots lead to no bytecode is of no interpreted function") {
  code_stream::Caller caller = {};
  FakeStack other;
  other.SetMapType(kBytecodeType + 1);
  CHECK(!other.Find(&caller));
  FakeStack untagged;
  untagged.words[FakeStack::kFunction - 4]--;
  CHECK(!untagged.Find(&caller));
  FakeStack nowhere;
  nowhere.words[FakeStack::kFunction - 4] = 0x11;
  CHECK(!nowhere.Find(&caller));
  FakeStack pointer;
  pointer.words[FakeStack::kFunction - 5] |= 1;
  CHECK(!pointer.Find(&caller));
}

TEST("the walk ends where frame pointers do, and without slots it does not begin") {
  code_stream::Caller caller = {};
  FakeStack cut;
  cut.words[16] = 0;
  CHECK(!cut.Find(&caller));
  FakeStack back;
  back.words[16] = AddressOf(back.words);
  CHECK(!back.Find(&caller));
  FakeStack unknown;
  CHECK(!unknown.Find(&caller, 0));
}

TEST("the innermost function outside Node comes behind one of Node that waits") {
  code_stream::Caller found[V8Heap::kMostCallers] = {};
  FakeStack stack;
  stack.AddOuter();
  V8Heap node;
  CHECK_EQUAL(stack.FindAll(&node, found), 1u);
  V8Heap both;
  both.NoteBytecode(stack.outer_bytecode());
  CHECK_EQUAL(stack.FindAll(&both, found), 2u);
  CHECK_EQUAL(found[0].bytecode, stack.array() + 0x2a);
  CHECK_EQUAL(found[1].bytecode, stack.outer() + 0x51);
  CHECK_EQUAL(found[1].addresses[1], 0xe1u);
  CHECK_EQUAL(found[1].addresses[2], 0xe2u);
  CHECK_EQUAL(found[1].addresses[3], 0xe3u);
  V8Heap moved;
  moved.NoteBytecode(stack.words);
  moved.MoveBytecode(stack.words, stack.outer_bytecode());
  CHECK_EQUAL(stack.FindAll(&moved, found), 2u);
  V8Heap own;
  own.NoteBytecode(stack.bytecode());
  own.NoteBytecode(stack.outer_bytecode());
  CHECK_EQUAL(stack.FindAll(&own, found), 1u);
}

int main() {
  return perf_ts::test::RunAll();
}
