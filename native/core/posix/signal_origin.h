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
 * Whether the last `signal` came from the kernel: of SIGINT and SIGQUIT that means from the
 * terminal, which sends them to every process of its foreground group. Otherwise a process sent it,
 * and nobody but us need have got it.
 */
bool IsSignalFromKernel(int signal);

}  // namespace perf_ts
