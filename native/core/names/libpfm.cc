#include "libpfm.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace perf_ts {
namespace {

constexpr const char* kFile = "libpfm.so.4";

// Structs of libpfm 4. The caller gives `size`: a library that knows a larger struct leaves its end
// out, one that knows a smaller one refuses.

struct PmuInfo {
  const char* name;
  const char* desc;
  size_t size;
  int pmu;
  int type;
  int nevents;
  int first_event;
  int max_encoding;
  int num_cntrs;
  int num_fixed_cntrs;
  unsigned int is_present : 1;
  unsigned int is_dfl : 1;
  unsigned int reserved_bits : 30;
};

struct EventInfo {
  const char* name;
  const char* desc;
  const char* equiv;
  size_t size;
  uint64_t code;
  int pmu;
  int dtype;
  int idx;
  int nattrs;
  int reserved;
  unsigned int is_precise : 1;
  unsigned int reserved_bits : 31;
};

struct AttributeInfo {
  const char* name;
  const char* desc;
  const char* equiv;
  size_t size;
  uint64_t code;
  int type;
  int idx;
  int ctrl;
  unsigned int is_dfl : 1;
  unsigned int is_precise : 1;
  unsigned int reserved_bits : 30;
  uint64_t default_value;
};

struct AttrArgument {
  void* attr;
  char** full_name;
  size_t size;
  int idx;
  int cpu;
  int flags;
  int pad0;
};

#if __SIZEOF_POINTER__ == 8
static_assert(sizeof(PmuInfo) == 56, "PFM_PMU_INFO_ABI0");
static_assert(sizeof(EventInfo) == 64, "PFM_EVENT_INFO_ABI0");
static_assert(sizeof(AttributeInfo) == 64, "PFM_ATTR_INFO_ABI0");
static_assert(sizeof(AttrArgument) == 40, "PFM_PERF_ENCODE_ABI0");
#endif

constexpr int kSuccess = 0;
constexpr int kInvalid = -2;
/** PFM_OS_PERF_EVENT_EXT: also the modifiers that are fields of perf_event_attr. */
constexpr int kOsPerfEventExt = 2;

/** Far more than there are; bounds the walk should a library not end it. */
constexpr int kMostModels = 1 << 14;
constexpr int kMostEvents = 1 << 18;

std::string TextOf(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

/** Takes a string that the library allocated. */
std::string TakeText(char* text) {
  const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
  return TextOf(text);
}

/** The library's state is one per process, shared by all environments. */
std::mutex& Lock() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

struct Libpfm::Functions {
  int (*initialize)();
  int (*get_version)();
  const char* (*strerror)(int code);
  int (*get_pmu_info)(int pmu, PmuInfo* out);
  int (*get_event_next)(int index);
  int (*get_event_info)(int index, int os, EventInfo* out);
  int (*get_event_attr_info)(int event, int attribute, int os, AttributeInfo* out);
  int (*get_os_event_encoding)(const char* name, int levels, int os, void* out);
};

const Libpfm* Libpfm::Load(std::string* why) {
  const std::lock_guard<std::mutex> guard(Lock());
  static const Libpfm* loaded = nullptr;
  // Tried again after a failure: the library may have been installed meanwhile.
  if (loaded == nullptr) loaded = TryLoad(why);
  return loaded;
}

const Libpfm* Libpfm::TryLoad(std::string* why) {
  const std::unique_ptr<void, int (*)(void*)> library(dlopen(kFile, RTLD_NOW | RTLD_LOCAL),
                                                      &dlclose);
  if (library == nullptr) {
    *why = TextOf(dlerror());
    return nullptr;
  }
  auto functions = std::make_unique<Functions>();
  const char* missing = nullptr;
  const auto find = [&](auto* function, const char* name) {
    void* const address = dlsym(library.get(), name);
    if (address == nullptr) missing = name;
    memcpy(function, &address, sizeof address);
  };
  find(&functions->initialize, "pfm_initialize");
  find(&functions->get_version, "pfm_get_version");
  find(&functions->strerror, "pfm_strerror");
  find(&functions->get_pmu_info, "pfm_get_pmu_info");
  find(&functions->get_event_next, "pfm_get_event_next");
  find(&functions->get_event_info, "pfm_get_event_info");
  find(&functions->get_event_attr_info, "pfm_get_event_attr_info");
  find(&functions->get_os_event_encoding, "pfm_get_os_event_encoding");
  if (missing != nullptr) {
    *why = std::string(kFile) + " has no function " + missing;
    return nullptr;
  }
  const int code = functions->initialize();
  if (code != kSuccess) {
    *why = std::string(kFile) + ": pfm_initialize: " + TextOf(functions->strerror(code));
    return nullptr;
  }
  auto loaded = std::unique_ptr<Libpfm>(new Libpfm());
  loaded->version_ = functions->get_version();
  // Whoever holds names of events points into the library: it stays until the process ends.
  dlopen(kFile, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  loaded->functions_ = functions.release();
  return loaded.release();
}

std::vector<PfmModel> Libpfm::Models() const {
  const std::lock_guard<std::mutex> guard(Lock());
  std::vector<PfmModel> models;
  for (int id = 1; id < kMostModels; id++) {
    PmuInfo info = {};
    info.size = sizeof info;
    const int code = functions_->get_pmu_info(id, &info);
    // PFM_PMU_MAX depends on the version: beyond it every id is invalid, before it some are absent.
    if (code == kInvalid) break;
    if (code != kSuccess) continue;
    models.push_back(
        {id, TextOf(info.name), TextOf(info.desc), info.type, info.nevents, info.is_present != 0});
  }
  return models;
}

std::vector<PfmEvent> Libpfm::Events(int model_id) const {
  const std::lock_guard<std::mutex> guard(Lock());
  std::vector<PfmEvent> events;
  PmuInfo pmu = {};
  pmu.size = sizeof pmu;
  if (functions_->get_pmu_info(model_id, &pmu) != kSuccess) return events;
  for (int index = pmu.first_event; index >= 0 && events.size() < kMostEvents;
       index = functions_->get_event_next(index)) {
    EventInfo info = {};
    info.size = sizeof info;
    if (functions_->get_event_info(index, kOsPerfEventExt, &info) != kSuccess) continue;
    PfmEvent event = {index, TextOf(info.name), TextOf(info.desc), TextOf(info.equiv), {}};
    for (int i = 0; i < info.nattrs; i++) {
      AttributeInfo attribute = {};
      attribute.size = sizeof attribute;
      if (functions_->get_event_attr_info(index, i, kOsPerfEventExt, &attribute) != kSuccess) {
        continue;
      }
      event.attributes.push_back({TextOf(attribute.name), TextOf(attribute.desc), attribute.type,
                                  attribute.ctrl, attribute.is_dfl != 0,
                                  attribute.is_precise != 0});
    }
    events.push_back(std::move(event));
  }
  return events;
}

PfmEncoding Libpfm::EncodeAttr(const std::string& name, int privilege_levels) const {
  const std::lock_guard<std::mutex> guard(Lock());
  PfmEncoding encoding;
  encoding.attr.assign(kAttrBytes, 0);
  const uint32_t size = kAttrBytes;
  memcpy(encoding.attr.data() + 4, &size, sizeof size);
  char* full_name = nullptr;
  AttrArgument argument = {};
  argument.attr = encoding.attr.data();
  argument.full_name = &full_name;
  argument.size = sizeof argument;
  argument.cpu = -1;
  encoding.error =
      functions_->get_os_event_encoding(name.c_str(), privilege_levels, kOsPerfEventExt, &argument);
  encoding.full_name = TakeText(full_name);
  if (encoding.error != kSuccess) {
    encoding.message = TextOf(functions_->strerror(encoding.error));
    encoding.attr.clear();
    return encoding;
  }
  // It writes the size of the struct that it was built with.
  memcpy(encoding.attr.data() + 4, &size, sizeof size);
  encoding.cpu = argument.cpu;
  return encoding;
}

}  // namespace perf_ts
