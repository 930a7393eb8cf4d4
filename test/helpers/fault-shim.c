/*
 * Makes writes to regular files misbehave, to see what a recorder does about it:
 *
 *     FI_WRITE=KIND LD_PRELOAD=./fault-shim.so program…
 *
 *     short    every other call writes only half
 *     one      two of three calls write only a third
 *     eintr    every third call fails with EINTR before it writes anything
 *     eagain   the same with EAGAIN
 *     eio@N    the N-th call and all later ones fail with EIO
 *     slow     every call first takes 50 ms
 *
 * Calls of fewer than 64 bytes, and those to pipes, terminals and sockets, are left alone and not
 * counted: messages must still come through. Covers write, pwrite, writev and pwritev, in the plain
 * and the 64-suffixed form that programs with large file support call.
 *
 * Build: cc -shared -fPIC -O1 -o fault-shim.so fault-shim.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { NONE, SHORT, ONE, EINTR_ONCE, EAGAIN_ONCE, EIO_FROM, SLOW };

enum { SMALLEST_BYTES = 64, SLOW_MS = 50 };

static enum kind kind;
static long eio_from;
static atomic_long calls;

__attribute__((constructor)) static void read_kind(void) {
  const char *text = getenv("FI_WRITE");
  if (!text) return;
  if (!strcmp(text, "short")) kind = SHORT;
  if (!strcmp(text, "one")) kind = ONE;
  if (!strcmp(text, "eintr")) kind = EINTR_ONCE;
  if (!strcmp(text, "eagain")) kind = EAGAIN_ONCE;
  if (!strcmp(text, "slow")) kind = SLOW;
  if (!strncmp(text, "eio@", 4)) {
    kind = EIO_FROM;
    eio_from = atol(text + 4);
  }
}

static int is_regular(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* How many of `bytes` this call may write; −1 with errno set when it fails. */
static ssize_t allowed(int fd, size_t bytes) {
  if (kind == NONE || bytes < SMALLEST_BYTES || !is_regular(fd)) return bytes;
  const long call = atomic_fetch_add(&calls, 1) + 1;
  switch (kind) {
    case SHORT:
      return call % 2 ? bytes / 2 : bytes;
    case ONE:
      return call % 3 ? bytes / 3 : bytes;
    case EINTR_ONCE:
    case EAGAIN_ONCE:
      if (call % 3) return bytes;
      errno = kind == EINTR_ONCE ? EINTR : EAGAIN;
      return -1;
    case EIO_FROM:
      if (call < eio_from) return bytes;
      errno = EIO;
      return -1;
    case SLOW: {
      const struct timespec pause = {0, SLOW_MS * 1000000L};
      nanosleep(&pause, NULL);
      return bytes;
    }
    default:
      return bytes;
  }
}

/* The function of that name behind this one. */
#define REAL(name, type)                               \
  static type *real;                                   \
  if (!real) real = (type *)dlsym(RTLD_NEXT, name)

typedef ssize_t write_function(int, const void *, size_t);
typedef ssize_t pwrite_function(int, const void *, size_t, off_t);
typedef ssize_t writev_function(int, const struct iovec *, int);
typedef ssize_t pwritev_function(int, const struct iovec *, int, off_t);

ssize_t write(int fd, const void *data, size_t bytes) {
  REAL("write", write_function);
  const ssize_t share = allowed(fd, bytes);
  return share < 0 ? -1 : real(fd, data, share);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
  REAL("pwrite", pwrite_function);
  const ssize_t share = allowed(fd, bytes);
  return share < 0 ? -1 : real(fd, data, share, offset);
}

static size_t total(const struct iovec *parts, int count) {
  size_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
  return bytes;
}

/* The first `bytes` of `parts` as parts of their own in `kept`; their number. */
static int keep(const struct iovec *parts, int count, size_t bytes, struct iovec kept[IOV_MAX]) {
  int used = 0;
  while (used < count && used < IOV_MAX && bytes > 0) {
    kept[used] = parts[used];
    if (kept[used].iov_len > bytes) kept[used].iov_len = bytes;
    bytes -= kept[used].iov_len;
    used++;
  }
  return used;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL("writev", writev_function);
  const size_t bytes = total(parts, count);
  const ssize_t share = allowed(fd, bytes);
  if (share < 0) return -1;
  if ((size_t)share == bytes) return real(fd, parts, count);
  struct iovec kept[IOV_MAX];
  return real(fd, kept, keep(parts, count, share, kept));
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  REAL("pwritev", pwritev_function);
  const size_t bytes = total(parts, count);
  const ssize_t share = allowed(fd, bytes);
  if (share < 0) return -1;
  if ((size_t)share == bytes) return real(fd, parts, count, offset);
  struct iovec kept[IOV_MAX];
  return real(fd, kept, keep(parts, count, share, kept), offset);
}

/* On 64-bit Linux off_t and off64_t are one type. */
ssize_t pwrite64(int fd, const void *data, size_t bytes, off_t offset) {
  return pwrite(fd, data, bytes, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
  return pwritev(fd, parts, count, offset);
}
