#include "libzstd.h"

#include <dlfcn.h>

#include <cstring>
#include <memory>
#include <mutex>

namespace perf_ts {
namespace {

constexpr const char* kFile = "libzstd.so.1";

std::unique_ptr<const Libzstd> TryLoad(std::string* why) {
  // Never closed once it is used: threads may be in it until the process ends.
  std::unique_ptr<void, int (*)(void*)> library(dlopen(kFile, RTLD_NOW | RTLD_LOCAL), &dlclose);
  if (library == nullptr) {
    const char* const reason = dlerror();
    *why = reason == nullptr ? kFile : reason;
    return nullptr;
  }
  auto found = std::make_unique<Libzstd>();
  const char* missing = nullptr;
  const auto find = [&](auto* function, const char* name) {
    void* const address = dlsym(library.get(), name);
    if (address == nullptr) missing = name;
    memcpy(function, &address, sizeof address);
  };
  find(&found->version_number, "ZSTD_versionNumber");
  find(&found->is_error, "ZSTD_isError");
  find(&found->create_compression, "ZSTD_createCCtx");
  find(&found->free_compression, "ZSTD_freeCCtx");
  find(&found->set_parameter, "ZSTD_CCtx_setParameter");
  find(&found->compress_stream, "ZSTD_compressStream2");
  find(&found->create_decompression, "ZSTD_createDCtx");
  find(&found->free_decompression, "ZSTD_freeDCtx");
  find(&found->decompress_stream, "ZSTD_decompressStream");
  if (missing != nullptr) {
    *why = std::string(kFile) + " has no function " + missing;
    return nullptr;
  }
  library.release();
  return found;
}

}  // namespace

const Libzstd* Libzstd::Load(std::string* why) {
  static std::mutex mutex;
  static const Libzstd* loaded = nullptr;
  const std::lock_guard<std::mutex> guard(mutex);
  // Tried again after a failure: the library may have been installed meanwhile.
  if (loaded == nullptr) loaded = TryLoad(why).release();
  return loaded;
}

}  // namespace perf_ts
