/*
 * A program worth profiling: two hot call paths of different weight, and a phase that faults in
 * fresh pages. `perf-ts record` should find two thirds of the time under `solve`, one third under
 * `checksum`, and nearly all page faults in `touch_pages`.
 *
 *   cc -O2 -g -fno-omit-frame-pointer -o hot-paths hot-paths.c && ./hot-paths 2
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The inner loop of both paths; its caller tells which. */
NOINLINE static uint64_t mix(uint64_t x, int rounds) {
  for (int i = 0; i < rounds; i++) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

NOINLINE static uint64_t solve_row(uint64_t x) { return mix(x, 4000) ^ 1; }

NOINLINE static uint64_t solve(uint64_t x) {
  uint64_t sum = 0;
  for (int row = 0; row < 10; row++) sum += solve_row(x + (uint64_t)row);
  return sum;
}

NOINLINE static uint64_t checksum(uint64_t x) {
  uint64_t sum = 0;
  for (int block = 0; block < 5; block++) sum ^= mix(x + (uint64_t)block, 4000);
  return sum + 1;
}

/* Writes one byte to each page of fresh memory: one page fault each. */
NOINLINE static uint64_t touch_pages(size_t pages) {
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
    faults += touch_pages(2000);
  }
  printf("state %llu after %llu page faults\n", (unsigned long long)state,
         (unsigned long long)faults);
  return 0;
}
