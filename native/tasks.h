#pragma once

#include <vector>

namespace perf_ts {

/**
 * The threads that a process has at this moment, from /proc/PID/task, ascending. Empty with errno
 * set when there is no such process. A thread that one of them starts later is not in the list:
 * it gets the events of its parent by inheritance.
 */
std::vector<int> ListThreads(int pid);

/** The process that a thread belongs to, 0 if it has ended. */
int ProcessOfThread(int tid);

}  // namespace perf_ts
