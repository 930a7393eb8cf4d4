/*
 * The program that live tests record. Each mode makes a known number of one kind of event, so that
 * a test can say how many samples there must be.
 *
 *     workload MODE N SECONDS [EXTRA]
 *
 *     burn N S [DEPTH]      N threads compute for S seconds, DEPTH (4) calls deep above `leaf`
 *     pf N S                N page faults; with N = 0 as many as fit into S seconds
 *     faults-pinned N CPU   N page faults on one CPU (0); the process never leaves it
 *     sys N S               N getppid system calls; N = 0: by time
 *     threads N S           N threads alive at once that compute and yield for S seconds
 *     waiting N S           N threads alive at once for S seconds: one computes, the others sleep
 *     chains 4 S MS         4 threads of which each computes for MS milliseconds, starts one that does the
 *                           same, and ends; each chain in a function of its own, chain_0 to chain_3
 *     leaderless N S        N threads that compute for S seconds; the first thread has ended
 *     shortthr N            N threads, one after the other, each computing for an instant
 *     forks N S             N children, one after the other, that compute and exit; N = 0: by time
 *     relays N S MS         N children at once that compute for MS milliseconds; each that ends is followed
 *                           by another one, for S seconds
 *     execs N               N children, one after the other, that become /bin/true
 *     maps N                N mappings of executable memory, one after the other
 *     threads-asked N       one thread more for each line of stdin, which makes N page faults when stdin
 *                           ends
 *     bursts N MS IDLE_MS   N times: compute for MS milliseconds, sleep for IDLE_MS
 *     segv 0 S, kill9 0 S   compute for S seconds, then die of SIGSEGV, SIGKILL
 *     exit CODE             exit at once
 *
 * At its end it says on stderr how much it did: `pf 1000 in 0.004 s`. Exit status 2: not understood;
 * 1: less could be done than was asked.
 *
 * Build: cc -O2 -g -fno-omit-frame-pointer -pthread. The functions that a profile must name are kept
 * out of line; `deep` must not become a loop.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { FAULT_AREA_PAGES = 256, SMALL_STACK_BYTES = 64 * 1024 };

/* Keeps the results of computations alive. */
static volatile unsigned long sink;

static double start_seconds;
static double end_seconds;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/*
 * A process that computes "for S seconds" does so until S seconds have passed and it has had a CPU
 * for half of them: on a crowded machine a short one would else end before the first tick. The
 * second clock is asked only behind the end of the first.
 */
static int computes_on(void) {
  return now() < end_seconds || cpu_seconds() < (end_seconds - start_seconds) / 2;
}

/* More to do: below the count if there is one, else before the end. */
static int more(long done, long count) { return count ? done < count : computes_on(); }

/* A few microseconds of arithmetic that the compiler can't shorten. */
NOINLINE unsigned long leaf(unsigned long x) {
  for (int i = 0; i < 2000; i++) x = x * 6364136223846793005UL + 1;
  return x;
}

/* `depth` frames above `leaf`. The sum after the call keeps it from being a tail call. */
NOINLINE unsigned long deep(int depth, unsigned long x) {
  if (depth == 0) return leaf(x);
  unsigned long result = deep(depth - 1, x + 1);
  sink += result;
  return result + 1;
}

static void compute_until(double end) {
  unsigned long x = 1;
  while (now() < end) x = leaf(x);
  sink += x;
}

static void compute_to_the_end(void) {
  unsigned long x = 1;
  while (computes_on()) x = leaf(x);
  sink += x;
}

static void *burn_thread(void *depth) {
  unsigned long x = 1;
  while (computes_on()) x = deep((int)(long)depth, x);
  sink += x;
  return NULL;
}

static void *yielding_thread(void *unused) {
  (void)unused;
  unsigned long x = 1;
  while (computes_on()) {
    x = leaf(x);
    sched_yield();
  }
  sink += x;
  return NULL;
}

/* The first to come computes. */
static void *waiting_thread(void *unused) {
  static atomic_flag computes = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&computes)) {
    compute_to_the_end();
    return unused;
  }
  const struct timespec end = {(time_t)end_seconds, 0};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0) continue;
  return unused;
}

