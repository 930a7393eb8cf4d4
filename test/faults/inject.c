/*
 * Runs a program and fails one of its system calls:
 *
 *     inject -b PATH -o LOG [-k KEY -n N -e ERRNO [-a]] [-t COMMAND] -- program arguments…
 *
 *     -b PATH   look at calls from the first one on whose path contains PATH
 *     -o LOG    one line per call that is looked at: its key; `!` before the key where it was failed
 *     -k KEY    fail calls with this key,
 *     -n N      the N-th of them (from 1)
 *     -a        and all later ones
 *     -e ERRNO  with this error (a number)
 *     -t COMMAND  start this shell command first, to be attached to: among the arguments, TARGET stands
 *               for its pid. It is killed at the end.
 *
 * A key is who calls, what and on which object: `main openat perf.data`, `drain pwritev perf.data`,
 * `child close_range 3`. Who: the program's first thread (`main`), the thread that drains the rings
 * (`drain`), any other thread (`other`: libuv's and V8's), a process that was forked and has not
 * become another program (`child`). Once it has, it is let go: no fault reaches the recorded command,
 * and it runs at full speed. In paths, numbers of three and more digits are written as N, so that the same
 * call has the same key in every run; paths below the working directory are relative to it.
 *
 * A failed call is not made. The exception is close(2): Linux frees the descriptor whatever it returns.
 *
 * At the end of the log: `=target STATE` of the target (`R`, `S`, `T`, `Z` … as /proc has it), and
 * `=left COMM` for every process that the program has left behind and that did not end by itself in
 * two seconds.
 *
 * Exit status: the program's, 128 + n where it died of signal n.
 *
 * Build: cc -O1 -o inject inject.c
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_TASKS = 4096, LONGEST_KEY = PATH_MAX + 128, DIRECTION_ENTRY = 1 };

/* The detail of a call that makes its key: nothing, argument i as a path, as a descriptor, a number. */
enum detail { NOTHING, PATH, DESCRIPTOR, NUMBER, REQUEST, MAPPED };

struct call {
  long number;
  const char *name;
  enum detail detail;
  int argument;
};

