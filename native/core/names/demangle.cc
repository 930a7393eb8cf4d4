#include "demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "demangled_size.h"

namespace perf_ts {
namespace {

/**
 * `__cxa_demangle` prints all of a name or nothing, and a short one can stand for gigabytes. At
 * this estimate it takes some milliseconds.
 */
constexpr double kMaxEstimatedBytes = 1 << 20;
/** The length of `_GLOBAL__I_`. */
constexpr size_t kGlobalsPrefixBytes = 11;

/** Whether a name begins as `_GLOBAL__I_<name>`, constructors of a file's globals, or with D. */
bool IsOfGlobals(const char* name) {
  return strncmp(name, "_GLOBAL_", 8) == 0 && strchr("._$", name[8]) != nullptr && name[8] != 0 &&
         (name[9] == 'I' || name[9] == 'D') && name[10] == '_';
}

}  // namespace

bool Demangle(const char* mangled, std::string* out) {
  if (strncmp(mangled, "__Z", 3) == 0) mangled++;
  const char* encoding = mangled;
  if (IsOfGlobals(mangled)) encoding += kGlobalsPrefixBytes;
  // __cxa_demangle also takes bare type names: "i" would become "int".
  if (strncmp(encoding, "_Z", 2) != 0) return false;
  const size_t length = strnlen(encoding, kMaxNameBytes + 1);
  if (length > kMaxNameBytes) return false;
  if (EstimateDemangledBytes(encoding, length) > kMaxEstimatedBytes) return false;

  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  if (status != 0 || name == nullptr || strlen(name.get()) > kMaxNameBytes) return false;
  out->assign(name.get());
  return true;
}

}  // namespace perf_ts