static void start_detached(void *(*body)(void *), void *argument) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &attributes, body, argument) != 0) abort();
}

/* Computes for a while, hands on to a thread that does the same, and ends. */
#define CHAIN(NAME)                                                     \
  static void *NAME(void *seconds) {                                    \
    const double end = now() + *(double *)seconds;                      \
    unsigned long x = 1;                                                \
    while (now() < end) {                                               \
      for (int i = 0; i < 2000; i++) x = x * 6364136223846793005UL + 1; \
    }                                                                   \
    sink += x;                                                          \
    if (now() < end_seconds) start_detached(NAME, seconds);             \
    return NULL;                                                        \
  }
CHAIN(chain_0)
CHAIN(chain_1)
CHAIN(chain_2)
CHAIN(chain_3)

/* As many threads as there are functions: a profile says of each chain whether it is in it. */
static long run_chains(double seconds_each) {
  start_detached(chain_0, &seconds_each);
  start_detached(chain_1, &seconds_each);
  start_detached(chain_2, &seconds_each);
  start_detached(chain_3, &seconds_each);
  while (now() < end_seconds + 1) usleep(100000);
  return 4;
}

/* The process ends with the last of the threads. */
static void leave_to(long count, void *(*body)(void *)) {
  for (long i = 0; i < count; i++) start_detached(body, (void *)(i + 1));
  pthread_exit(NULL);
}

static void *short_thread(void *unused) {
  (void)unused;
  sink += leaf(1);
  return NULL;
}

/* Starts `count` threads with stacks of `stack_bytes` (0: default), joins them; how many started. */
static long run_threads(long count, size_t stack_bytes, void *(*body)(void *), void *argument) {
  pthread_t *threads = calloc(count, sizeof *threads);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_bytes) pthread_attr_setstacksize(&attributes, stack_bytes);
  long started = 0;
  while (started < count && !pthread_create(&threads[started], &attributes, body, argument)) {
    started++;
  }
  for (long i = 0; i < started; i++) pthread_join(threads[i], NULL);
  free(threads);
  return started;
}

/*
 * One fault per page touched: the area is small pages only, and is given back before it is touched
 * again.
 */
NOINLINE long page_faults(long count) {
  const size_t page_bytes = sysconf(_SC_PAGESIZE);
  const size_t bytes = FAULT_AREA_PAGES * page_bytes;
  char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED) return 0;
  madvise(area, bytes, MADV_NOHUGEPAGE);
  long done = 0;
  while (more(done, count)) {
    for (size_t at = 0; at < bytes && (!count || done < count); at += page_bytes) {
      area[at] = 1;
      done++;
    }
    madvise(area, bytes, MADV_DONTNEED);
  }
  munmap(area, bytes);
  return done;
}

static int pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set);
}

NOINLINE long system_calls(long count) {
  long done = 0;
  while (more(done, count)) {
    syscall(SYS_getppid);
    done++;
  }
  return done;
}

static long short_threads(long count) {
  long done = 0;
  while (done < count && run_threads(1, 0, short_thread, NULL) == 1) done++;
  return done;
}

static long forks(long count) {
  long done = 0;
  while (count ? done < count : now() < end_seconds) {
    pid_t child = fork();
    if (child < 0) break;
    if (child == 0) {
      sink += leaf(1);
      _exit(0);
    }
    waitpid(child, NULL, 0);
    done++;
  }
  return done;
}

/* How many children there were. */
static long relays(long at_once, double seconds_each) {
  long done = 0, alive = 0;
  while (now() < end_seconds || alive > 0) {
    while (alive < at_once && now() < end_seconds) {
      pid_t child = fork();
      if (child < 0) break;
      if (child == 0) {
        compute_until(now() + seconds_each);
        _exit(0);
      }
      alive++;
      done++;
    }
    if (alive == 0 || wait(NULL) < 0) break;
    alive--;
  }
  return done;
}

/* vfork: the child borrows this frame until it has become /bin/true. */
NOINLINE int run_true(void) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", (char *)NULL);
    _exit(127);
  }
  return child > 0 && waitpid(child, NULL, 0) == child;
}