static const struct call CALLS[] = {
#define CALL(name, detail, argument) {SYS_##name, #name, detail, argument},
    CALL(openat, PATH, 1) CALL(newfstatat, PATH, 1) CALL(statx, PATH, 1)
    CALL(readlinkat, PATH, 1) CALL(unlinkat, PATH, 1) CALL(mkdirat, PATH, 1)
    CALL(renameat2, PATH, 1) CALL(renameat, PATH, 1) CALL(faccessat, PATH, 1) CALL(statfs, PATH, 0)
    CALL(fchownat, PATH, 1) CALL(fchmodat, PATH, 1) CALL(utimensat, PATH, 1) CALL(linkat, PATH, 3)
    CALL(execve, PATH, 0) CALL(symlinkat, PATH, 2) CALL(chdir, PATH, 0) CALL(truncate, PATH, 0)
    CALL(getxattr, PATH, 0) CALL(inotify_add_watch, PATH, 1)
#ifdef SYS_openat2
    CALL(openat2, PATH, 1)
#endif
#ifdef SYS_faccessat2
    CALL(faccessat2, PATH, 1)
#endif
#ifdef SYS_open
    CALL(open, PATH, 0) CALL(stat, PATH, 0) CALL(lstat, PATH, 0) CALL(access, PATH, 0)
    CALL(readlink, PATH, 0) CALL(unlink, PATH, 0) CALL(mkdir, PATH, 0) CALL(rmdir, PATH, 0)
    CALL(rename, PATH, 0) CALL(chown, PATH, 0) CALL(lchown, PATH, 0) CALL(chmod, PATH, 0)
    CALL(link, PATH, 1) CALL(symlink, PATH, 1) CALL(creat, PATH, 0)
    CALL(dup2, DESCRIPTOR, 0) CALL(poll, NOTHING, 0) CALL(pipe, NOTHING, 0)
    CALL(epoll_wait, NOTHING, 0) CALL(epoll_create, NOTHING, 0) CALL(eventfd, NOTHING, 0)
    CALL(fork, NOTHING, 0) CALL(vfork, NOTHING, 0) CALL(getdents, DESCRIPTOR, 0)
    CALL(arch_prctl, NUMBER, 0) CALL(inotify_init, NOTHING, 0)
#endif
    CALL(read, DESCRIPTOR, 0) CALL(write, DESCRIPTOR, 0) CALL(pread64, DESCRIPTOR, 0)
    CALL(pwrite64, DESCRIPTOR, 0) CALL(readv, DESCRIPTOR, 0) CALL(writev, DESCRIPTOR, 0)
    CALL(preadv, DESCRIPTOR, 0) CALL(pwritev, DESCRIPTOR, 0) CALL(close, DESCRIPTOR, 0)
    CALL(fstat, DESCRIPTOR, 0) CALL(lseek, DESCRIPTOR, 0) CALL(ftruncate, DESCRIPTOR, 0)
    CALL(fsync, DESCRIPTOR, 0) CALL(fdatasync, DESCRIPTOR, 0) CALL(fchown, DESCRIPTOR, 0)
    CALL(fchmod, DESCRIPTOR, 0) CALL(fcntl, REQUEST, 0) CALL(ioctl, REQUEST, 0)
    CALL(getdents64, DESCRIPTOR, 0) CALL(dup, DESCRIPTOR, 0) CALL(dup3, DESCRIPTOR, 0)
    CALL(fstatfs, DESCRIPTOR, 0) CALL(flock, DESCRIPTOR, 0) CALL(fallocate, DESCRIPTOR, 0)
    CALL(copy_file_range, DESCRIPTOR, 0) CALL(sendfile, DESCRIPTOR, 0) CALL(splice, DESCRIPTOR, 0)
    CALL(sendto, NOTHING, 0) CALL(recvfrom, NOTHING, 0) CALL(sendmsg, NOTHING, 0)
    CALL(recvmsg, NOTHING, 0) CALL(socket, NUMBER, 0) CALL(socketpair, NOTHING, 0)
    CALL(connect, NOTHING, 0) CALL(bind, NOTHING, 0) CALL(listen, NOTHING, 0)
    CALL(accept4, NOTHING, 0) CALL(shutdown, NOTHING, 0) CALL(setsockopt, NOTHING, 0)
    CALL(getsockopt, NOTHING, 0) CALL(getsockname, NOTHING, 0) CALL(getpeername, NOTHING, 0)
    CALL(mmap, MAPPED, 4) CALL(munmap, NOTHING, 0) CALL(mprotect, NOTHING, 0)
    CALL(madvise, NUMBER, 2) CALL(mremap, NOTHING, 0) CALL(brk, NOTHING, 0)
    CALL(futex, NOTHING, 0) CALL(clone, NOTHING, 0) CALL(wait4, NOTHING, 0) CALL(waitid, NOTHING, 0)
    CALL(kill, NUMBER, 1) CALL(tgkill, NUMBER, 2) CALL(ppoll, NOTHING, 0)
    CALL(epoll_pwait, NOTHING, 0) CALL(epoll_create1, NOTHING, 0) CALL(epoll_ctl, DESCRIPTOR, 2)
    CALL(eventfd2, NOTHING, 0) CALL(pipe2, NOTHING, 0) CALL(timerfd_create, NOTHING, 0)
    CALL(timerfd_settime, NOTHING, 0) CALL(signalfd4, NOTHING, 0) CALL(inotify_init1, NOTHING, 0)
    CALL(rt_sigaction, NOTHING, 0) CALL(rt_sigprocmask, NOTHING, 0) CALL(rt_sigtimedwait, NOTHING, 0)
    CALL(rt_sigsuspend, NOTHING, 0) CALL(sigaltstack, NOTHING, 0) CALL(prctl, NUMBER, 0)
    CALL(prlimit64, NUMBER, 1) CALL(getrlimit, NUMBER, 0) CALL(setrlimit, NUMBER, 0)
    CALL(getrusage, NOTHING, 0) CALL(times, NOTHING, 0) CALL(uname, NOTHING, 0)
    CALL(sysinfo, NOTHING, 0) CALL(getcwd, NOTHING, 0) CALL(umask, NOTHING, 0)
    CALL(getpid, NOTHING, 0) CALL(gettid, NOTHING, 0) CALL(getppid, NOTHING, 0)
    CALL(getuid, NOTHING, 0) CALL(geteuid, NOTHING, 0) CALL(getgid, NOTHING, 0)
    CALL(getegid, NOTHING, 0) CALL(getgroups, NOTHING, 0) CALL(setgroups, NOTHING, 0)
    CALL(setresuid, NOTHING, 0) CALL(setresgid, NOTHING, 0) CALL(getresuid, NOTHING, 0)
    CALL(getresgid, NOTHING, 0) CALL(setuid, NOTHING, 0) CALL(setgid, NOTHING, 0)
    CALL(setfsuid, NOTHING, 0) CALL(setfsgid, NOTHING, 0) CALL(setreuid, NOTHING, 0)
    CALL(setsid, NOTHING, 0) CALL(setpgid, NOTHING, 0) CALL(capget, NOTHING, 0)
    CALL(capset, NOTHING, 0) CALL(unshare, NOTHING, 0) CALL(setns, NOTHING, 0)
    CALL(sched_yield, NOTHING, 0) CALL(sched_getaffinity, NOTHING, 0)
    CALL(sched_setaffinity, NOTHING, 0) CALL(sched_getparam, NOTHING, 0)
    CALL(sched_getscheduler, NOTHING, 0) CALL(sched_setscheduler, NOTHING, 0)
    CALL(setpriority, NOTHING, 0) CALL(getpriority, NOTHING, 0) CALL(getcpu, NOTHING, 0)
    CALL(nanosleep, NOTHING, 0) CALL(clock_nanosleep, NOTHING, 0) CALL(clock_gettime, NOTHING, 0)
    CALL(perf_event_open, NOTHING, 0) CALL(getrandom, NOTHING, 0) CALL(membarrier, NOTHING, 0)
    CALL(set_robust_list, NOTHING, 0) CALL(restart_syscall, NOTHING, 0)
#ifdef SYS_clone3
    CALL(clone3, NOTHING, 0)
#endif
#ifdef SYS_close_range
    CALL(close_range, NUMBER, 0)
#endif
#ifdef SYS_pidfd_open
    CALL(pidfd_open, NOTHING, 0) CALL(pidfd_send_signal, NUMBER, 1)
#endif
#ifdef SYS_pidfd_getfd
    CALL(pidfd_getfd, NOTHING, 0)
#endif
#ifdef SYS_io_uring_setup
    CALL(io_uring_setup, NOTHING, 0) CALL(io_uring_enter, NOTHING, 0)
#endif
#ifdef SYS_rseq
    CALL(rseq, NOTHING, 0)
#endif
#ifdef SYS_bpf
    CALL(bpf, NUMBER, 0)
#endif
#undef CALL
};

