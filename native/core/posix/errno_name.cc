#include "errno_name.h"

#include <uv.h>

#include <cerrno>

namespace perf_ts {

std::string ErrnoName(int code) {
  // Linux's name where libuv has another one, or none.
  switch (code) {
    case EOPNOTSUPP:
      return "EOPNOTSUPP";
    case ENOEXEC:
      return "ENOEXEC";
    case ELIBBAD:
      return "ELIBBAD";
    case ECHILD:
      return "ECHILD";
    case EDOM:
      return "EDOM";
    case EDQUOT:
      return "EDQUOT";
    case ESTALE:
      return "ESTALE";
    case ENOTUNIQ:
      return "ENOTUNIQ";
  }
  char name[64];
  uv_err_name_r(-code, name, sizeof name);
  return name[0] == 'E' ? name : "E" + std::to_string(code);
}

}  // namespace perf_ts
