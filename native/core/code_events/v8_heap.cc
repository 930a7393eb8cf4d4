#include "v8_heap.h"

#include <dlfcn.h>
#include <pthread.h>
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
constexpr int kStartInCode = 0x28;
constexpr uint32_t kKindMask = 0xf;
/** Marks of the kinds, from baseline code's on. */
constexpr char kSigns[] = {'^', '+', '*'};
/** Words of a Script; of its fields behind the flags these are the URLs. */
constexpr size_t kScriptFields = 20;
constexpr size_t kUrl = 1;
constexpr size_t kMapUrl = 2;
/** Bytes into a DebugInfo of V8 up to 11, behind its function and its hints. */
constexpr int kScriptInDebugInfo = 0x18;
/** Bytes of the stack in which the function is looked for that V8 compiles code for. */
constexpr size_t kStackBytes = 16u << 10;
constexpr char kInlineMap[] = "data:application/json";

/** Every read names this process, and to ask for it each time would be a second system call. */
std::atomic<pid_t> own_pid;

/** Reads up to `size` bytes of this process's memory; −1 where there is none. */
ssize_t ReadSome(uint64_t address, void* to, size_t size) {
  const iovec here = {to, size};
  const iovec there = {reinterpret_cast<void*>(address), size};
  return syscall(SYS_process_vm_readv, own_pid.load(std::memory_order_relaxed), &here, 1ul, &there,
                 1ul, 0ul);
}

bool ReadAll(uint64_t address, void* to, size_t size) {
  return ReadSome(address, to, size) == static_cast<ssize_t>(size);
}

bool ReadPointer(uint64_t address, uint64_t* object) {
  if (!ReadAll(address, object, kWord) || (*object & kTagMask) != kTag) return false;
  *object -= kTag;
  return true;
}

/** A word of memory that is there. */
uint64_t WordAt(uint64_t address) {
  uint64_t word;
  memcpy(&word, reinterpret_cast<const void*>(address), kWord);
  return word;
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

bool V8Field::LeadsTo(uint64_t object) const {
  return is_proven() && WordAt(object) == map_;
}

void V8Field::Learn(uint64_t map) {
  if (is_proven()) return;
  proofs_ = map == map_ ? proofs_ + 1 : 1;
  map_ = map;
}

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
  if (ConstantOf(kScript[2]) != 0) {
    debug_info_type_ = ConstantOf("v8dbg_type_DebugInfo__DEBUG_INFO_TYPE");
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
  uint64_t object;
  if (layout_.before_code == 0 || !FindBeforeCode(AddressOf(start), &object)) return false;
  if (layout_.in_code != 0) {
    if (!ReadField(&fields_.code, object, layout_.in_code, &object) || (object & kTagMask) != kTag)
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

bool V8Heap::ReadField(V8Field* field, uint64_t object, int at, uint64_t* value) {
  const uint64_t place = object + static_cast<uint64_t>(at);
  if (field->LeadsTo(object)) {
    *value = WordAt(place);
    return true;
  }
  uint64_t map;
  if (!ReadAll(object, &map, kWord) || !ReadAll(place, value, kWord)) return false;
  field->Learn(map);
  return true;
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

bool V8Heap::FindStack(uint64_t frame) {
  pthread_attr_t attributes;
  if (stack_end_ == 0 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* begin = nullptr;
    size_t size = 0;
    pthread_attr_getstack(&attributes, &begin, &size);
    pthread_attr_destroy(&attributes);
    stack_begin_ = AddressOf(begin);
    stack_end_ = stack_begin_ + size;
  }
  return frame >= stack_begin_ && frame < stack_end_;
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
  if (layout_.array_in_frame == 0 || layout_.offset_in_frame == 0 || !FindStack(first)) return 0;
  const uint64_t end = stack_end_ - first < kStackBytes ? stack_end_ : first + kStackBytes;
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

bool V8Heap::FindScript(const void* shared, uint64_t* script) {
  const bool is_proven = fields_.shared.is_proven();
  uint64_t object = is_proven ? WordAt(AddressOf(shared)) - kTag : 0;
  if (script_in_shared_ == 0 || (!is_proven && !ReadPointer(AddressOf(shared), &object)) ||
      !ReadField(&fields_.shared, object, script_in_shared_, script) ||
      (*script & kTagMask) != kTag) {
    return false;
  }
  *script -= kTag;
  // A function that is debugged, or whose coverage is taken, has its script behind one more object.
  uint16_t type;
  if (debug_info_type_ == 0 || !ReadType(*script, &type) || type != debug_info_type_) return true;
  return ReadPointer(*script + kScriptInDebugInfo, script);
}

bool V8Heap::ReadType(uint64_t object, uint16_t* type) {
  uint64_t map;
  return layout_.type_in_map > 0 && ReadPointer(object, &map) &&
         ReadAll(map + static_cast<uint64_t>(layout_.type_in_map), type, sizeof *type);
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

bool V8Heap::FindUrl(const void* shared, size_t which, uint64_t* url) {
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
  at += which;
  if (at >= kScriptFields || (fields[at] & kTagMask) != kTag) return false;
  *url = fields[at] - kTag;
  return *url != no_url_;
}

bool V8Heap::ReadSourceUrl(const void* shared, Growable<uint8_t>* out) {
  uint64_t url;
  if (!FindUrl(shared, kUrl, &url)) return false;
  if (ReadString(url, kMostUrlBytes, out)) return true;
  no_url_ = url;
  return false;
}

bool V8Heap::ReadString(uint64_t object, size_t most, Growable<uint8_t>* out) {
  const V8Strings& known = strings_;
  uint16_t type;
  uint32_t length;
  if (known.kind < 0 || !ReadType(object, &type) || type >= known.first_other_type ||
      (type & known.kind_mask) != known.kind ||
      !ReadAll(object + static_cast<uint64_t>(known.length), &length, sizeof length)) {
    return false;
  }
  return length > 0 && length <= most && out->Resize(length) &&
         ReadAll(object + static_cast<uint64_t>(known.chars), out->data(), length);
}

bool V8Heap::ReadInlineSourceMap(const void* shared, Growable<uint8_t>* out) {
  uint64_t url;
  char head[kArrayHead + sizeof kInlineMap - 1];
  if (!FindUrl(shared, kMapUrl, &url) || !ReadAll(url, head, sizeof head) ||
      memcmp(head + kArrayHead, kInlineMap, sizeof kInlineMap - 1) != 0) {
    return false;
  }
  // A string's head has its hash and its length in 32 bits each.
  uint32_t length;
  memcpy(&length, head + 12, sizeof length);
  return length <= kMostMapBytes && out->Resize(length) &&
         ReadAll(url + kArrayHead, out->data(), length);
}

}  // namespace perf_ts
