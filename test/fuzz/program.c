/* What fuzzed ELF files are compiled from: inlined calls, a hot and a cold part, data, a global. */
struct node {
  struct node *next;
  int value;
};

static struct node nodes[4];
int total;

static inline __attribute__((always_inline)) int leaf(int x) {
  volatile int y = x;
  return y * 3;
}

static inline __attribute__((always_inline)) int twice(int x) { return leaf(x) + leaf(x + 1); }

__attribute__((noinline)) int walk(struct node *first) {
  int sum = 0;
  for (struct node *at = first; at; at = at->next) {
    if (__builtin_expect(at->value < 0, 0)) sum -= twice(at->value);
    sum += twice(at->value);
  }
  return sum;
}

__attribute__((noinline, cold)) void fail(int code) { total = code; }

__attribute__((noinline)) int recurse(int depth) {
  int below[4];
  if (depth == 0) return walk(nodes);
  for (int i = 0; i < 4; i++) below[i] = recurse(depth - 1);
  return below[depth & 3];
}

int main(int count, char **words) {
  (void)words;
  if (count > 3) fail(count);
  total += recurse(count);
  return total & 1;
}
