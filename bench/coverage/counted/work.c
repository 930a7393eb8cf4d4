/* Three functions that execute a known number of instructions, by a script drawn from a seed:
 *
 *     work KIND SEED MILLION          KIND: calls, phases-1, phases-3, phases-10, once
 *
 * MILLION instructions in all. Prints {"work_a": instructions, …}. A round is two instructions on
 * arm64 and x86-64 alike; what calls and the drawing take is outside of the functions, or the same few
 * for each call. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
#define ROUNDS(n) __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(n) : : "cc")
#else
#define ROUNDS(n) __asm__ volatile("1: subq $1, %0\n jne 1b" : "+r"(n) : : "cc")
#endif

static uint64_t counts[3];
static uint64_t state;

#define WORK(name, index)                              \
  __attribute__((noinline)) void name(uint64_t rounds) { \
    counts[index] += 2 * rounds;                       \
    ROUNDS(rounds);                                    \
  }
WORK(work_a, 0)
WORK(work_b, 1)
WORK(work_c, 2)

static double uniform(void) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(state >> 11) / 9007199254740992.0;
}

static void (*const functions[3])(uint64_t) = {work_a, work_b, work_c};

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const char *kind = argv[1];
  state = strtoull(argv[2], NULL, 10) * 2654435761u + 1;
  for (int i = 0; i < 10; i++) uniform();
  const uint64_t all = strtoull(argv[3], NULL, 10) * 1000000;
  uint64_t done = 0;
  if (strcmp(kind, "once") == 0) {
    double cuts[2] = {uniform(), uniform()};
    if (cuts[0] > cuts[1]) { double cut = cuts[0]; cuts[0] = cuts[1]; cuts[1] = cut; }
    work_a((uint64_t)(all / 2 * cuts[0]) + 1);
    work_b((uint64_t)(all / 2 * (cuts[1] - cuts[0])) + 1);
    work_c((uint64_t)(all / 2 * (1 - cuts[1])) + 1);
  } else {
    /* A million instructions are a millisecond of the guest. */
    const double mean = strcmp(kind, "calls") == 0 ? 20000 : 1e6 * atof(strchr(kind, '-') + 1);
    for (int turn = 0; done < all; turn++) {
      const double draw = uniform();
      const int which = mean < 1e5 ? (draw < 0.5 ? 0 : draw < 0.8 ? 1 : 2) : turn % 3;
      const uint64_t rounds = (uint64_t)(mean / 2 * (0.5 + uniform())) + 1;
      functions[which](rounds);
      done += 2 * rounds;
    }
  }
  printf("{\"work_a\": %llu, \"work_b\": %llu, \"work_c\": %llu}\n", (unsigned long long)counts[0],
         (unsigned long long)counts[1], (unsigned long long)counts[2]);
  return 0;
}
