#include "demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace perf_ts {

bool Demangle(const char* mangled, std::string* out) {
  if (strnlen(mangled, kMaxMangledBytes + 1) > kMaxMangledBytes) return false;
  if (strncmp(mangled, "__Z", 3) == 0) mangled++;
  // __cxa_demangle also takes bare type names: "i" would become "int".
  if (strncmp(mangled, "_Z", 2) != 0) return false;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  if (status != 0 || name == nullptr) return false;
  out->assign(name.get());
  return true;
}

}  // namespace perf_ts