/* Calls that end the caller: they have no result to be replaced. */
static bool is_exit(long number) {
  return number == SYS_exit || number == SYS_exit_group || number == SYS_rt_sigreturn;
}

struct task {
  pid_t tid; /* 0: free */
  pid_t process;
  bool failing;
};

static struct task tasks[MOST_TASKS];
static pid_t program, target;
static FILE *log_file;
static const char *begin_path, *wanted_key;
static long wanted_turn = 1, turn;
static int wanted_errno;
static bool begun, and_later;
static char working_directory[PATH_MAX];

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
  exit(99);
}

/* The task of that id; one that is free where there is none. */
static struct task *find_task(pid_t tid) {
  struct task *unused = NULL;
  for (int i = 0; i < MOST_TASKS; i++) {
    if (tasks[i].tid == tid) return &tasks[i];
    if (tasks[i].tid == 0 && unused == NULL) unused = &tasks[i];
  }
  if (unused == NULL) {
    errno = EMFILE;
    fail("tasks");
  }
  return unused;
}

/* A line of /proc/TID/status that begins with `name`, as a number. */
static pid_t read_status(pid_t tid, const char *name) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", tid);
  FILE *status = fopen(path, "re");
  if (status == NULL) return tid;
  pid_t value = tid;
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, name, strlen(name)) == 0) value = atoi(line + strlen(name));
  }
  fclose(status);
  return value;
}

