#include "zstd_decoder_object.h"

#include <cerrno>
#include <cstddef>
#include <string>

#include "js_options.h"
#include "js_results.h"

namespace perf_ts {

Napi::Function ZstdDecoderObject::Define(Napi::Env env) {
  return DefineClass(env, "ZstdDecoder",
                     {
                         InstanceMethod<&ZstdDecoderObject::Push>("push"),
                         InstanceMethod<&ZstdDecoderObject::Next>("next"),
                     });
}

ZstdDecoderObject::ZstdDecoderObject(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<ZstdDecoderObject>(info) {
  std::string why;
  const Libzstd* const library = Libzstd::Load(&why);
  if (library != nullptr) decompressor_ = ZstdDecompressor::Open(library);
  if (!decompressor_) {
    ThrowError(info.Env(), {library == nullptr ? ENOSYS : ENOMEM, "ZSTD_createDCtx"});
  }
}

Napi::Value ZstdDecoderObject::Push(const Napi::CallbackInfo& info) {
  Napi::Uint8Array piece;
  if (!ReadTypedArray(info[0], "piece", &piece)) return info.Env().Undefined();
  piece_.erase(piece_.begin(), piece_.begin() + static_cast<std::ptrdiff_t>(at_));
  piece_.insert(piece_.end(), piece.Data(), piece.Data() + piece.ByteLength());
  at_ = 0;
  return info.Env().Undefined();
}

Napi::Value ZstdDecoderObject::Next(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Uint8Array into;
  if (!ReadTypedArray(info[0], "into", &into)) return env.Undefined();
  const size_t size = into.ByteLength();
  Libzstd::InBuffer in = {piece_.data(), piece_.size(), at_};
  size_t written = 0;
  // A call ends with a frame, even where another one follows.
  do {
    size_t count = 0;
    if (!decompressor_->Decompress(&in, into.Data() + written, size - written, &count)) {
      ThrowError(env, {EBADMSG, "ZSTD_decompressStream"});
      return env.Undefined();
    }
    written += count;
  } while (written < size && in.pos < in.size);
  at_ = in.pos;
  return Napi::Number::New(env, static_cast<double>(written));
}

}  // namespace perf_ts
