// A recorded program that maps files as code without an end: mappings COUNT, in its folder.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define FILES 8000

static char program[1 << 16];

static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

/** Prints what `cpu-of-recorder.mjs` prints. */
static void print_cpu_of_parent(void) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/%d/stat", getppid());
  FILE* file = fopen(path, "r");
  if (file == NULL) return;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  long user = 0, system = 0;
  sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user,
         &system);
  printf("recorder at its command's end: %ld ms\n", (user + system) * 1000 / sysconf(_SC_CLK_TCK));
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 0;
  // On the stack, where a copied stack has them: addresses in whatever was mapped there.
  volatile uintptr_t seen[512] = {0};
  const int self = open("/proc/self/exe", O_RDONLY);
  const ssize_t size = read(self, program, sizeof program);
  for (long i = 0; i < count; i++) {
    char path[32];
    snprintf(path, sizeof path, "mapped-%ld", i % FILES);
    const int file = open(path, O_RDWR | O_CREAT, 0700);
    if (i < FILES && write(file, program, size) != size) return 1;
    void* at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED) return 1;
    seen[i % 512] = (uintptr_t)at;
    munmap(at, 4096);
    close(file);
  }
  puts("connected");
  const double end = cpu_seconds() + 0.3;
  while (cpu_seconds() < end) seen[0]++;
  print_cpu_of_parent();
  fflush(stdout);
  return 7;
}
