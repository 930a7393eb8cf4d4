#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "../core/zstd/zstd_stream.h"

namespace perf_ts {

/** `NativeZstdDecoder` of src/native/types.ts. */
class ZstdDecoderObject : public Napi::ObjectWrap<ZstdDecoderObject> {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit ZstdDecoderObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Push(const Napi::CallbackInfo& info);
  Napi::Value Next(const Napi::CallbackInfo& info);

  std::unique_ptr<ZstdDecompressor> decompressor_;
  std::vector<uint8_t> piece_;
  /** How far it was decompressed. */
  size_t at_ = 0;
};

}  // namespace perf_ts
