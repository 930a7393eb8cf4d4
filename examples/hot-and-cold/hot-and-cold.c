/*
 * A program whose page faults come in bursts: a few milliseconds of faults, a few of computing, and now
 * and then a tenth of a second with hardly any. The kernel's sampling period has to follow it.
 *
 *   cc -O2 -g -fno-omit-frame-pointer -o hot-and-cold hot-and-cold.c
 *   ./hot-and-cold            two seconds of bursts and pauses, by its own CPU time
 *   ./hot-and-cold 400000     so many faults, as fast as they come
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

/* Kept as it is written, so that a profile shows it by this name. */
#if defined(__GNUC__) && !defined(__clang__)
#define KEEP __attribute__((noipa))
#else
#define KEEP __attribute__((noinline))
#endif

enum { BURST = 1000, PHASES = 4, FEW = 40 };

/* The seconds of CPU time it has had: on a busy machine it does as much as on an idle one, later. */
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Writes one byte to each page of fresh memory: one page fault each. Returns the pages touched. */
KEEP static size_t touch_pages(size_t pages) {
  size_t bytes = pages * 4096;
  unsigned char *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
  munmap(memory, bytes);
  return pages;
}

KEEP static double compute(double until) {
  double sum = 0;
  while (seconds() < until)
    for (int i = 1; i < 1000; i++) sum += 1.0 / i;
  return sum;
}

/* Bursts for 0.4 s, then a tenth of a second with a fault every three milliseconds. */
static size_t run_phase(void) {
  size_t faults = 0;
  double end = seconds() + 0.4;
  while (seconds() < end) {
    faults += touch_pages(BURST);
    compute(seconds() + 0.004);
  }
  for (int i = 0; i < FEW; i++) {
    faults += touch_pages(1);
    compute(seconds() + 0.003);
  }
  return faults;
}

int main(int argc, char **argv) {
  size_t faults = 0, wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
  if (wanted > 0) {
    while (faults < wanted) faults += touch_pages(BURST);
  } else {
    for (int phase = 0; phase < PHASES; phase++) faults += run_phase();
  }
  printf("hot-and-cold: %zu page faults\n", faults);
  return 0;
}
