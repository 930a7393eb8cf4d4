// threads faults|calls SCRIPT TRUTH: every task of the script in a thread of its own, at the same
// time. A script of one task runs in the main thread.

#include <pthread.h>
#include <stdlib.h>

#include "work.h"

static EventKind kind;

static void *run(void *task) {
  run_task(kind, task);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  kind = parse_kind(argv[1]);
  const Script script = read_script(argv[2]);
  start_counts();
  pthread_t *threads = calloc((size_t)script.length, sizeof(pthread_t));
  for (long i = 1; i < script.length; i++) {
    if (pthread_create(&threads[i], NULL, run, &script.tasks[i]) != 0) return 1;
  }
  run(&script.tasks[0]);
  for (long i = 1; i < script.length; i++) pthread_join(threads[i], NULL);
  write_truth(kind, argv[3]);
  return 0;
}
