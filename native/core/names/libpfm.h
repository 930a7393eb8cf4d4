#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perf_ts {

/** A processor model (or a uncore unit of one) that libpfm has events for: `skl`, `perf`. */
struct PfmModel {
  int id;
  std::string name;
  std::string description;
  /** 1 core, 2 uncore, 3 generic events of the operating system. */
  int type;
  int event_count;
  bool is_present;
};

/** A unit mask, or a modifier such as `u` or `c`, of one event. */
struct PfmAttribute {
  std::string name;
  std::string description;
  /** 1 unit mask, 2 yes or no, 3 number, 4 raw unit mask. */
  int type;
  /** 1 bits of the PMU, 2 a field of perf_event_attr. */
  int control;
  bool is_default;
  bool is_precise;
};

struct PfmEvent {
  int index;
  std::string name;
  std::string description;
  /** Another name of the same event; empty without one. */
  std::string equivalent;
  std::vector<PfmAttribute> attributes;
};

/** The event of a name; `error` is 0 or a negative number of libpfm's, the rest then empty. */
struct PfmEncoding {
  int error = 0;
  std::string message;
  /** The name with every default written out. */
  std::string full_name;
  /** A perf_event_attr of kAttrBytes. */
  std::vector<uint8_t> attr;
  /** CPU from a `cpu=` modifier, −1 without one. */
  int cpu = -1;
};

/**
 * libpfm4, the names of CPU events, where it is installed: loaded when first used, never linked.
 * The library keeps one state per process, so all calls take a lock; the object lives as long as
 * the process. It reads LIBPFM_FORCE_PMU and its other variables when it is loaded.
 *
 * Manual: libpfm(3), pfm_get_os_event_encoding(3).
 */
class Libpfm {
 public:
  /** PERF_ATTR_SIZE_VER8, of which libpfm fills as much as it knows. */
  static constexpr size_t kAttrBytes = 136;

  /** Null where there is no usable library; `why` then states which file and what is wrong. */
  static const Libpfm* Load(std::string* why);

  /** `major << 16 | minor`. */
  int version() const { return version_; }
  /** Every model of the library, in its order. */
  std::vector<PfmModel> Models() const;
  /** The events of one model, present or not; empty for an id that is none. */
  std::vector<PfmEvent> Events(int model_id) const;
  /** The attr. `privilege_levels`: the sum of PFM_PLM0 1, PFM_PLM3 8, PFM_PLMH 16. */
  PfmEncoding EncodeAttr(const std::string& name, int privilege_levels) const;

 private:
  struct Functions;
  Libpfm() = default;
  static const Libpfm* TryLoad(std::string* why);

  const Functions* functions_ = nullptr;
  int version_ = 0;
};

}  // namespace perf_ts
