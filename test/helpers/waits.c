// A thread named "waiter" that waits in three ways, and says by its own clocks for how long, in
// nanoseconds: wall, on a CPU, in sleeps, on a pipe, on a futex; how often it left the CPU; and what
// the scheduler says of it in schedstat: on a CPU, and ready without one.

#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int pipe_ends[2];
static sem_t semaphore;
static int times;

static long long now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void rest(void) {
  const struct timespec t = {0, 5000000};
  nanosleep(&t, NULL);
}

static void *wait_in_three_ways(void *unused) {
  const long long start = now(CLOCK_MONOTONIC);
  pthread_setname_np(pthread_self(), "waiter");
  long long at = now(CLOCK_MONOTONIC);
  for (int i = 0; i < times; i++) rest();
  const long long slept = now(CLOCK_MONOTONIC) - at;
  at = now(CLOCK_MONOTONIC);
  char byte;
  for (int i = 0; i < times; i++) {
    if (read(pipe_ends[0], &byte, 1) != 1) exit(1);
  }
  const long long piped = now(CLOCK_MONOTONIC) - at;
  at = now(CLOCK_MONOTONIC);
  for (int i = 0; i < times; i++) sem_wait(&semaphore);
  const long long locked = now(CLOCK_MONOTONIC) - at;
  struct rusage usage;
  long long ran = 0, delayed = 0;
  FILE *schedstat = fopen("/proc/thread-self/schedstat", "r");
  if (schedstat == NULL || fscanf(schedstat, "%lld %lld", &ran, &delayed) != 2) ran = -1;
  getrusage(RUSAGE_THREAD, &usage);
  printf("wall %lld cpu %lld sleep %lld pipe %lld futex %lld switches %ld ran %lld delayed %lld\n",
         now(CLOCK_MONOTONIC) - start, now(CLOCK_THREAD_CPUTIME_ID), slept, piped, locked,
         usage.ru_nvcsw + usage.ru_nivcsw, ran, delayed);
  return unused;
}

int main(int argc, char **argv) {
  times = argc > 1 ? atoi(argv[1]) : 10;
  pthread_t thread;
  if (pipe(pipe_ends) != 0 || sem_init(&semaphore, 0, 0) != 0) return 1;
  pthread_create(&thread, NULL, wait_in_three_ways, NULL);
  for (int i = 0; i < times; i++) rest();
  for (int i = 0; i < times; i++) {
    rest();
    if (write(pipe_ends[1], "x", 1) != 1) return 1;
  }
  for (int i = 0; i < times; i++) {
    rest();
    sem_post(&semaphore);
  }
  pthread_join(thread, NULL);
  return 0;
}
