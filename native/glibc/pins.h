#pragma once

/**
 * Included before each file of the addon: binds what newer C libraries have under a newer version
 * to the version that glibc 2.17 has. Without it the addon needs the C library of the machine on
 * which it was built, although nothing newer is called.
 *
 *     name                     moved or made anew in glibc
 *     dlopen … pthread_join    2.34, when libdl and libpthread became part of libc
 *     pthread_sigmask          2.32
 *     fcntl64                  2.28; the same call as fcntl where off_t has 64 bits
 *     __isoc23_*               2.38, for binary numbers (0b101), which the addon does not read
 *
 * `own_symbols.cc` has what glibc 2.17 and its libstdc++ lack. Elsewhere (musl) both are empty.
 */
#include <features.h>

#if defined(__GLIBC__) && defined(__x86_64__)
#define PERF_TS_BASE "GLIBC_2.2.5"
#define PERF_TS_SETNAME "GLIBC_2.12"
#define PERF_TS_ISOC99 "GLIBC_2.7"
#elif defined(__GLIBC__) && defined(__aarch64__)
#define PERF_TS_BASE "GLIBC_2.17"
#define PERF_TS_SETNAME "GLIBC_2.17"
#define PERF_TS_ISOC99 "GLIBC_2.17"
#endif

#ifdef PERF_TS_BASE
#define PERF_TS_PIN(name, target, version) __asm__(".symver " #name "," #target "@" version)
PERF_TS_PIN(dlclose, dlclose, PERF_TS_BASE);
PERF_TS_PIN(dlerror, dlerror, PERF_TS_BASE);
PERF_TS_PIN(dlopen, dlopen, PERF_TS_BASE);
PERF_TS_PIN(dlsym, dlsym, PERF_TS_BASE);
PERF_TS_PIN(fcntl64, fcntl, PERF_TS_BASE);
PERF_TS_PIN(pthread_attr_setstacksize, pthread_attr_setstacksize, PERF_TS_BASE);
PERF_TS_PIN(pthread_create, pthread_create, PERF_TS_BASE);
PERF_TS_PIN(pthread_join, pthread_join, PERF_TS_BASE);
PERF_TS_PIN(pthread_setname_np, pthread_setname_np, PERF_TS_SETNAME);
PERF_TS_PIN(pthread_sigmask, pthread_sigmask, PERF_TS_BASE);
PERF_TS_PIN(__isoc23_sscanf, __isoc99_sscanf, PERF_TS_ISOC99);
PERF_TS_PIN(__isoc23_strtol, strtol, PERF_TS_BASE);
PERF_TS_PIN(__isoc23_strtoul, strtoul, PERF_TS_BASE);
PERF_TS_PIN(__isoc23_strtoll, strtoll, PERF_TS_BASE);
PERF_TS_PIN(__isoc23_strtoull, strtoull, PERF_TS_BASE);
#undef PERF_TS_PIN
#endif
