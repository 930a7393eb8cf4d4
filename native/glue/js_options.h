#pragma once

#include <napi.h>

#include <string>
#include <vector>

#include "../core/counter/counter_group.h"
#include "../core/event/attach.h"
#include "../core/options.h"

namespace perf_ts {

// JavaScript's options as the core's structs. Each returns false with a TypeError or RangeError
// pending when a value has the wrong shape.

bool ReadCommand(const Napi::Value& value, CommandSpec* command);
bool ReadSamplerOptions(const Napi::Value& value, SamplerOptions* options);
bool ReadFileSink(const Napi::Value& value, FileSinkOptions* options);
bool ReadCounterGroupOptions(const Napi::Value& value, CounterGroupOptions* options);
bool ReadLiveSink(const Napi::Value& value, LiveSinkOptions* options);
/** The bytes of a perf_event_attr, whose size field must be true. */
bool ReadAttr(const Napi::Value& value, const char* name, std::vector<uint8_t>* attr);
/** A whole number between `min` and `max`. */
bool ReadInteger(const Napi::Value& value, const char* name, double min, double max, double* out);

/** A string that C can hold. */
bool ReadText(const Napi::Value& value, const char* name, std::string* text);
bool ReadBoolean(const Napi::Value& value, const char* name, bool* flag);
bool ReadFunction(const Napi::Value& value, const char* name, Napi::Function* function);
/** `T` is `Napi::Uint8Array`, `Napi::Uint32Array` or `Napi::Float64Array`. */
template <typename T>
bool ReadTypedArray(const Napi::Value& value, const char* name, T* array);

bool ReadAttachTarget(const Napi::Value& value, AttachTarget* target);

}  // namespace perf_ts
