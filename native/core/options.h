#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

/** Plain structs shared by glue and core; `src/native/types.ts` documents the same fields. */
namespace perf_ts {

/** Everything that the child needs, resolved before fork. */
struct CommandSpec {
  std::string path;
  std::vector<std::string> argv;
  /** `NAME=value` strings. */
  std::vector<std::string> env;
  bool change_user = false;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  bool stdout_to_stderr = false;
  /** Descriptors above stdio that the command gets although they are marked close-on-exec. */
  std::vector<int> inherited_fds;
  /** Descriptors of stdio whose open file description is made blocking right before exec. */
  std::vector<int> blocking_fds;
  /** Signals that the command ignores from its start. */
  std::vector<int> ignored_signals;
  /** Soft RLIMIT_NOFILE of the command; 0: that of this process. */
  uint64_t soft_fd_limit = 0;
};

enum class TargetKind { kCommand, kProcesses, kThreads, kSystem };

struct Target {
  TargetKind kind = TargetKind::kSystem;
  /** Process ids (kProcesses) or thread ids (kThreads). */
  std::vector<int> ids;
  /** kCommand always; kSystem where a command bounds the recording. */
  bool has_command = false;
  CommandSpec command;
};

struct EventSpec {
  /** The bytes of a perf_event_attr. */
  std::vector<uint8_t> attr;
  /** Index of the group's leader, −1 for a leader or a single event. */
  int leader = -1;
  /** Once per CPU, for all that runs there, whatever the target is; not in a control group. */
  bool of_cpus = false;
  /** The only CPUs that its PMU counts on, ascending; empty: all. Without effect with {−1}. */
  std::vector<int> cpus;
  /** Records of a tracepoint that are sampled, in the kernel's syntax, `id == 74`; empty: all. */
  std::string filter;
};

struct SamplerOptions {
  std::vector<EventSpec> events;
  /** Attr bytes of the dummy event that carries FORK, EXIT, COMM, MMAP2 … */
  std::vector<uint8_t> sideband;
  /** {−1}: on whatever CPU a task runs, with rings of their own for each task. */
  std::vector<int> cpus;
  /** CPUs beside these on which the side-band is opened; nothing with {−1}. */
  std::vector<int> sideband_cpus;
  /**
   * kSystem: the sampled events count in this control group only (its directory, open); −1: in all.
   * The side-band is of all tasks, so that one that enters the group is known.
   */
  int cgroup_fd = -1;
  Target target;
  /** Data pages per ring, powers of two. */
  uint32_t ring_pages = 0;
  uint32_t sideband_pages = 0;
  /** Longest time that a record stays in a ring, milliseconds. */
  int latency_ms = 100;
  /** Sampled events stay disabled until Enable(). */
  bool delayed = false;
};

struct FileSinkOptions {
  int fd = -1;
  /** Offset of the data section, and how many bytes of it are already there. */
  uint64_t data_offset = 0;
  uint64_t data_size = 0;
  /** Nothing is ever sought or rewritten. */
  bool stream = false;
  /** Stop when the file reaches this many bytes; 0: no limit. */
  uint64_t max_bytes = 0;
  /** A marker ends each round; false where a later round may hold older records. */
  bool marks_rounds = true;
  /** Level of zstd, 1 to 22; 0: records are written as they are. */
  int compression_level = 0;
};

struct LiveSinkOptions {
  uint32_t max_chunks = 0;
  uint32_t chunk_bytes = 0;
};

}  // namespace perf_ts
