#pragma once

namespace perf_ts {

/** Highest signal number of the kernel. */
constexpr int kSignalCount = 64;

/**
 * Notes from now on who sent `signal`, and then calls the handler that stands now; false if none
 * does, or `signal` can't be handled. Setting another handler ends it. Dispositions belong to the
 * process, so this does too: for a program that owns its process, not for a library.
 */
bool NoteSignalOrigin(int signal);

/**
 * The kernel, in place of a sender: of SIGINT and SIGQUIT that means the terminal, which sends them
 * to every process of its foreground group.
 */
constexpr int kFromKernel = -1;

/**
 * The pid of who sent the last `signal`, which nobody but us need have got; 0 where that is not
 * known, as of a process outside of our PID namespace.
 */
int SenderOfSignal(int signal);

}  // namespace perf_ts
