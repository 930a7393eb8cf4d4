#include "v8_scripts.h"

#include <string.h>

namespace perf_ts {
namespace {

constexpr size_t kMostLines = 1u << 21;
constexpr size_t kMostMapBytes = 16u << 20;
constexpr size_t kMostUrlBytes = 4u << 10;
/** Words of a Script; of its fields behind the flags these are the URLs. */
constexpr size_t kScriptFields = 20;
constexpr size_t kUrl = 1;
constexpr size_t kMapUrl = 2;
/** Bytes into a DebugInfo of V8 up to 11, behind its function and its hints. */
constexpr int kScriptInDebugInfo = 0x18;
constexpr char kInlineMap[] = "data:application/json";

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

}  // namespace

void V8Scripts::FindLayout() {
  // Its name has changed with V8's types.
  constexpr const char* kScript[] = {
      "v8dbg_class_SharedFunctionInfo__script__Tagged_HeapObject_",
      "v8dbg_class_SharedFunctionInfo__script__HeapObject",
      "v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject"};
  if (!HasWholePointers()) return;
  for (const char* name : kScript) {
    if (script_in_shared_ == 0) script_in_shared_ = ConstantOf(name);
  }
  if (ConstantOf(kScript[2]) != 0) {
    debug_info_type_ = ConstantOf("v8dbg_type_DebugInfo__DEBUG_INFO_TYPE");
  }
  line_ends_in_script_ = ConstantOf("v8dbg_class_Script__line_ends__Object");
  type_in_map_ = ConstantOf("v8dbg_class_Map__instance_type__uint16_t");
  strings_ = FindStrings();
}

bool V8Scripts::FindScript(const void* shared, uint64_t* script) {
  const bool is_proven = shared_.is_proven();
  uint64_t object = is_proven ? WordAt(AddressOf(shared)) - kTag : 0;
  if (script_in_shared_ == 0 || (!is_proven && !ReadPointer(AddressOf(shared), &object)) ||
      !shared_.Read(object, script_in_shared_, script) || (*script & kTagMask) != kTag) {
    return false;
  }
  *script -= kTag;
  // A function that is debugged, or whose coverage is taken, has its script behind one more object.
  uint16_t type;
  if (debug_info_type_ == 0 || !ReadType(*script, &type) || type != debug_info_type_) return true;
  return ReadPointer(*script + kScriptInDebugInfo, script);
}

bool V8Scripts::ReadType(uint64_t object, uint16_t* type) {
  uint64_t map;
  return type_in_map_ > 0 && ReadPointer(object, &map) &&
         ReadAll(map + static_cast<uint64_t>(type_in_map_), type, sizeof *type);
}

bool V8Scripts::ReadLineEnds(const void* shared, Growable<int32_t>* out) {
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

bool V8Scripts::FindUrl(const void* shared, size_t which, uint64_t* url) {
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

bool V8Scripts::ReadSourceUrl(const void* shared, Growable<uint8_t>* out) {
  uint64_t url;
  if (!FindUrl(shared, kUrl, &url)) return false;
  if (ReadString(url, kMostUrlBytes, out)) return true;
  no_url_ = url;
  return false;
}

bool V8Scripts::ReadString(uint64_t object, size_t most, Growable<uint8_t>* out) {
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

bool V8Scripts::ReadInlineSourceMap(const void* shared, Growable<uint8_t>* out) {
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