static long execs(long count) {
  long done = 0;
  while (done < count && run_true()) done++;
  return done;
}

static long executable_mappings(long count) {
  const size_t page_bytes = sysconf(_SC_PAGESIZE);
  long done = 0;
  while (done < count) {
    void *page = mmap(NULL, page_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) break;
    munmap(page, page_bytes);
    done++;
  }
  return done;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static long faults_each;

static void *faulting_thread(void *unused) {
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  page_faults(faults_each);
  return unused;
}

/* Who has a thread made is whose turn it is: the first thread's, so that a test knows. */
static long threads_asked(long faults) {
  pthread_t threads[64];
  long started = 0;
  faults_each = faults;
  pthread_mutex_lock(&gate);
  for (int c = getchar(); c != EOF; c = getchar()) {
    if (c == '\n' && started < 64) {
      pthread_create(&threads[started++], NULL, faulting_thread, NULL);
    }
  }
  pthread_mutex_unlock(&gate);
  for (long i = 0; i < started; i++) pthread_join(threads[i], NULL);
  return faults;
}

/* Every burst starts at a fixed time, so that late wake-ups don't add up. */
static long bursts(long count, double busy_seconds, double idle_seconds) {
  for (long i = 0; i < count; i++) {
    double begin = start_seconds + i * (busy_seconds + idle_seconds);
    struct timespec time = {(time_t)begin, (long)((begin - (time_t)begin) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) {
    }
    compute_until(begin + busy_seconds);
  }
  return count;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: workload MODE N SECONDS [EXTRA]\n");
    return 2;
  }
  const char *mode = argv[1];
  const long count = argc > 2 ? atol(argv[2]) : 1;
  const double seconds = argc > 3 ? atof(argv[3]) : 2;
  const char *extra = argc > 4 ? argv[4] : NULL;
  start_seconds = now();
  end_seconds = start_seconds + seconds;

  long done = 0;
  if (!strcmp(mode, "exit")) {
    return (int)count;
  } else if (!strcmp(mode, "burn")) {
    done = run_threads(count, 0, burn_thread, (void *)(extra ? atol(extra) : 4L));
  } else if (!strcmp(mode, "pf")) {
    done = page_faults(count);
  } else if (!strcmp(mode, "faults-pinned")) {
    if (pin_to(argc > 3 ? atoi(argv[3]) : 0) != 0) {
      perror("sched_setaffinity");
      return 1;
    }
    done = page_faults(count);
  } else if (!strcmp(mode, "sys")) {
    done = system_calls(count);
  } else if (!strcmp(mode, "threads")) {
    done = run_threads(count, SMALL_STACK_BYTES, yielding_thread, NULL);
  } else if (!strcmp(mode, "waiting")) {
    done = run_threads(count, SMALL_STACK_BYTES, waiting_thread, NULL);
  } else if (!strcmp(mode, "chains")) {
    done = run_chains(extra ? atof(extra) / 1000 : 0.001);
  } else if (!strcmp(mode, "leaderless")) {
    leave_to(count, burn_thread);
  } else if (!strcmp(mode, "shortthr")) {
    done = short_threads(count);
  } else if (!strcmp(mode, "forks")) {
    done = forks(count);
  } else if (!strcmp(mode, "relays")) {
    done = relays(count, extra ? atof(extra) / 1000 : 0.1);
  } else if (!strcmp(mode, "execs")) {
    done = execs(count);
  } else if (!strcmp(mode, "threads-asked")) {
    done = threads_asked(count);
  } else if (!strcmp(mode, "maps")) {
    done = executable_mappings(count);
  } else if (!strcmp(mode, "bursts")) {
    done = bursts(count, seconds / 1000, extra ? atof(extra) / 1000 : 0);
  } else if (!strcmp(mode, "segv")) {
    compute_to_the_end();
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
  } else if (!strcmp(mode, "kill9")) {
    compute_to_the_end();
    kill(getpid(), SIGKILL);
  } else {
    fprintf(stderr, "workload: no mode '%s'\n", mode);
    return 2;
  }
  fprintf(stderr, "%s %ld in %.3f s\n", mode, done, now() - start_seconds);
  return done < count ? 1 : 0;
}
