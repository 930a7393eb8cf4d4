#include "v8_heap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

#include "v8_abi.h"

namespace perf_ts {
namespace {

constexpr size_t kWord = 8;
/** A pointer to an object ends in these bits; a small integer is the upper half of a word. */
constexpr uint64_t kTagMask = 3;
constexpr uint64_t kTag = 1;
constexpr int kSmiShiftSize = 31;
/** The head of arrays and sequential strings has their map and length; the bytes follow. */
constexpr size_t kArrayHead = 16;
constexpr size_t kMostTableBytes = 1u << 20;
constexpr size_t kMostBytecodes = 1u << 20;
constexpr size_t kMostLines = 1u << 21;
constexpr size_t kMostMapBytes = 16u << 20;
constexpr size_t kMostUrlBytes = 4u << 10;
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
/** Words of the object between a function and its bytecode. */
constexpr size_t kWrapperFields = 3;
constexpr int kStartInCode = 0x28;
constexpr uint32_t kKindMask = 0xf;
/** Marks of the kinds, from baseline code's on. */
constexpr char kSigns[] = {'^', '+', '*'};
/** Words of a Script; which of its fields is the URL of the map differs by version. */
constexpr size_t kScriptFields = 20;
/** Words of the stack in which the function is looked for that V8 compiles code for. */
constexpr size_t kStackWords = 2048;
constexpr char kInlineMap[] = "data:application/json";

/** Every read names this process, and to ask for it each time would be a second system call. */
std::atomic<pid_t> own_pid;

/** Reads pieces of this process's memory, up to the first that is not there; −1 for none at all. */
ssize_t ReadPieces(const iovec* here, const iovec* there, size_t count) {
  return syscall(SYS_process_vm_readv, own_pid.load(std::memory_order_relaxed), here, count, there,
                 count, 0ul);
}

/** Reads up to `size` bytes of this process's memory; −1 where there is none. */
ssize_t ReadSome(uint64_t address, void* to, size_t size) {
  const iovec here = {to, size};
  const iovec there = {reinterpret_cast<void*>(address), size};
  return ReadPieces(&here, &there, 1);
}

bool ReadAll(uint64_t address, void* to, size_t size) {
  return ReadSome(address, to, size) == static_cast<ssize_t>(size);
}

bool ReadPointer(uint64_t address, uint64_t* object) {
  if (!ReadAll(address, object, kWord) || (*object & kTagMask) != kTag) return false;
  *object -= kTag;
  return true;
}

/** The value of a small integer; −1 if the word is none, or negative. */
int64_t SmiOf(uint64_t word) {
  return (word & 0xffffffff) == 0 && word >> 63 == 0 ? static_cast<int64_t>(word >> 32) : -1;
}

uint64_t AddressOf(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

/** A constant that the program has for debuggers. */
int ConstantOf(const char* name, int without = 0) {
  const void* symbol = dlsym(RTLD_DEFAULT, name);
  return symbol == nullptr ? without : *static_cast<const int*>(symbol);
}

/** All of them, or none: `kind` is −1 where one is missing. */
V8Strings FindStrings() {
  const auto find = [](const char* name) { return ConstantOf(name, -1); };
  const int encoding_mask = find("v8dbg_StringEncodingMask");
  const int one_byte = find("v8dbg_OneByteStringTag");
  const int shape_mask = find("v8dbg_StringRepresentationMask");
  const int sequential = find("v8dbg_SeqStringTag");
  V8Strings strings;
  strings.length = find("v8dbg_class_String__length__int32_t");
  strings.chars = find("v8dbg_class_SeqOneByteString__chars__char");
  strings.first_other_type = find("v8dbg_FirstNonstringType");
  const bool is_known = encoding_mask > 0 && one_byte >= 0 && shape_mask > 0 && sequential >= 0 &&
                        strings.length > 0 && strings.chars > 0 && strings.first_other_type > 0;
  if (!is_known) return strings;
  strings.kind_mask = encoding_mask | shape_mask;
  strings.kind = one_byte | sequential;
  return strings;
}

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
  own_pid.store(getpid(), std::memory_order_relaxed);
}

void V8Heap::FindLayout() {
  // Its name has changed with V8's types.
  constexpr const char* kScript[] = {
      "v8dbg_class_SharedFunctionInfo__script__Tagged_HeapObject_",
      "v8dbg_class_SharedFunctionInfo__script__HeapObject",
      "v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject"};
  // Pointers of other builds are half as long.
  if (ConstantOf("v8dbg_SmiShiftSize") != kSmiShiftSize) return;
  for (const char* name : kScript) {
    if (script_in_shared_ == 0) script_in_shared_ = ConstantOf(name);
  }
  line_ends_in_script_ = ConstantOf("v8dbg_class_Script__line_ends__Object");
  const auto version =
      reinterpret_cast<v8_abi::GetVersion>(dlsym(RTLD_DEFAULT, v8_abi::kGetVersion));
  if (version != nullptr) {
    const int major = atoi(version());
    const char* minor = strchr(version(), '.');
    layout_ = LayoutOf(major);
    sizes_ = BytecodeSizes::Of(major, minor == nullptr ? 0 : atoi(minor + 1));
  }
  strings_ = FindStrings();
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
  return layout_.before_code != 0 && ReadCodePositions(layout_, AddressOf(start), length, out);
}

bool V8Heap::ReadCodePositions(V8Layout layout, uint64_t start, size_t length, CodePositions* out) {
  uint64_t object;
  if (!ReadPointer(start - layout.before_code, &object)) return false;
  if (layout.in_code != 0 && !ReadPointer(object + layout.in_code, &object)) return false;
  return ReadTable(object, layout.shift, length, out);
}

bool V8Heap::ReadBytecodePositions(const void* start, size_t length, CodePositions* out) {
  if (layout_.before_bytecode == 0) return false;
  const uint64_t place = (AddressOf(start) & ~uint64_t{kWord - 1}) - layout_.before_bytecode;
  // The object's own head is there, and each function has one: a system call for it would be felt.
  uint64_t table;
  memcpy(&table, reinterpret_cast<const void*>(place), kWord);
  return (table & kTagMask) == kTag && ReadTable(table - kTag, layout_.shift, length, out);
}

bool V8Heap::ReadBaselinePositions(const void* start, size_t length, CodePositions* out) {
  CodeFields fields;
  uint64_t array, head;
  if (!sizes_.is_known() || !ReadCodeFields(AddressOf(start), &fields) ||
      fields.kind != layout_.baseline_kind || (fields.table & kTagMask) != kTag ||
      !FindBytecode(fields.data, &array) || !ReadAll(array + kWord, &head, kWord)) {
    return false;
  }
  const int64_t size = SmiOf(head);
  const uint64_t first = array + static_cast<uint64_t>(layout_.bytecode_head);
  if (size <= 0 || size > static_cast<int64_t>(kMostBytecodes)) return false;
  const auto count = static_cast<size_t>(size);
  Bytes table;
  return bytecode_.Resize(count) && ReadAll(first, bytecode_.data(), count) &&
         ReadBytecodePositions(reinterpret_cast<const void*>(first), count, &found_) &&
         ReadBytes(fields.table - kTag, &table) &&
         DecodeBaselineTable(table, {bytecode_.data(), count}, sizes_, found_, length, out);
}

bool V8Heap::FindBytecode(uint64_t data, uint64_t* array) {
  uint64_t fields[kWrapperFields] = {0, data};
  // The bytecode itself, or what has it beside an entry of its own.
  for (int depth = 0; depth < 2; depth++) {
    for (size_t i = 1; i < kWrapperFields; i++) {
      *array = fields[i] - kTag;
      if ((fields[i] & kTagMask) == kTag && IsBytecode(*array)) return true;
    }
    if ((data & kTagMask) != kTag || !ReadAll(data - kTag, fields, sizeof fields)) return false;
  }
  return false;
}

bool V8Heap::IsBytecode(uint64_t object) {
  uint64_t map;
  uint16_t type;
  return layout_.bytecode_type != 0 && layout_.type_in_map > 0 && ReadPointer(object, &map) &&
         ReadAll(map + static_cast<uint64_t>(layout_.type_in_map), &type, sizeof type) &&
         type == layout_.bytecode_type;
}

bool V8Heap::FindCaller(const void* frame, code_stream::Caller* out) {
  if (layout_.array_in_frame == 0 || layout_.offset_in_frame == 0 || !stack_.Resize(kStackWords))
    return false;
  const uint64_t first = AddressOf(frame);
  const uint64_t end = first + ReadWords(first, stack_.data(), kStackWords) * kWord;
  const auto word = [this, first, end](uint64_t at) {
    return at >= first && at + kWord <= end ? stack_[(at - first) / kWord] : 0;
  };
  uint64_t inner[2] = {0, 0};
  for (uint64_t fp = first; fp + 2 * kWord <= end;) {
    const uint64_t outer = word(fp);
    const uint64_t own = word(fp + kWord);
    if (outer <= fp || outer % kWord != 0) return false;
    const uint64_t array = word(outer + static_cast<uint64_t>(int64_t{layout_.array_in_frame}));
    const int64_t offset =
        SmiOf(word(outer + static_cast<uint64_t>(int64_t{layout_.offset_in_frame})));
    if (inner[0] != 0 && offset > 0 && (array & kTagMask) == kTag && IsBytecode(array - kTag)) {
      *out = {array + static_cast<uint64_t>(offset),
              {inner[0], inner[1], own, word(outer + kWord)}};
      return true;
    }
    inner[0] = inner[1];
    inner[1] = own;
    fp = outer;
  }
  return false;
}

bool V8Heap::ReadBytes(uint64_t array, Bytes* out) {
  if (!bytes_.Resize(kFirstRead)) return false;
  const ssize_t read = ReadSome(array, bytes_.data(), kFirstRead);
  if (read <= static_cast<ssize_t>(kArrayHead)) return false;
  uint64_t length;
  memcpy(&length, bytes_.data() + kWord, kWord);
  const int64_t size = SmiOf(length);
  if (size <= 0 || size > static_cast<int64_t>(kMostTableBytes)) return false;
  const size_t whole = kArrayHead + static_cast<size_t>(size);
  if (whole > static_cast<size_t>(read) &&
      (!bytes_.Resize(whole) || !ReadAll(array, bytes_.data(), whole))) {
    return false;
  }
  *out = {bytes_.data() + kArrayHead, static_cast<size_t>(size)};
  return true;
}

bool V8Heap::ReadTable(uint64_t array, int shift, size_t code_length, CodePositions* out) {
  Bytes table;
  return ReadBytes(array, &table) &&
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

bool V8Heap::ReadCodeFields(uint64_t start, CodeFields* out) {
  if (layout_.before_code == 0 || layout_.baseline_kind == 0) return false;
  uint64_t object = start - code_head();
  const bool is_apart = layout_.in_code != 0;
  if (is_apart && !ReadPointer(start - layout_.before_code, &object)) return false;
  uint8_t fields[kCodeFields * kWord];
  if (!ReadAll(object, fields, sizeof fields)) return false;
  // The places come from the program and from a search: they may lie behind what was read.
  const auto read = [&fields](int at, auto* to) {
    if (at < 0 || static_cast<size_t>(at) > sizeof fields - sizeof *to) return false;
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
  return !is_apart || own_start == start;
}

bool V8Heap::LearnCodeObjects(uint64_t start, uint64_t shared) {
  CodeFields fields;
  return ReadCodeFields(start, &fields) && ReadAll(start - code_head(), &code_map_, kWord) &&
         (code_map_ & kTagMask) == kTag && ReadAll(shared - kTag, &shared_map_, kWord) &&
         (shared_map_ & kTagMask) == kTag;
}

bool V8Heap::ReadCodeObject(uint64_t start, CodeObject* out) {
  CodeFields fields;
  if (!ReadCodeFields(start, &fields) || fields.kind <= layout_.baseline_kind) return false;
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

bool V8Heap::Search(uint64_t start, size_t length, const CodePositions& reported) {
  for (int shift = 1; shift <= 2; shift++) {
    for (int before = kWord; before <= kSearchedBytes; before += kWord) {
      for (int in = 0; in <= kSearchedBytes; in += kWord) {
        V8Layout layout = layout_;
        layout.before_code = before;
        layout.in_code = in;
        layout.before_bytecode = 0;
        layout.shift = shift;
        if (ReadCodePositions(layout, start, length, &found_) && AreSame(found_, reported)) {
          layout_ = layout;
          return true;
        }
      }
    }
  }
  return false;
}

bool V8Heap::FindScript(const void* shared, uint64_t* script) {
  uint64_t object;
  return script_in_shared_ != 0 && ReadPointer(AddressOf(shared), &object) &&
         ReadPointer(object + script_in_shared_, script);
}

bool V8Heap::ReadLineEnds(const void* shared, Growable<int32_t>* out) {
  out->Clear();
  uint64_t array;
  uint64_t head[2];
  if (line_ends_in_script_ == 0 || !FindScript(shared, &array) ||
      !ReadPointer(array + line_ends_in_script_, &array) || !ReadAll(array, head, sizeof head)) {
    return false;
  }
  const int64_t count = SmiOf(head[1]);
  if (count <= 0 || count > static_cast<int64_t>(kMostLines)) return false;
  const size_t size = static_cast<size_t>(count) * kWord;
  if (!bytes_.Resize(size) || !ReadAll(array + kArrayHead, bytes_.data(), size)) return false;
  int64_t last = -1;
  for (int64_t i = 0; i < count; i++) {
    uint64_t word;
    memcpy(&word, bytes_.data() + i * kWord, kWord);
    const int64_t end = SmiOf(word);
    // A script without a new line at its end ends its last line one behind itself.
    if (end <= last || !out->Push(static_cast<int32_t>(end))) return false;
    last = end;
  }
  return true;
}

bool V8Heap::ReadSourceUrl(const void* shared, Growable<uint8_t>* out) {
  uint64_t script;
  uint64_t fields[kScriptFields];
  if (line_ends_in_script_ == 0 || !FindScript(shared, &script) ||
      !ReadAll(script, fields, sizeof fields)) {
    return false;
  }
  // Behind the ends of lines: id, evaluating function, its position, lists, flags, URL, URL of the
  // map.
  constexpr size_t kListsBehindLineEnds = 4;
  size_t at = static_cast<size_t>(line_ends_in_script_) / kWord + kListsBehindLineEnds;
  while (at + 1 < kScriptFields && SmiOf(fields[at]) < 0) at++;
  return at + 1 < kScriptFields && (fields[at + 1] & kTagMask) == kTag &&
         ReadString(fields[at + 1] - kTag, kMostUrlBytes, out);
}

bool V8Heap::ReadString(uint64_t object, size_t most, Growable<uint8_t>* out) {
  const V8Strings& known = strings_;
  uint64_t map;
  uint16_t type;
  uint32_t length;
  if (known.kind < 0 || layout_.type_in_map <= 0 || !ReadPointer(object, &map) ||
      !ReadAll(map + static_cast<uint64_t>(layout_.type_in_map), &type, sizeof type) ||
      type >= known.first_other_type || (type & known.kind_mask) != known.kind ||
      !ReadAll(object + static_cast<uint64_t>(known.length), &length, sizeof length)) {
    return false;
  }
  return length > 0 && length <= most && out->Resize(length) &&
         ReadAll(object + static_cast<uint64_t>(known.chars), out->data(), length);
}

bool V8Heap::ReadInlineSourceMap(const void* shared, Growable<uint8_t>* out) {
  uint64_t script;
  uint64_t fields[kScriptFields];
  if (!FindScript(shared, &script) || !ReadAll(script, fields, sizeof fields)) return false;
  char heads[kScriptFields][kArrayHead + sizeof kInlineMap - 1] = {};
  iovec here[kScriptFields];
  iovec there[kScriptFields];
  size_t count = 0;
  for (const uint64_t field : fields) {
    if ((field & kTagMask) != kTag) continue;
    here[count] = {heads[count], sizeof heads[count]};
    there[count++] = {reinterpret_cast<void*>(field - kTag), sizeof heads[0]};
  }
  // All objects at once; behind one that is not there the rest is read piece by piece.
  const ssize_t read = ReadPieces(here, there, count);
  for (size_t i = read < 0 ? 0 : static_cast<size_t>(read) / sizeof heads[0]; i < count; i++) {
    if (ReadPieces(here + i, there + i, 1) != sizeof heads[0]) heads[i][kArrayHead] = '\0';
  }
  for (size_t i = 0; i < count; i++) {
    const char* head = heads[i];
    if (memcmp(head + kArrayHead, kInlineMap, sizeof kInlineMap - 1) != 0) continue;
    // A string's head has its hash and its length in 32 bits each.
    uint32_t length;
    memcpy(&length, head + 12, sizeof length);
    if (length > kMostMapBytes || !out->Resize(length)) return false;
    return ReadAll(reinterpret_cast<uintptr_t>(there[i].iov_base) + kArrayHead, out->data(),
                   length);
  }
  return false;
}

}  // namespace perf_ts
