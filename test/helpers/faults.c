/*
 * A program that counts its own page faults by function, so that a test knows the true shares.
 *
 *     faults loop A B ROUNDS          each round: A faults in fault_a, B in fault_b
 *     faults halves N                 N faults in fault_a, then N in fault_b
 *     faults children COUNT N ROUNDS  COUNT children, one after the other, of N faults in fault_child
 *                                     each, while this process does `loop 70 30 ROUNDS`
 *
 * A fault is a first write to a page of a private mapping, which is dropped again with MADV_DONTNEED.
 * At its end it prints how many faults each function made: `fault_a 70 fault_b 30`.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { AREA_PAGES = 256, PAGE = 4096 };

static volatile char *area;
static long next_page;

static inline __attribute__((always_inline)) void fault(void) {
  if (next_page == AREA_PAGES) {
    madvise((void *)area, (size_t)AREA_PAGES * PAGE, MADV_DONTNEED);
    next_page = 0;
  }
  area[next_page++ * PAGE] = 1;
}

NOINLINE long fault_a(long count) {
  for (long i = 0; i < count; i++) fault();
  return count;
}

NOINLINE long fault_b(long count) {
  for (long i = 0; i < count; i++) {
    fault();
    __asm__ volatile("" ::: "memory");
  }
  return count + (next_page < 0);
}

NOINLINE long fault_child(long count) {
  for (long i = 0; i < count; i++) {
    fault();
    __asm__ volatile("nop" ::: "memory");
  }
  return count - (next_page < 0);
}

static void loop(long a, long b, long rounds) {
  long made_a = 0;
  long made_b = 0;
  for (long i = 0; i < rounds; i++) {
    made_a += fault_a(a);
    made_b += fault_b(b);
  }
  printf("fault_a %ld fault_b %ld\n", made_a, made_b);
}

static void children(long count, long faults) {
  for (long i = 0; i < count; i++) {
    pid_t child = fork();
    if (child == 0) {
      fault_child(faults);
      _exit(0);
    }
    if (child < 0) _exit(1);
    waitpid(child, NULL, 0);
  }
  _exit(0);
}

int main(int argc, char **argv) {
  long numbers[3] = {0, 0, 0};
  for (int i = 2; i < argc && i < 5; i++) numbers[i - 2] = atol(argv[i]);
  area = mmap(NULL, (size_t)AREA_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
              -1, 0);
  if (area == MAP_FAILED) return 1;
  /* Pages of 2 MB would make one fault of 512. */
  madvise((void *)area, (size_t)AREA_PAGES * PAGE, MADV_NOHUGEPAGE);
  if (argc == 5 && strcmp(argv[1], "loop") == 0) {
    loop(numbers[0], numbers[1], numbers[2]);
  } else if (argc == 3 && strcmp(argv[1], "halves") == 0) {
    loop(numbers[0], numbers[0], 1);
  } else if (argc == 5 && strcmp(argv[1], "children") == 0) {
    pid_t parent_of_all = fork();
    if (parent_of_all == 0) children(numbers[0], numbers[1]);
    loop(70, 30, numbers[2]);
    waitpid(parent_of_all, NULL, 0);
    printf("fault_child %ld\n", numbers[0] * numbers[1]);
  } else {
    return 2;
  }
  return 0;
}
