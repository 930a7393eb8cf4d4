// phases STEP...: what the guest's recordings record. The steps run in their order, `xN` repeats
// all steps before it N times over:
//
//     a:TURNS b:TURNS c:TURNS   TURNS turns of one and the same loop, in function loop_a, loop_b, loop_c
//     f:PAGES g:PAGES           fresh pages touched, a page fault each, in faults_f, faults_g
//     s:MS                      sleep
//     p:PRIORITY                from here on before every ordinary task of this CPU (SCHED_FIFO)
//     t:TURNS                   two threads at once, TURNS turns of loop_a and TURNS/3 of loop_b
//
// The loops are equal instructions, so their shares of cycles are the shares of their turns, on any
// machine whose frequency holds still. Static, so that it runs where no library is.

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096, REGION_PAGES = 1024 };

// Equal bodies may be merged, so each has a number of its own. The loops are aligned alike.
#define LOOP(name, number)                                                 \
  __attribute__((noinline, noclone, aligned(64))) void name(long turns) {  \
    __asm__ volatile("" ::"i"(number));                                    \
    for (long i = 0; i < turns; i++) __asm__ volatile("" ::: "memory");    \
  }

#define FAULTS(name, number)                                                            \
  __attribute__((noinline, noclone)) void name(volatile char *pages, long count) {      \
    for (long i = 0; i < count; i++) pages[i * PAGE] = (char)(number);                  \
  }

LOOP(loop_a, 1)
LOOP(loop_b, 2)
LOOP(loop_c, 3)
FAULTS(faults_f, 1)
FAULTS(faults_g, 2)

static void fault(void (*touch)(volatile char *, long), long pages) {
  while (pages > 0) {
    const long now = pages < REGION_PAGES ? pages : REGION_PAGES;
    char *region = mmap(NULL, (size_t)now * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) exit(1);
    madvise(region, (size_t)now * PAGE, MADV_NOHUGEPAGE);
    touch(region, now);
    munmap(region, (size_t)now * PAGE);
    pages -= now;
  }
}

static void *run_a(void *turns) {
  loop_a(*(long *)turns);
  return NULL;
}

static void *run_b(void *turns) {
  loop_b(*(long *)turns / 3);
  return NULL;
}

static void run_threads(long turns) {
  pthread_t first;
  pthread_t second;
  if (pthread_create(&first, NULL, run_a, &turns) != 0) exit(1);
  if (pthread_create(&second, NULL, run_b, &turns) != 0) exit(1);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}

static void go_first(int priority) {
  const struct sched_param param = {priority};
  if (sched_setscheduler(0, SCHED_FIFO, &param) != 0) exit(1);
}

static void run(const char *step) {
  if (step[0] == 0 || step[1] != ':') exit(2);
  const long amount = atol(step + 2);
  const struct timespec pause = {amount / 1000, amount % 1000 * 1000000};
  switch (step[0]) {
    case 'a': loop_a(amount); break;
    case 'b': loop_b(amount); break;
    case 'c': loop_c(amount); break;
    case 'f': fault(faults_f, amount); break;
    case 'g': fault(faults_g, amount); break;
    case 's': nanosleep(&pause, NULL); break;
    case 'p': go_first((int)amount); break;
    case 't': run_threads(amount); break;
    default: exit(2);
  }
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] != 'x') {
      run(argv[i]);
      continue;
    }
    for (long again = atol(argv[i] + 1); again > 1; again--) {
      for (int k = 1; k < i; k++) run(argv[k]);
    }
  }
  return 0;
}
