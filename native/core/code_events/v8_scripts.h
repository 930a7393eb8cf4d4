#pragma once

#include <cstddef>
#include <cstdint>

#include "growable.h"
#include "v8_memory.h"

namespace perf_ts {

/** Constants of V8's strings, of which those of one byte per character in one piece are read. */
struct V8Strings {
  int length = -1;
  int chars = -1;
  int first_other_type = -1;
  int kind_mask = -1;
  int kind = -1;
};

/**
 * Reads scripts of V8 in the memory of this process: where their lines end, and the URLs that they
 * have. The program itself describes these objects, in symbols for debuggers (`v8dbg_…`).
 *
 * V8 must not move its objects meanwhile. `shared` is the handle in V8's event.
 */
class V8Scripts {
 public:
  /** Takes what the program's symbols tell. */
  void FindLayout();

  /** The ends of a script's lines, ascending. False: unknown. */
  bool ReadLineEnds(const void* shared, Growable<int32_t>* out);

  /** The URL that evaluated code has given itself (`//# sourceURL=…`). False without one. */
  bool ReadSourceUrl(const void* shared, Growable<uint8_t>* out);

  /** The source map that is written inside the script, as its URL (`data:…`). False without one. */
  bool ReadInlineSourceMap(const void* shared, Growable<uint8_t>* out);

 private:
  bool FindScript(const void* shared, uint64_t* script);
  /** A URL that a script was given, as an object; false where it has none. */
  bool FindUrl(const void* shared, size_t which, uint64_t* url);
  /** The instance type of an object of V8's. */
  bool ReadType(uint64_t object, uint16_t* type);
  bool ReadString(uint64_t object, size_t most, Growable<uint8_t>* out);

  V8Strings strings_;
  /** Bytes into a map, a SharedFunctionInfo and a Script; 0: unknown. */
  int type_in_map_ = 0;
  int script_in_shared_ = 0;
  int line_ends_in_script_ = 0;
  /** Type of the object that V8 up to 11 may have in place of a function's script; 0: none. */
  int debug_info_type_ = 0;
  /** The SharedFunctionInfo that V8's handles lead to. */
  V8Field shared_;
  /** The object that scripts have in place of a URL; 0: not known yet. */
  uint64_t no_url_ = 0;
  Growable<uint8_t> bytes_;
};

}  // namespace perf_ts
