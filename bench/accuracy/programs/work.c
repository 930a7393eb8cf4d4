#define _GNU_SOURCE
#include "work.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, REGION_PAGES = 256 };

// In shared memory: children add to their parent's counts.
static _Atomic long *counts;
static struct rusage before;

// A compiler may merge equal bodies, so each has a number of its own to write.
#define NOINLINE __attribute__((noinline, noclone))

#define SPIN(n) for (long s = 0; s < (n); s++) __asm__ volatile("" ::: "memory")

#define FAULT_FUNCTION(name, number)                                    \
  NOINLINE void name(volatile char *page, long events, long spins) {    \
    for (long i = 0; i < events; i++) {                                 \
      page[i * PAGE] = (char)(number);                                  \
      SPIN(spins);                                                      \
    }                                                                   \
  }

#if defined(__x86_64__)
#define SYSTEM_CALL(number)                                                                   \
  do {                                                                                        \
    long result;                                                                              \
    __asm__ volatile("syscall" : "=a"(result) : "a"((long)(number)) : "rcx", "r11", "memory"); \
  } while (0)
#elif defined(__aarch64__)
#define SYSTEM_CALL(number)                                                \
  do {                                                                     \
    register long call __asm__("x8") = (number);                           \
    register long result __asm__("x0");                                    \
    __asm__ volatile("svc #0" : "=r"(result) : "r"(call) : "memory");      \
  } while (0)
#else
#error "write SYSTEM_CALL for this architecture"
#endif

#define CALL_FUNCTION(name, number)                                     \
  NOINLINE void name(volatile char *mark, long events, long spins) {    \
    *mark = (char)(number);                                             \
    for (long i = 0; i < events; i++) {                                 \
      SYSTEM_CALL(SYS_getppid);                                         \
      SPIN(spins);                                                      \
    }                                                                   \
  }

FAULT_FUNCTION(fault_a, 1)
FAULT_FUNCTION(fault_b, 2)
FAULT_FUNCTION(fault_c, 3)
FAULT_FUNCTION(fault_d, 4)
FAULT_FUNCTION(fault_e, 5)
FAULT_FUNCTION(fault_f, 6)
FAULT_FUNCTION(fault_g, 7)
FAULT_FUNCTION(fault_h, 8)
CALL_FUNCTION(call_a, 1)
CALL_FUNCTION(call_b, 2)
CALL_FUNCTION(call_c, 3)
CALL_FUNCTION(call_d, 4)
CALL_FUNCTION(call_e, 5)
CALL_FUNCTION(call_f, 6)
CALL_FUNCTION(call_g, 7)
CALL_FUNCTION(call_h, 8)

typedef void Work(volatile char *, long, long);
static Work *const works[2][FUNCTIONS] = {
    {fault_a, fault_b, fault_c, fault_d, fault_e, fault_f, fault_g, fault_h},
    {call_a, call_b, call_c, call_d, call_e, call_f, call_g, call_h},
};
static const char *const kind_names[2] = {"fault", "call"};

NOINLINE static void busy(long spins) { SPIN(spins); }

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "%s: %s\n", what, detail);
  exit(1);
}

EventKind parse_kind(const char *name) {
  if (strcmp(name, "faults") == 0) return FAULTS;
  if (strcmp(name, "calls") != 0) fail("neither faults nor calls", name);
  return CALLS;
}

static Step parse_step(const char *line) {
  Step step = {0};
  char function = 0;
  if (sscanf(line, "run %c %ld %ld", &function, &step.amount, &step.spins) == 3) {
    step.kind = RUN;
    step.function = function - 'a';
    if (step.function < 0 || step.function >= FUNCTIONS) fail("no such function", line);
  } else if (sscanf(line, "sleep %ld", &step.amount) == 1) {
    step.kind = SLEEP;
  } else if (sscanf(line, "busy %ld", &step.amount) == 1) {
    step.kind = BUSY;
  } else if (sscanf(line, "cpu %ld", &step.amount) == 1) {
    step.kind = CPU;
  } else {
    fail("not a step", line);
  }
  return step;
}

Script read_script(const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) fail("can't read", path);
  Script script = {0};
  char line[128];
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "task", 4) == 0) {
      script.tasks = realloc(script.tasks, (size_t)(script.length + 1) * sizeof(Task));
      script.tasks[script.length++] = (Task){0};
      continue;
    }
    if (script.length == 0) fail("a step before the first task", path);
    Task *task = &script.tasks[script.length - 1];
    if ((task->length & (task->length - 1)) == 0) {
      const long room = task->length == 0 ? 1 : task->length * 2;
      task->steps = realloc(task->steps, (size_t)room * sizeof(Step));
    }
    task->steps[task->length++] = parse_step(line);
  }
  fclose(file);
  if (script.length == 0) fail("no task in", path);
  return script;
}

void start_counts(void) {
  counts = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (counts == MAP_FAILED) fail("mmap", "counts");
  getrusage(RUSAGE_SELF, &before);
}

NOINLINE static void sleep_microseconds(long amount) {
  const struct timespec time = {amount / 1000000, amount % 1000000 * 1000};
  nanosleep(&time, NULL);
}

NOINLINE static void go_to_cpu(long number) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)number, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) fail("sched_setaffinity", "no such CPU");
}

/** Makes the events in pieces of a region at most; between them the region is emptied. */
NOINLINE static void run_step(EventKind kind, const Step *step, char *region) {
  Work *work = works[kind][step->function];
  for (long left = step->amount; left > 0; left -= REGION_PAGES) {
    const long events = left < REGION_PAGES ? left : REGION_PAGES;
    work(region, events, step->spins);
    if (kind == FAULTS) madvise(region, (size_t)REGION_PAGES * PAGE, MADV_DONTNEED);
  }
  atomic_fetch_add(&counts[step->function], step->amount);
}

void run_task(EventKind kind, const Task *task) {
  const size_t size = (size_t)REGION_PAGES * PAGE;
  char *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (region == MAP_FAILED) fail("mmap", "region");
  // One fault must be one page, not 512 of them.
  madvise(region, size, MADV_NOHUGEPAGE);
  // A system call function writes its mark here: fault once, before it counts.
  if (kind == CALLS) *(volatile char *)region = 0;
  for (long i = 0; i < task->length; i++) {
    const Step *step = &task->steps[i];
    switch (step->kind) {
      case RUN: run_step(kind, step, region); break;
      case SLEEP: sleep_microseconds(step->amount); break;
      case BUSY: busy(step->amount); break;
      case CPU: go_to_cpu(step->amount); break;
    }
  }
  munmap(region, size);
}

void write_truth(EventKind kind, const char *path) {
  struct rusage self, children;
  getrusage(RUSAGE_SELF, &self);
  getrusage(RUSAGE_CHILDREN, &children);
  const long all = self.ru_minflt + self.ru_majflt - before.ru_minflt - before.ru_majflt +
                   children.ru_minflt + children.ru_majflt;
  FILE *file = fopen(path, "w");
  if (file == NULL) fail("can't write", path);
  fprintf(file, "{\"events\": {");
  const char *comma = "";
  for (int i = 0; i < FUNCTIONS; i++) {
    if (counts[i] == 0) continue;
    fprintf(file, "%s\"%s_%c\": %ld", comma, kind_names[kind], 'a' + i, counts[i]);
    comma = ", ";
  }
  fprintf(file, "}, \"allFaults\": %ld}\n", all);
  if (fclose(file) != 0) fail("can't write", path);
}
