// Names that Debian's libstdc++ and libgcc_s take from glibc and musl lacks, so that a program built for
// musl's libstdc++ starts where only Debian's is at hand. It takes the place of ld-linux-x86-64.so.2.

#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>

char __libc_single_threaded = 0;
struct { unsigned vendor, type, subtype, features[1]; } __cpu_model;
unsigned arc4random(void) { return (unsigned)random(); }
int __cpu_indicator_init(void) { return 0; }
/** Not found: libgcc walks the loaded objects instead. */
int _dl_find_object(void *address, void *result) { return -1; }
/** Destructors of thread-local objects do not run. */
int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library) { return 0; }
size_t __strftime_l(char *text, size_t size, const char *format, const struct tm *time, locale_t l) {
  return strftime_l(text, size, format, time, l);
}
/** On arm64. */
unsigned long __getauxval(unsigned long type) { return getauxval(type); }
