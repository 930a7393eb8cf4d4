/*
 * A JIT of one page: makes the same code at one address again and again, each time under another
 * name, and runs it for a while before it makes the next.
 *
 *   jit-reuse map|dump PHASES LOOPS
 *
 * `map` appends to /tmp/perf-PID.map, `dump` writes jit-PID.dump into the working directory and
 * maps it, as V8 and others do. Standard output has a line for each phase, written before its code
 * runs: number, CLOCK_MONOTONIC in nanoseconds, address.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

/* Counts its argument down to 0. */
#if defined(__x86_64__)
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#define MACHINE 62
#elif defined(__aarch64__)
static const unsigned char code[] = {0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff,
                                     0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#define MACHINE 183
#endif

struct header {
  uint32_t magic, version, size, machine, pad, pid;
  uint64_t time, flags;
};
struct load {
  uint32_t id, size;
  uint64_t time;
  uint32_t pid, tid;
  uint64_t vma, address, code_size, index;
};
struct lines {
  uint32_t id, size;
  uint64_t time, address, count;
};
struct line {
  uint64_t address;
  int32_t line, discriminator;
  char file[8];
};

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void put(int fd, const void* bytes, size_t size) {
  if (write(fd, bytes, size) != (ssize_t)size) exit(3);
}

static void add_to_map(int fd, void* page, const char* name) {
  char text[100];
  put(fd, text, snprintf(text, sizeof text, "%lx %zx %s\n", (long)page, sizeof code, name));
}

static void add_to_dump(int fd, void* page, const char* name, int phase, uint64_t time) {
  struct line entry = {(uint64_t)page + 0x40, phase + 1, 0, "loop.js"};
  struct lines lines = {2, sizeof lines + sizeof entry, time, (uint64_t)page, 1};
  put(fd, &lines, sizeof lines);
  put(fd, &entry, sizeof entry);
  size_t size = sizeof(struct load) + strlen(name) + 1 + sizeof code;
  struct load load = {0,           size, time, getpid(), getpid(), (uint64_t)page, (uint64_t)page,
                      sizeof code, phase};
  put(fd, &load, sizeof load);
  put(fd, name, strlen(name) + 1);
  put(fd, code, sizeof code);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  int is_dump = strcmp(argv[1], "dump") == 0;
  char path[100];
  snprintf(path, sizeof path, is_dump ? "jit-%d.dump" : "/tmp/perf-%d.map", getpid());
  int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  if (fd < 0) return 3;
  if (is_dump) {
    struct header header = {0x4a695444, 1, sizeof header, MACHINE, 0, getpid(), now(), 0};
    put(fd, &header, sizeof header);
    if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) return 4;
  }
  void* page =
      mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 5;
  for (int phase = 0; phase < atoi(argv[2]); phase++) {
    char name[32];
    snprintf(name, sizeof name, "phase_%d", phase);
    memcpy(page, code, sizeof code);
    __builtin___clear_cache(page, (char*)page + sizeof code);
    uint64_t time = now();
    if (is_dump)
      add_to_dump(fd, page, name, phase, time);
    else
      add_to_map(fd, page, name);
    printf("%d %llu %lx\n", phase, (unsigned long long)time, (long)page);
    fflush(stdout);
    ((void (*)(long))page)(atol(argv[3]));
  }
  return 0;
}
