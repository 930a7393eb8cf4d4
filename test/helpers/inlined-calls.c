/* One loop, whose body is two functions deep in inlined calls: outer > mid > leaf. */
#include <stdlib.h>

static inline __attribute__((always_inline)) unsigned leaf(unsigned x) {
  unsigned y = x;
  for (int i = 0; i < 2000; i++) y = y * 33 + (i ^ y); /* the hot line */
  return y;
}

static inline __attribute__((always_inline)) unsigned mid(unsigned x) {
  return leaf(x) * 2; /* the call of leaf */
}

__attribute__((noinline)) unsigned outer(unsigned x) {
  return mid(x) + 1; /* the call of mid */
}

int main(int count, char **words) {
  unsigned sum = 0;
  for (int i = atoi(words[count - 1]); i > 0; i--) sum += outer(i);
  return sum == 42;
}