static const char *role_of(const struct task *task) {
  if (task->process != program) return "child";
  if (task->tid == program) return "main";
  char path[64], name[32] = "";
  snprintf(path, sizeof path, "/proc/%d/task/%d/comm", program, task->tid);
  FILE *comm = fopen(path, "re");
  if (comm != NULL) {
    if (fgets(name, sizeof name, comm) == NULL) name[0] = 0;
    fclose(comm);
  }
  if (strncmp(name, "perf-ts", 7) == 0) return "drain";
  return "other";
}

static void read_string(pid_t tid, uint64_t address, char *text, size_t bytes) {
  size_t done = 0;
  while (done + 1 < bytes) {
    /* To the end of a page: what follows may not be mapped. */
    size_t part = 4096 - (address + done) % 4096;
    if (part > bytes - 1 - done) part = bytes - 1 - done;
    struct iovec to = {text + done, part}, from = {(void *)(uintptr_t)(address + done), part};
    const ssize_t got = process_vm_readv(tid, &to, 1, &from, 1, 0);
    if (got <= 0) break;
    if (memchr(text + done, 0, got) != NULL) return;
    done += got;
  }
  text[done] = 0;
}

/* Relative to the working directory; long numbers as N; without the inode of pipes and sockets. */
static void normalise(const char *path, char *result, size_t bytes) {
  const size_t cut = strlen(working_directory);
  if (strncmp(path, working_directory, cut) == 0 && path[cut] == '/') path += cut + 1;
  if (strncmp(path, "pipe:", 5) == 0) path = "pipe";
  if (strncmp(path, "socket:", 7) == 0) path = "socket";
  size_t length = 0;
  while (*path != 0 && length + 2 < bytes) {
    size_t digits = 0;
    while (isdigit((unsigned char)path[digits])) digits++;
    if (digits >= 3) {
      result[length++] = 'N';
      path += digits;
    } else {
      result[length++] = *path == '\n' ? ' ' : *path;
      path++;
    }
  }
  result[length] = 0;
}

static void describe_descriptor(pid_t tid, int fd, char *result, size_t bytes) {
  char path[64], place[PATH_MAX];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", tid, fd);
  const ssize_t length = readlink(path, place, sizeof place - 1);
  if (length < 0) {
    snprintf(result, bytes, "-");
    return;
  }
  place[length] = 0;
  normalise(place, result, bytes);
}

static const struct call *find_call(long number) {
  for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
    if (CALLS[i].number == number) return &CALLS[i];
  }
  return NULL;
}

