// Names of error numbers, held against the C library's own list.

#include "../core/posix/errno_name.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "test.h"

using perf_ts::ErrnoName;

TEST("an errno has the name of the kernel's header") {
  CHECK(ErrnoName(EACCES) == "EACCES");
  CHECK(ErrnoName(EWOULDBLOCK) == "EAGAIN");
  CHECK(ErrnoName(EDEADLOCK) == "EDEADLK");
  CHECK(ErrnoName(ENOTSUP) == "EOPNOTSUPP");
}

TEST("every errno that the C library describes has a name") {
  for (int code = 1; code < 200; code++) {
    const bool is_described = strncmp(strerror(code), "Unknown error", 13) != 0;
    const bool is_named = ErrnoName(code) != "E" + std::to_string(code);
    CHECK_EQUAL(is_named, is_described);
  }
}

TEST("a number without a name is shown as that number") {
  CHECK(ErrnoName(4095) == "E4095");
}

int main() {
  return perf_ts::test::RunAll();
}
