#include "v8_heap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "v8_abi.h"

namespace perf_ts {
namespace {

constexpr size_t kMostTableBytes = 1u << 20;
constexpr size_t kMostBytecodes = 1u << 20;
/** A first read has most tables as a whole. */
constexpr size_t kFirstRead = 512;
/** Positions of fewer entries may be equal by chance. */
constexpr size_t kFewestToConfirm = 4;
constexpr int kMostSearches = 8;
/** How far from a start of code its table is looked for. */
constexpr int kSearchedBytes = 0x80;
/** Bytes into the object that has both the code and its table. */
constexpr int kTableInObject = 0x18;
/** Words of a code object that are read, and of its data for deoptimization. */
constexpr size_t kCodeFields = 12;
constexpr size_t kDataFields = 12;
constexpr int kStartInCode = 0x28;
constexpr uint32_t kKindMask = 0xf;
/** Marks of the kinds, from baseline code's on. */
constexpr char kSigns[] = {'^', '+', '*'};
/** Bytes of the stack in which the function is looked for that V8 compiles code for. */
constexpr size_t kStackBytes = 16u << 10;

V8Layout LayoutOf(int major) {
  switch (major) {
    case 10:
      return {0x68, 0, 0x18, 1};
    case 11:
      return {0x08, 0x18, 0x10, 1};
    case 12:
    case 13:
      return {0x18, 0x10, 0x28, 1};
    case 14:
      return {0x18, 0x10, 0x28, 2};
    default:
      return {};
  }
}

bool AreSame(const CodePositions& read, const CodePositions& reported) {
  if (read.size() != reported.size()) return false;
  for (size_t i = 0; i < read.size(); i++) {
    if (read[i].offset != reported[i].offset || read[i].position != reported[i].position)
      return false;
  }
  return true;
}

}  // namespace

V8Heap::V8Heap() {
  NoteOwnPid();
}

void V8Heap::FindLayout() {
  if (!HasWholePointers()) return;
  const auto version =
      reinterpret_cast<v8_abi::GetVersion>(dlsym(RTLD_DEFAULT, v8_abi::kGetVersion));
  if (version != nullptr) {
    const int major = atoi(version());
    const char* minor = strchr(version(), '.');
    layout_ = LayoutOf(major);
    sizes_ = BytecodeSizes::Of(major, minor == nullptr ? 0 : atoi(minor + 1));
  }
  layout_.flags_in_code = ConstantOf("v8dbg_class_Code__flags__uint32_t", layout_.flags_in_code);
  layout_.length_in_code =
      ConstantOf("v8dbg_class_Code__instruction_size__int", layout_.length_in_code);
  layout_.baseline_kind = static_cast<uint32_t>(ConstantOf("v8dbg_CodeKindBaseline"));
  layout_.type_in_map = ConstantOf("v8dbg_class_Map__instance_type__uint16_t");
  layout_.bytecode_type = ConstantOf("v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE");
  layout_.bytecode_head = ConstantOf("v8dbg_class_BytecodeArray__data__uintptr_t");
  layout_.array_in_frame = ConstantOf("v8dbg_off_fp_bytecode_array");
  layout_.offset_in_frame = ConstantOf("v8dbg_off_fp_bytecode_offset");
}

bool V8Heap::ReadCodePositions(const void* start, size_t length, CodePositions* out) {
  uint64_t object;
  if (layout_.before_code == 0 || !FindBeforeCode(AddressOf(start), &object)) return false;
  if (layout_.in_code != 0) {
    if (!fields_.code.Read(object, layout_.in_code, &object) || (object & kTagMask) != kTag)
      return false;
    object -= kTag;
  }
  return ReadTable(&fields_.table, object, layout_.shift, length, out);
}

bool V8Heap::FindBeforeCode(uint64_t start, uint64_t* object) const {
  const uint64_t place = start - static_cast<uint64_t>(layout_.before_code);
  if (!fields_.code.is_proven()) return ReadPointer(place, object);
  *object = WordAt(place) - kTag;
  return (*object & kTagMask) == 0;
}

bool V8Heap::ReadBytecodePositions(const void* start, size_t length, CodePositions* out) {
  if (layout_.before_bytecode == 0) return false;
  // The object's own head is there.
  const uint64_t first_word = AddressOf(start) & ~uint64_t{kWord - 1};
  const uint64_t table = WordAt(first_word - static_cast<uint64_t>(layout_.before_bytecode));
  return (table & kTagMask) == kTag &&
         ReadTable(&fields_.bytecode_table, table - kTag, layout_.shift, length, out);
}

bool V8Heap::ReadBaselinePositions(const void* start, size_t length, CodePositions* out) {
  CodeFields fields;
  uint64_t array, head;
  if (!sizes_.is_known() || !ReadCodeFields(AddressOf(start), true, &fields) ||
      fields.kind != layout_.baseline_kind || (fields.table & kTagMask) != kTag) {
    return false;
  }
  const bool is_proven = FindProvenBytecode(fields.data, &array);
  if (is_proven) {
    head = WordAt(array + kWord);
  } else if (!FindBytecode(fields.data, &array) || !ReadAll(array + kWord, &head, kWord)) {
    return false;
  }
  const int64_t size = SmiOf(head);
  const uint64_t first = array + static_cast<uint64_t>(layout_.bytecode_head);
  if (size <= 0 || size > static_cast<int64_t>(kMostBytecodes)) return false;
  const auto count = static_cast<size_t>(size);
  const auto* bytecode = reinterpret_cast<const uint8_t*>(first);
  if (!is_proven) {
    if (!bytecode_.Resize(count) || !ReadAll(first, bytecode_.data(), count)) return false;
    bytecode = bytecode_.data();
  }
  Bytes table;
  return ReadBytecodePositions(reinterpret_cast<const void*>(first), count, &found_) &&
         ReadBytes(&fields_.table, fields.table - kTag, &table) &&
         DecodeBaselineTable(table, {bytecode, count}, sizes_, found_, length, out);
}

bool V8Heap::FindBytecode(uint64_t data, uint64_t* array) {
  uint64_t fields[V8Fields::kWrapperFields] = {0, data};
  // The bytecode itself, or what has it beside an entry of its own.
  for (int depth = 0; depth < 2; depth++) {
    for (size_t i = 1; i < V8Fields::kWrapperFields; i++) {
      *array = fields[i] - kTag;
      if ((fields[i] & kTagMask) != kTag || !IsBytecode(*array)) continue;
      if (depth == 0) {
        fields_.bytecode.Learn(bytecode_map_);
      } else {
        fields_.wrapper.Learn(fields[0]);
        fields_.wrapped[i].Learn(bytecode_map_);
      }
      return true;
    }
    if ((data & kTagMask) != kTag || !ReadAll(data - kTag, fields, sizeof fields)) return false;
  }
  return false;
}

bool V8Heap::FindProvenBytecode(uint64_t data, uint64_t* array) const {
  *array = data - kTag;
  if ((data & kTagMask) != kTag) return false;
  if (fields_.bytecode.LeadsTo(*array)) return true;
  if (!fields_.wrapper.LeadsTo(*array)) return false;
  for (size_t i = 1; i < V8Fields::kWrapperFields; i++) {
    if (!fields_.wrapped[i].is_proven()) continue;
    const uint64_t field = WordAt(data - kTag + i * kWord);
    *array = field - kTag;
    if ((field & kTagMask) == kTag && fields_.wrapped[i].LeadsTo(*array)) return true;
  }
  return false;
}

bool V8Heap::IsBytecode(uint64_t object) {
  uint64_t map;
  uint16_t type;
  if (layout_.bytecode_type == 0 || layout_.type_in_map <= 0 || !ReadAll(object, &map, kWord))
    return false;
  // All bytecode arrays of an isolate have the same map, which stays where it is.
  if (bytecode_map_ != 0) return map == bytecode_map_;
  const uint64_t place = map - kTag + static_cast<uint64_t>(layout_.type_in_map);
  if ((map & kTagMask) != kTag || !ReadAll(place, &type, sizeof type) ||
      type != layout_.bytecode_type) {
    return false;
  }
  bytecode_map_ = map;
  return true;
}

void V8Heap::NoteBytecode(const void* start) {
  noted_bytecode_.set(BitOf(AddressOf(start)));
}

void V8Heap::MoveBytecode(const void* from, const void* to) {
  if (noted_bytecode_.test(BitOf(AddressOf(from)))) NoteBytecode(to);
}

bool V8Heap::IsNoted(uint64_t array) const {
  return noted_bytecode_.test(BitOf(array - kTag + static_cast<uint64_t>(layout_.bytecode_head)));
}

size_t V8Heap::FindCallers(const void* frame, code_stream::Caller* out) {
  const uint64_t first = AddressOf(frame);
  if (layout_.array_in_frame == 0 || layout_.offset_in_frame == 0 || !stack_.Holds(first)) return 0;
  const uint64_t end = stack_.end() - first < kStackBytes ? stack_.end() : first + kStackBytes;
  const auto word = [first, end](uint64_t at) {
    return at >= first && at + kWord <= end ? WordAt(at) : 0;
  };
  size_t found = 0;
  uint64_t inner[2] = {0, 0};
  for (uint64_t fp = first; fp + 2 * kWord <= end;) {
    const uint64_t outer = word(fp);
    const uint64_t own = word(fp + kWord);
    if (outer <= fp || outer % kWord != 0) return found;
    const uint64_t array = word(outer + static_cast<uint64_t>(int64_t{layout_.array_in_frame}));
    const int64_t offset =
        SmiOf(word(outer + static_cast<uint64_t>(int64_t{layout_.offset_in_frame})));
    if (inner[0] != 0 && offset > 0 && (array & kTagMask) == kTag &&
        (found == 0 || IsNoted(array))) {
      // Functions wait again and again, and a look through the kernel takes longer than all else.
      uint64_t& known = known_bytecode_[array / kWord % kKnownBytecodes];
      if (known == array || IsBytecode(array - kTag)) {
        known = array;
        out[found++] = {array + static_cast<uint64_t>(offset),
                        {inner[0], inner[1], own, word(outer + kWord)}};
        if (found == kMostCallers || IsNoted(array)) return found;
      }
    }
    inner[0] = inner[1];
    inner[1] = own;
    fp = outer;
  }
  return found;
}

bool V8Heap::ReadBytes(V8Field* field, uint64_t array, Bytes* out) {
  const bool is_proven = field->LeadsTo(array);
  ssize_t read = kArrayHead;
  uint64_t head[2];
  if (is_proven) {
    head[1] = WordAt(array + kWord);
  } else {
    if (!bytes_.Resize(kFirstRead)) return false;
    read = ReadSome(array, bytes_.data(), kFirstRead);
    if (read <= static_cast<ssize_t>(kArrayHead)) return false;
    memcpy(head, bytes_.data(), sizeof head);
  }
  const int64_t size = SmiOf(head[1]);
  if (size <= 0 || size > static_cast<int64_t>(kMostTableBytes)) return false;
  const size_t whole = kArrayHead + static_cast<size_t>(size);
  if (is_proven) {
    *out = {reinterpret_cast<const uint8_t*>(array + kArrayHead), static_cast<size_t>(size)};
    return true;
  }
  if (whole > static_cast<size_t>(read) &&
      (!bytes_.Resize(whole) || !ReadAll(array, bytes_.data(), whole))) {
    return false;
  }
  field->Learn(head[0]);
  *out = {bytes_.data() + kArrayHead, static_cast<size_t>(size)};
  return true;
}

bool V8Heap::ReadTable(V8Field* field, uint64_t array, int shift, size_t code_length,
                       CodePositions* out) {
  Bytes table;
  return ReadBytes(field, array, &table) &&
         DecodePositionTable(table.data, table.size, shift, code_length, out);
}

uint64_t V8Heap::code_head() const {
  // The pointer to the code object is the field behind the map.
  return static_cast<uint64_t>(layout_.before_code) +
         (layout_.in_code == 0 ? kTableInObject : kWord);
}

size_t V8Heap::ReadWords(uint64_t address, uint64_t* to, size_t count) {
  const ssize_t read = ReadSome(address, to, count * kWord);
  return read < 0 ? 0 : static_cast<size_t>(read) / kWord;
}

bool V8Heap::ReadCodeFields(uint64_t start, bool announced, CodeFields* out) {
  if (layout_.before_code == 0 || layout_.baseline_kind == 0) return false;
  uint64_t object = start - code_head();
  const bool is_apart = layout_.in_code != 0;
  if (is_apart && !(announced ? FindBeforeCode(start, &object)
                              : ReadPointer(start - layout_.before_code, &object))) {
    return false;
  }
  uint8_t copy[kCodeFields * kWord];
  const bool is_proven = announced && is_apart && fields_.code.LeadsTo(object);
  const uint8_t* fields = is_proven ? reinterpret_cast<const uint8_t*>(object) : copy;
  if (!is_proven && !ReadAll(object, copy, sizeof copy)) return false;
  // The places come from the program and from a search: they may lie behind what was read.
  const auto read = [fields](int at, auto* to) {
    if (at < 0 || static_cast<size_t>(at) > sizeof copy - sizeof *to) return false;
    memcpy(to, fields + at, sizeof *to);
    return true;
  };
  uint64_t own_start = 0;
  uint32_t length, flags;
  const int table = is_apart ? layout_.in_code : kTableInObject;
  if (!read(kStartInCode, &own_start) || !read(layout_.length_in_code, &length) ||
      !read(layout_.flags_in_code, &flags) || !read(table, &out->table) ||
      !read(table - static_cast<int>(kWord), &out->data)) {
    return false;
  }
  out->length = length;
  out->kind = flags & kKindMask;
  if (is_apart && own_start != start) return false;
  if (is_apart && announced && !is_proven) fields_.code.Learn(WordAt(AddressOf(copy)));
  return true;
}

bool V8Heap::LearnCodeObjects(uint64_t start, uint64_t shared) {
  CodeFields fields;
  return ReadCodeFields(start, false, &fields) && ReadAll(start - code_head(), &code_map_, kWord) &&
         (code_map_ & kTagMask) == kTag && ReadAll(shared - kTag, &shared_map_, kWord) &&
         (shared_map_ & kTagMask) == kTag;
}

bool V8Heap::ReadCodeObject(uint64_t start, CodeObject* out) {
  CodeFields fields;
  if (!ReadCodeFields(start, false, &fields) || fields.kind <= layout_.baseline_kind) return false;
  const uint32_t compiler = fields.kind - layout_.baseline_kind;
  if (compiler >= sizeof kSigns || !FindShared(fields.data, &out->shared)) return false;
  out->start = start;
  out->length = fields.length;
  out->sign = kSigns[compiler];
  return true;
}

bool V8Heap::FindShared(uint64_t data, uint64_t* shared) {
  uint64_t fields[kDataFields];
  if ((data & kTagMask) != kTag || !ReadAll(data - kTag, fields, sizeof fields)) return false;
  for (const uint64_t field : fields) {
    uint64_t object[2];
    uint64_t map;
    if ((field & kTagMask) != kTag || !ReadAll(field - kTag, object, sizeof object)) continue;
    *shared = field;
    if (object[0] == shared_map_) return true;
    // Since V8 13 the function is in an object of its own.
    *shared = object[1];
    if ((*shared & kTagMask) == kTag && ReadAll(*shared - kTag, &map, kWord) && map == shared_map_)
      return true;
  }
  return false;
}

void V8Heap::Confirm(const void* start, size_t length, const CodePositions& reported) {
  if (is_confirmed_ || reported.size() < kFewestToConfirm) return;
  is_confirmed_ = (ReadCodePositions(start, length, &found_) && AreSame(found_, reported)) ||
                  (searches_++ < kMostSearches && Search(AddressOf(start), length, reported));
  if (!is_confirmed_) layout_ = {};
}

bool V8Heap::TryLayout(V8Layout layout, uint64_t start, size_t length, CodePositions* out) {
  uint64_t object;
  V8Field unproven;
  return ReadPointer(start - static_cast<uint64_t>(layout.before_code), &object) &&
         (layout.in_code == 0 ||
          ReadPointer(object + static_cast<uint64_t>(layout.in_code), &object)) &&
         ReadTable(&unproven, object, layout.shift, length, out);
}

bool V8Heap::Search(uint64_t start, size_t length, const CodePositions& reported) {
  for (int shift = 1; shift <= 2; shift++) {
    for (int before = kWord; before <= kSearchedBytes; before += kWord) {
      for (int in = 0; in <= kSearchedBytes; in += kWord) {
        V8Layout layout = layout_;
        layout.before_code = before;
        layout.in_code = in;
        layout.before_bytecode = 0;
        layout.shift = shift;
        if (TryLayout(layout, start, length, &found_) && AreSame(found_, reported)) {
          layout_ = layout;
          fields_ = {};
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace perf_ts
