/*
 * A library to preload: perf-ts gets a signal at the very moment when it lets its command run.
 *
 *     EARLY_SIGNAL=2 LD_PRELOAD=./early-signal.so program…
 *
 * A held command waits for one byte, `g`, from a socket.
 *
 * Build: cc -shared -fPIC -O1 -o early-signal.so early-signal.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t send(int fd, const void *bytes, size_t length, int flags) {
  static ssize_t (*real)(int, const void *, size_t, int);
  if (!real) real = (ssize_t(*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send");
  const ssize_t sent = real(fd, bytes, length, flags);
  const char *signal = getenv("EARLY_SIGNAL");
  if (signal && sent == 1 && *(const char *)bytes == 'g') kill(getpid(), atoi(signal));
  return sent;
}
