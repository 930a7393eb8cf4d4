// Every kind of frame, a few samples each: deep recursion, alloca, a realigned stack, arguments on the
// stack, callbacks out of libc, PLT entries, signal handlers, a thread. The argument is the number
// of rounds.

#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define FUNCTION __attribute__((noinline, noclone))

typedef double Vector __attribute__((vector_size(32)));

static volatile long sink;

FUNCTION long spin(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) sum += i ^ (sum >> 3);
  sink += sum;
  return sum;
}

FUNCTION long recurse(int depth, long n) {
  if (depth == 0) return spin(n);
  return recurse(depth - 1, n) + depth;
}

FUNCTION long allocate(int bytes, long n) {
  char *memory = alloca(bytes);
  memset(memory, bytes, bytes);
  sink += memory[bytes / 2];
  long sum = spin(n);
  sink += memory[0];
  return sum;
}

FUNCTION double realign(const Vector *vector, long n) {
  volatile Vector copy = *vector;
  spin(n);
  return copy[0];
}

FUNCTION long many(long a, long b, long c, long d, long e, long f, long g, long h) {
  return spin(a + b + c + d + e + f + g + h) + 1;
}

static int compare(const void *left, const void *right) {
  sink += spin(20) & 1;
  return *(const int *)left - *(const int *)right;
}

FUNCTION void sort(void) {
  static int values[1000];
  for (int i = 0; i < 1000; i++) values[i] = i * 7919 % 1009;
  qsort(values, 1000, sizeof values[0], compare);
}

FUNCTION void call_library(void) {
  for (int i = 0; i < 5000; i++) sink += (long)getenv("UNSET") + abs((int)sink);
}

static void on_signal(int number) {
  spin(5000);
  (void)number;
}

FUNCTION void raise_signals(void) {
  for (int i = 0; i < 40; i++) raise(SIGUSR1);
}

static void *run_thread(void *argument) {
  for (int i = 0; i < 20; i++) recurse(10, 200000);
  return argument;
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 1;
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 3000}, {0, 3000}};
  setitimer(ITIMER_REAL, &often, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, run_thread, NULL);
  for (int i = 0; i < rounds; i++) {
    Vector vector = {1, 2, 3, 4};
    recurse(60, 100000);
    for (int bytes = 16; bytes < 1500; bytes += 37) allocate(bytes, 5000);
    realign(&vector, 100000);
    many(1, 2, 3, 4, 5, 6, 7, 100000);
    sort();
    call_library();
    raise_signals();
  }
  pthread_join(thread, NULL);
  return 0;
}
