#pragma once

#include <vector>

namespace perf_ts {

/**
 * The threads that a process has at this moment, from /proc/PID/task, ascending. Empty with errno
 * set when there is no such process. Threads go on being started: `attach.h` deals with that.
 */
std::vector<int> ListThreads(int pid);

/** The process that a thread belongs to, 0 if it has ended. */
int ProcessOfThread(int tid);

}  // namespace perf_ts
