// A thread named "waiter" that is woken while others hold the only CPU it may run on. It says `wall W late
// L`, nanoseconds: from its first read to its last, and in all from the moments at which it was sent what
// it reads to those at which it had it. Whoever has the CPU keeps it when the waiter is woken
// (SCHED_BATCH). The thread that wakes it is named "waker" and may run anywhere.
//
//   runnable TIMES HOGS

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int go[2], done[2];
static int times;
static cpu_set_t one_cpu;
static atomic_int is_over;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *wait_for_bytes(void *unused) {
  pthread_setname_np(pthread_self(), "waiter");
  const struct sched_param none = {0};
  sched_setscheduler(0, SCHED_BATCH, &none);
  const long long start = now();
  long long sent, late = 0;
  char byte = 0;
  for (int i = 0; i < times; i++) {
    if (write(done[1], &byte, 1) != 1 || read(go[0], &sent, sizeof sent) != sizeof sent) exit(4);
    late += now() - sent;
  }
  const long long wall = now() - start;
  printf("wall %lld late %lld\n", wall, late);
  return unused;
}

static void *wake(void *unused) {
  pthread_setname_np(pthread_self(), "waker");
  const struct timespec rest = {0, 20000000};
  char byte;
  for (int i = 0; i < times; i++) {
    if (read(done[0], &byte, 1) != 1) exit(5);
    nanosleep(&rest, NULL);
    const long long sent = now();
    if (write(go[1], &sent, sizeof sent) != sizeof sent) exit(6);
  }
  return unused;
}

static void *hog(void *unused) {
  while (!atomic_load(&is_over)) continue;
  return unused;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  times = atoi(argv[1]);
  cpu_set_t cpus;
  sched_getaffinity(0, sizeof cpus, &cpus);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &cpus)) cpu++;
  CPU_ZERO(&one_cpu);
  CPU_SET(cpu, &one_cpu);
  if (pipe(go) != 0 || pipe(done) != 0) return 3;
  pthread_t waiter, waker, hogs[64];
  const int count = atoi(argv[2]);
  pthread_attr_t there;
  pthread_attr_init(&there);
  pthread_attr_setaffinity_np(&there, sizeof one_cpu, &one_cpu);
  for (int i = 0; i < count && i < 64; i++) pthread_create(&hogs[i], &there, hog, NULL);
  pthread_create(&waiter, &there, wait_for_bytes, NULL);
  pthread_create(&waker, NULL, wake, NULL);
  pthread_join(waiter, NULL);
  pthread_join(waker, NULL);
  atomic_store(&is_over, 1);
  for (int i = 0; i < count && i < 64; i++) pthread_join(hogs[i], NULL);
  return 0;
}
