// A file system without a server that answers: whoever looks a name up in it, or reads its file, waits in the kernel.
//
//   silent-fuse DIRECTORY name | page
//     name   no name is answered
//     page   the name `f` is there, and its bytes never come; the process maps them, and prints their address
//
// Prints a line when it is mounted, and ends with its standard input; its end frees who waits.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

static void reply(int fuse, uint64_t unique, int error, const void* body, size_t size) {
  struct fuse_out_header head = {sizeof head + size, error, unique};
  char out[4096];
  memcpy(out, &head, sizeof head);
  if (size > 0) memcpy(out + sizeof head, body, size);
  if (write(fuse, out, head.len) < 0) return;
}

static struct fuse_attr attr_of(uint64_t node) {
  struct fuse_attr attr = {.ino = node, .size = 4096, .nlink = 1, .blksize = 4096};
  attr.mode = node == 1 ? S_IFDIR | 0755 : S_IFREG | 0644;
  return attr;
}

static void serve(int fuse, int answers_names) {
  static char bytes[1 << 18];
  for (;;) {
    ssize_t size = read(fuse, bytes, sizeof bytes);
    if (size <= 0) {
      if (size < 0 && (errno == EINTR || errno == ENOENT)) continue;
      _exit(0);
    }
    struct fuse_in_header* in = (void*)bytes;
    if (in->opcode == FUSE_INIT) {
      struct fuse_init_in* init = (void*)(in + 1);
      struct fuse_init_out out = {.major = 7, .minor = init->minor < 31 ? init->minor : 31};
      out.max_write = 4096;
      reply(fuse, in->unique, 0, &out, sizeof out);
    } else if (in->opcode == FUSE_LOOKUP) {
      if (!answers_names) continue;
      struct fuse_entry_out out = {.nodeid = 2, .entry_valid = 1000, .attr_valid = 1000};
      out.attr = attr_of(2);
      reply(fuse, in->unique, 0, &out, sizeof out);
    } else if (in->opcode == FUSE_GETATTR) {
      struct fuse_attr_out out = {.attr_valid = 1000, .attr = attr_of(in->nodeid)};
      reply(fuse, in->unique, 0, &out, sizeof out);
    } else if (in->opcode == FUSE_OPEN || in->opcode == FUSE_OPENDIR) {
      struct fuse_open_out out = {.fh = 1};
      reply(fuse, in->unique, 0, &out, sizeof out);
    } else if (in->opcode == FUSE_READ || in->opcode == FUSE_FORGET ||
               in->opcode == FUSE_INTERRUPT || in->opcode == FUSE_BATCH_FORGET) {
      continue;
    } else {
      reply(fuse, in->unique, -ENOSYS, NULL, 0);
    }
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int is_page = strcmp(argv[2], "page") == 0;
  int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  char options[128];
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%d,group_id=%d", fuse, getuid(),
           getgid());
  if (fuse < 0 || mount("silent", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) != 0) return 1;
  pid_t server = fork();
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    serve(fuse, is_page);
  }
  close(fuse);
  void* page = NULL;
  if (is_page) {
    char path[512];
    snprintf(path, sizeof path, "%s/f", argv[1]);
    int file = open(path, O_RDONLY);
    page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) return 1;
  }
  printf("%d %lx\n", getpid(), (unsigned long)page);
  fflush(stdout);
  char c;
  while (read(0, &c, 1) > 0) continue;
  kill(server, SIGKILL);
  waitpid(server, NULL, 0);
  return 0;
}