static void make_key(const struct task *task, const struct __ptrace_syscall_info *info, char *key) {
  const struct call *call = find_call(info->entry.nr);
  const uint64_t *arguments = (const uint64_t *)info->entry.args;
  char detail[PATH_MAX] = "", path[PATH_MAX];
  if (call != NULL) {
    const uint64_t argument = arguments[call->argument];
    switch (call->detail) {
      case NOTHING:
        break;
      case PATH:
        read_string(task->tid, argument, path, sizeof path);
        normalise(path, detail, sizeof detail);
        /* An empty path: the descriptor itself. */
        if (path[0] == 0) describe_descriptor(task->tid, (int)arguments[0], detail, sizeof detail);
        break;
      case DESCRIPTOR:
        describe_descriptor(task->tid, (int)argument, detail, sizeof detail);
        break;
      case NUMBER:
        snprintf(detail, sizeof detail, "%lld", (long long)argument);
        break;
      case REQUEST:
        describe_descriptor(task->tid, (int)argument, path, sizeof path);
        snprintf(detail, sizeof detail, "%.4000s 0x%llx", path, (unsigned long long)arguments[1]);
        break;
      case MAPPED:
        if ((int)argument < 0) strcpy(detail, "anonymous");
        else describe_descriptor(task->tid, (int)argument, detail, sizeof detail);
        break;
    }
  }
  char number[32];
  snprintf(number, sizeof number, "syscall_%llu", (unsigned long long)info->entry.nr);
  snprintf(key, LONGEST_KEY, "%s %s%s%s", role_of(task), call == NULL ? number : call->name,
           detail[0] == 0 ? "" : " ", detail);
}

/* Makes the kernel find no such call. */
static void skip_call(pid_t tid) {
#if defined(__x86_64__)
  ptrace(PTRACE_POKEUSER, tid, 8 * 15 /* orig_rax */, -1L);
#elif defined(__aarch64__)
  int none = -1;
  struct iovec part = {&none, sizeof none};
  ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &part);
#else
#error "not written for this architecture"
#endif
}

static void set_result(pid_t tid, long result) {
#if defined(__x86_64__)
  ptrace(PTRACE_POKEUSER, tid, 8 * 10 /* rax */, result);
#else
  uint64_t registers[34];
  struct iovec part = {registers, sizeof registers};
  ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &part);
  registers[0] = (uint64_t)result;
  ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &part);
#endif
}

static void look_at_call(struct task *task) {
  struct __ptrace_syscall_info info;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, task->tid, sizeof info, &info) <= 0) return;
  if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
    if (task->failing) set_result(task->tid, -wanted_errno);
    task->failing = false;
    return;
  }
  if (info.op != PTRACE_SYSCALL_INFO_ENTRY || is_exit(info.entry.nr)) return;
  char key[LONGEST_KEY];
  if (!begun) {
    const struct call *call = find_call(info.entry.nr);
    if (call == NULL || call->detail != PATH) return;
    make_key(task, &info, key);
    begun = strstr(key, begin_path) != NULL;
    if (!begun) return;
  }
  make_key(task, &info, key);
  if (wanted_key != NULL && strcmp(key, wanted_key) == 0) {
    turn++;
    task->failing = and_later ? turn >= wanted_turn : turn == wanted_turn;
  }
  if (task->failing && info.entry.nr != SYS_close) skip_call(task->tid);
  fprintf(log_file, "%s%s\n", task->failing ? "!" : "", key);
  if (task->failing) fflush(log_file);
}

static void start_target(const char *command) {
  target = fork();
  if (target < 0) fail("fork");
  if (target > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  fail("/bin/sh");
}

static void start_program(char **words) {
  static char target_pid[16];
  snprintf(target_pid, sizeof target_pid, "%d", target);
  for (char **word = words; target > 0 && *word != NULL; word++) {
    if (strcmp(*word, "TARGET") == 0) *word = target_pid;
  }
  program = fork();
  if (program < 0) fail("fork");
  if (program == 0) {
    raise(SIGSTOP);
    execvp(words[0], words);
    fail(words[0]);
  }
  int status;
  if (waitpid(program, &status, WUNTRACED) < 0) fail("waitpid");
  const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                       PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SEIZE, program, 0, options) < 0) fail("ptrace");
  *find_task(program) = (struct task){program, program, false};
  kill(program, SIGCONT);
}

