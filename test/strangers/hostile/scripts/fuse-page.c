// A page that the kernel asks for and never gets: FUSE-mounts a folder, maps a file of it, and announces the mapping as
// OpenTelemetry's process context, which profilers read: fuse-page FOLDER SECONDS. Needs a mount namespace of its own.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kPage = 4096, kFile = 2, kLongTime = 1000 };

static void Reply(int device, uint64_t unique, int error, const void* body, size_t size) {
  char out[kPage];
  struct fuse_out_header header = {.len = sizeof header + size, .error = error, .unique = unique};
  memcpy(out, &header, sizeof header);
  if (size > 0) memcpy(out + sizeof header, body, size);
  if (write(device, out, header.len) < 0) return;
}

static struct fuse_attr AttrOf(uint64_t inode) {
  struct fuse_attr attr = {.ino = inode, .size = kPage, .blocks = 8, .nlink = 1, .blksize = kPage};
  attr.mode = inode == kFile ? S_IFREG | 0644 : S_IFDIR | 0755;
  attr.uid = getuid();
  attr.gid = getgid();
  return attr;
}

/** Answers everything but reads. */
static void Serve(int device) {
  static char request[1 << 18];
  for (;;) {
    ssize_t size = read(device, request, sizeof request);
    if (size <= 0 && (errno == EINTR || errno == ENOENT)) continue;
    if (size <= 0) _exit(0);
    struct fuse_in_header* header = (struct fuse_in_header*)request;
    if (header->opcode == FUSE_INIT) {
      struct fuse_init_out out = {.major = 7, .minor = 31, .max_write = kPage};
      Reply(device, header->unique, 0, &out, sizeof out);
    } else if (header->opcode == FUSE_LOOKUP) {
      struct fuse_entry_out out = {.nodeid = kFile, .attr = AttrOf(kFile), .attr_valid = kLongTime, .entry_valid = kLongTime};
      Reply(device, header->unique, 0, &out, sizeof out);
    } else if (header->opcode == FUSE_GETATTR) {
      struct fuse_attr_out out = {.attr = AttrOf(header->nodeid), .attr_valid = kLongTime};
      Reply(device, header->unique, 0, &out, sizeof out);
    } else if (header->opcode == FUSE_OPEN || header->opcode == FUSE_OPENDIR) {
      struct fuse_open_out out = {.fh = 1};
      Reply(device, header->unique, 0, &out, sizeof out);
    } else if (header->opcode == FUSE_READ) {
      fprintf(stderr, "asked\n");
    } else if (header->opcode != FUSE_FORGET && header->opcode != FUSE_BATCH_FORGET && header->opcode != FUSE_INTERRUPT) {
      Reply(device, header->unique, -ENOSYS, NULL, 0);
    }
  }
}

/** A memfd whose first bytes are the context's header, with the address of a page that nobody can read. */
static void Announce(const void* page) {
  int fd = memfd_create("OTEL_CTX", 0);
  if (fd < 0 || ftruncate(fd, kPage) != 0) return;
  char* header = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  memcpy(header, "OTEL_CTX", 8);
  *(uint32_t*)(header + 8) = 2;
  *(uint32_t*)(header + 12) = 64;
  *(uint64_t*)(header + 16) = 1;
  *(const void**)(header + 24) = page;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  char options[128];
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%d,group_id=%d", device, getuid(), getgid());
  if (device < 0 || mount("page", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) != 0) {
    perror("fuse");
    return 1;
  }
  pid_t server = fork();
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Serve(device);
  }
  char path[512];
  snprintf(path, sizeof path, "%s/page", argv[1]);
  int fd = open(path, O_RDONLY);
  void* page = fd < 0 ? MAP_FAILED : mmap(NULL, kPage, PROT_READ, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) {
    perror(path);
    return 1;
  }
  Announce(page);
  printf("ready\n");
  fflush(stdout);
  volatile double sum = 0;
  for (time_t end = time(NULL) + atoi(argv[2]); time(NULL) < end;) {
    for (int i = 0; i < 1000000; i++) sum += i;
  }
  kill(server, SIGKILL);
  return 0;
}
