/*
 * Functions whose instructions per cycle differ, each counted exactly around its calls: what `ratios.mjs` holds the
 * intervals of a recording against.
 *
 *     ratios SEED MILLISECONDS LONGEST_MS
 *
 * Stays of up to LONGEST_MS in one function after the other, by chance, for MILLISECONDS of counted cycles (1e9 a
 * second, as QEMU has them). Prints one line for each function: its name, user cycles and user instructions.
 *
 * In QEMU an instruction takes a cycle, whatever it does, but WFI: it halts until the next interrupt, while the
 * cycles go on, as they do in a program that waits for memory. Linux lets programs execute it (SCTLR_EL1.nTWI).
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int leader;

struct counts {
  uint64_t cycles, instructions;
};

static int open_counter(uint64_t config, int group) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = config;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.read_format = PERF_FORMAT_GROUP;
  int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
  if (fd < 0) {
    perror("ratios: perf_event_open");
    exit(1);
  }
  return fd;
}

static struct counts read_counts(void) {
  uint64_t values[3];
  if (read(leader, values, sizeof values) != sizeof values) {
    perror("ratios: read");
    exit(1);
  }
  return (struct counts){values[1], values[2]};
}

static void spin(long turns) {
  for (long i = 0; i < turns; i++) __asm__ volatile("nop");
}

static void halt(void) {
#ifdef __aarch64__
  __asm__ volatile("wfi");
#endif
}

/* Three instructions a turn. */
__attribute__((noinline)) static void compute(long turns) { spin(turns); }

__attribute__((noinline)) static void wait_little(long turns) {
  for (long done = 0; done < turns; done += 200000) {
    spin(200000);
    halt();
  }
}

__attribute__((noinline)) static void wait_much(long turns) {
  for (long done = 0; done < turns; done += 80000) {
    spin(80000);
    halt();
  }
}

static uint64_t state;
static double chance(void) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(state >> 33) / 2147483648.0;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: ratios SEED MILLISECONDS LONGEST_MS\n");
    return 2;
  }
  static void (*const functions[])(long) = {compute, wait_little, wait_much};
  static const char *const names[] = {"compute", "wait_little", "wait_much"};
  static const double turns_per_ms[] = {333e3, 200e3, 80e3};
  struct counts sums[3] = {{0, 0}, {0, 0}, {0, 0}};
  state = strtoull(argv[1], NULL, 10) * 7919 + 17;
  uint64_t end = strtoull(argv[2], NULL, 10) * 1000000ull;
  double longest = strtod(argv[3], NULL);
  leader = open_counter(PERF_COUNT_HW_CPU_CYCLES, -1);
  open_counter(PERF_COUNT_HW_INSTRUCTIONS, leader);
  struct counts before = read_counts();
  uint64_t start = before.cycles;
  for (int f = 0; before.cycles - start < end; f = (f + 1 + (chance() < 0.5)) % 3) {
    functions[f]((long)(turns_per_ms[f] * longest * (0.1 + 0.9 * chance())));
    struct counts after = read_counts();
    sums[f].cycles += after.cycles - before.cycles;
    sums[f].instructions += after.instructions - before.instructions;
    before = read_counts();
  }
  for (int f = 0; f < 3; f++)
    printf("%s %llu %llu\n", names[f], (unsigned long long)sums[f].cycles,
           (unsigned long long)sums[f].instructions);
  return 0;
}
