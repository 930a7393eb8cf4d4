// forks faults|calls SCRIPT TRUTH: every task of the script in a child of its own, four at once.

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const EventKind kind = parse_kind(argv[1]);
  const Script script = read_script(argv[2]);
  start_counts();
  for (long i = 0; i < script.length; i++) {
    if (i >= 4 && wait(NULL) < 0) return 1;
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      run_task(kind, &script.tasks[i]);
      _exit(0);
    }
  }
  while (wait(NULL) > 0) {
  }
  write_truth(kind, argv[3]);
  return 0;
}
