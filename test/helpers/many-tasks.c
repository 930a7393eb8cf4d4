/*
 * Threads or children that each make a known number of one event, and may change the CPU on their
 * way: for recordings whose instances are many.
 *
 *     many-tasks HOW TASKS EVENT N [MOVES]
 *
 *     HOW      alone: in the process itself (TASKS is 1); threads; forks
 *     EVENT    fault: first touch of a page; call: getppid
 *     MOVES    change between the first two CPUs MOVES times, N / MOVES events on each
 *
 * Exit status 2: not understood. Build: cc -O2 -pthread.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AREA_PAGES = 256, PAGE_BYTES = 4096, MOST_TASKS = 64 };

static int faults;
static long events;
static long moves;

static void move_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static void *work(void *unused) {
  (void)unused;
  long each = moves ? events / moves : 0;
  char *area = mmap(NULL, AREA_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(area, AREA_PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
  for (long i = 0; i < events; i++) {
    if (each && i % each == 0) move_to(i / each % 2);
    if (!faults) {
      syscall(SYS_getppid);
      continue;
    }
    long page = i % AREA_PAGES;
    if (page == 0) madvise(area, AREA_PAGES * PAGE_BYTES, MADV_DONTNEED);
    area[page * PAGE_BYTES] = 1;
  }
  munmap(area, AREA_PAGES * PAGE_BYTES);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  long tasks = atol(argv[2]);
  if (tasks < 1 || tasks > MOST_TASKS) return 2;
  faults = strcmp(argv[3], "fault") == 0;
  events = atol(argv[4]);
  moves = argc > 5 ? atol(argv[5]) : 0;
  if (strcmp(argv[1], "alone") == 0) {
    work(NULL);
  } else if (strcmp(argv[1], "threads") == 0) {
    pthread_t threads[MOST_TASKS];
    for (long i = 0; i < tasks; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (long i = 0; i < tasks; i++) pthread_join(threads[i], NULL);
  } else if (strcmp(argv[1], "forks") == 0) {
    for (long i = 0; i < tasks; i++) {
      if (fork() == 0) {
        work(NULL);
        _exit(0);
      }
    }
    while (wait(NULL) > 0) continue;
  } else {
    return 2;
  }
  return 0;
}
