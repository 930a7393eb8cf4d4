// A program whose stacks are hard to follow without unwind tables: stacks ROUNDS. Compiled without
// frame pointers it calls itself, is called back by the C library, and takes signals.

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static volatile double sink;

APART static double leaf(double x) {
  for (int i = 0; i < 1000; i++) x = x * 1.0000001 + i;
  return x;
}

APART static double recurse(int depth, double x) {
  volatile char pad[64];
  memset((char *)pad, depth, sizeof pad);
  return depth == 0 ? leaf(x) : recurse(depth - 1, x + pad[depth % 64]) * 1.0001;
}

APART static int compare(const void *a, const void *b) {
  sink += leaf(1);
  return *(const int *)a - *(const int *)b;
}

APART static void sorts(void) {
  int values[40];
  for (int i = 0; i < 40; i++) values[i] = rand();
  qsort(values, 40, sizeof values[0], compare);
}

APART static void on_alarm(int signal) { sink += recurse(5, signal); }

int main(int count, char **words) {
  signal(SIGALRM, on_alarm);
  for (long round = count > 1 ? atol(words[1]) : 1; round > 0; round--) {
    sorts();
    for (int i = 0; i < 20; i++) raise(SIGALRM);
    sink += recurse(10, 1) + recurse(40, 2);
  }
  return 0;
}