/* Until the program has ended; its wait status. */
static int follow(void) {
  for (;;) {
    int status;
    const pid_t tid = waitpid(-1, &status, __WALL);
    if (tid < 0) {
      if (errno == EINTR) continue;
      fail("waitpid");
    }
    /* Not ours to look at: the target, and what was let go and came back to us. */
    struct task *task = find_task(tid);
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      task->tid = 0;
      if (tid == program) return status;
      continue;
    }
    if (task->tid == 0) *task = (struct task){tid, read_status(tid, "Tgid:"), false};
    const int signal = WSTOPSIG(status), event = status >> 16;
    if (event == PTRACE_EVENT_EXEC && task->process != program) {
      task->tid = 0;
      ptrace(PTRACE_DETACH, tid, 0, 0);
      continue;
    }
    if (signal == (SIGTRAP | 0x80)) look_at_call(task);
    if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
      /* A stopped group stays stopped, and its signals still reach it. */
      ptrace(PTRACE_LISTEN, tid, 0, 0);
      continue;
    }
    const bool is_plain_signal = event == 0 && signal != (SIGTRAP | 0x80);
    ptrace(PTRACE_SYSCALL, tid, 0, is_plain_signal ? signal : 0);
  }
}

/* The single letter of a process's state, 0 where there is none; its name in `comm`. */
static char read_state(pid_t pid, char comm[32]) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  FILE *stat = fopen(path, "re");
  if (stat == NULL) return 0;
  if (fscanf(stat, "%*d (%31[^)]) %c", comm, &state) != 2) state = 0;
  fclose(stat);
  return state;
}

static void end_target(void) {
  char comm[32];
  const char state = read_state(target, comm);
  fprintf(log_file, "=target %c\n", state == 0 ? '-' : state);
  kill(target, SIGKILL);
  waitpid(target, NULL, 0);
}

/* What the program started and nobody waits for has come to us, its nearest reaper. */
static void report_left(void) {
  enum { PAUSE_MS = 10, LONGEST_MS = 2000 };
  for (int waited = 0; waited < LONGEST_MS; waited += PAUSE_MS) {
    pid_t ended;
    do ended = waitpid(-1, NULL, WNOHANG | __WALL);
    while (ended > 0);
    if (ended < 0) return;
    usleep(PAUSE_MS * 1000);
  }
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  FILE *children = fopen(path, "re");
  int pid;
  while (children != NULL && fscanf(children, "%d", &pid) == 1) {
    char comm[32] = "";
    read_state(pid, comm);
    fprintf(log_file, "=left %s\n", comm);
    kill(pid, SIGKILL);
  }
}

/* What the terminal or the caller sends is meant for the program. */
static void pass_on(int signal) { kill(program, signal); }

int main(int count, char **words) {
  const char *log_path = NULL, *target_command = NULL;
  int option;
  while ((option = getopt(count, words, "+b:o:k:n:e:at:")) != -1) {
    if (option == 'b') begin_path = optarg;
    if (option == 'o') log_path = optarg;
    if (option == 'k') wanted_key = optarg;
    if (option == 'n') wanted_turn = atol(optarg);
    if (option == 'e') wanted_errno = atoi(optarg);
    if (option == 'a') and_later = true;
    if (option == 't') target_command = optarg;
    if (option == '?') return 98;
  }
  if (begin_path == NULL || log_path == NULL || words[optind] == NULL) {
    fprintf(stderr, "usage: inject -b PATH -o LOG [-k KEY -n N -e ERRNO [-a]] -- program…\n");
    return 98;
  }
  log_file = fopen(log_path, "we");
  if (log_file == NULL) fail(log_path);
  if (getcwd(working_directory, sizeof working_directory) == NULL) fail("getcwd");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (target_command != NULL) start_target(target_command);
  start_program(words + optind);
  const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR2};
  for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
    sigaction(ending[i], &(struct sigaction){.sa_handler = pass_on}, NULL);
  }
  const int status = follow();
  if (target > 0) end_target();
  report_left();
  fclose(log_file);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
