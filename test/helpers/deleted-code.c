// Code whose file is gone while it runs. Arguments: a mode, and the millions of rounds to go.
//
//   spin            nothing is removed
//   unlink          removes its own file first
//   memfd           runs a copy of itself that has no path
//   library PATH    loads the library at PATH, removes it, and runs its function

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;
static volatile unsigned long sum;

__attribute__((noinline)) void hot_deleted(unsigned long rounds) {
  for (unsigned long i = 0; i < rounds; i++) sum += i * 3;
}

static int fail(const char *what) {
  perror(what);
  return 1;
}

static int run_copy(const char *millions) {
  int from = open("/proc/self/exe", O_RDONLY);
  int to = memfd_create("packed", 0);
  struct stat info;
  if (from < 0 || to < 0 || fstat(from, &info) < 0) return fail("copy");
  for (off_t at = 0; at < info.st_size;) {
    if (sendfile(to, from, &at, info.st_size - at) <= 0) return fail("sendfile");
  }
  char *words[] = {"packed", "spin", (char *)millions, NULL};
  fexecve(to, words, environ);
  return fail("fexecve");
}

int main(int count, char **words) {
  if (count < 3) return 2;
  const char *mode = words[1];
  unsigned long rounds = strtoul(words[2], NULL, 10) * 1000000;
  if (strcmp(mode, "memfd") == 0) return run_copy(words[2]);
  if (strcmp(mode, "unlink") == 0 && unlink(words[0]) < 0) return fail("unlink");
  void (*run)(unsigned long) = hot_deleted;
  if (strcmp(mode, "library") == 0) {
    void *library = dlopen(words[3], RTLD_NOW);
    if (library == NULL || unlink(words[3]) < 0) return fail("library");
    run = (void (*)(unsigned long))dlsym(library, "hot_deleted");
  }
  puts("runs");
  fflush(stdout);
  run(rounds);
  return 0;
}
