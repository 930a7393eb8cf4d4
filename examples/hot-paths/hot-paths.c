/*
 * A program worth profiling: two hot call paths of different weight, and a phase that faults in
 * fresh pages. A profile of it should show
 *
 *   main ─┬─ solve ── solve_row ── mix    two thirds of the time that mix takes
 *         ├─ checksum ── mix              one third
 *         └─ touch_pages                  nearly all page faults
 *
 *   cc -O2 -g -fno-omit-frame-pointer -o hot-paths hot-paths.c && ./hot-paths 2
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

/*
 * Keeps a function as it is written: gcc would inline it or put a copy for constant arguments in
 * its place (mix.constprop.0), and the profile would show the copy.
 */
#if defined(__GNUC__) && !defined(__clang__)
#define KEEP __attribute__((noipa))
#else
#define KEEP __attribute__((noinline))
#endif

enum { ROWS = 10, BLOCKS = 5, ROUNDS = 4000, PAGES = 1000 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/*
 * The inner loop of both paths; its caller shows which. A function that never touches the stack
 * gets no frame from gcc, even with -fno-omit-frame-pointer, and then a callchain skips its
 * caller. Hence the volatile result.
 */
KEEP static uint64_t mix(uint64_t x, int rounds) {
  for (int i = 0; i < rounds; i++) x = x * 6364136223846793005u + 1442695040888963407u;
  volatile uint64_t result = x;
  return result;
}

/* What is done to mix's result keeps the call from becoming a jump, which leaves no caller. */
KEEP static uint64_t solve_row(uint64_t x) { return mix(x, ROUNDS) ^ 1; }

KEEP static uint64_t solve(uint64_t x) {
  uint64_t sum = 0;
  for (uint64_t row = 0; row < ROWS; row++) sum += solve_row(x + row);
  return sum;
}

KEEP static uint64_t checksum(uint64_t x) {
  uint64_t sum = 0;
  for (uint64_t block = 0; block < BLOCKS; block++) sum ^= mix(x + block, ROUNDS);
  return sum;
}

/* Writes one byte to each page of fresh memory: one page fault each. Returns the pages touched. */
KEEP static uint64_t touch_pages(size_t pages) {
  size_t bytes = pages * 4096;
  unsigned char *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
  munmap(memory, bytes);
  return pages;
}

int main(int argc, char **argv) {
  double duration = argc > 1 ? atof(argv[1]) : 2;
  double end = seconds() + duration;
  uint64_t state = 1, faults = 0;
  while (seconds() < end) {
    for (int i = 0; i < 200; i++) state += solve(state) + checksum(state);
    faults += touch_pages(PAGES);
  }
  printf("hot-paths: state %016llx after %llu page faults\n", (unsigned long long)state,
         (unsigned long long)faults);
  return 0;
}
