// Symbols that glibc 2.17 and the libstdc++ of its time lack (`pins.h`), for the addon alone:
// hidden, so that nothing else in the process is bound to it.

#include <features.h>

#ifdef __GLIBC__
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

struct stat;
struct stat64;

extern "C" {

/** glibc had it inline until 2.33. The kernel's structure is the C library's on 64-bit machines. */
HIDDEN int fstat(int fd, struct stat* status) {
  return static_cast<int>(syscall(SYS_fstat, fd, status));
}
HIDDEN int fstat64(int fd, struct stat64* status) {
  return static_cast<int>(syscall(SYS_fstat, fd, status));
}

/** glibc 2.32. libstdc++ counts references without atomic instructions where it is set. */
HIDDEN char __libc_single_threaded = 0;

}  // extern "C"

namespace std {

/** libstdc++ of GCC 11. The addon is built without exceptions: it would end the process, too. */
HIDDEN __attribute__((noreturn)) void __throw_bad_array_new_length() {
  abort();
}

}  // namespace std
#endif
