// The work whose truth is known: functions that make a given number of events each, and the
// counts of what they made.
//
// A function `fault_x` makes one page fault per event: it writes to a page that its task has
// mapped and not touched. A function `call_x` makes one system call per event, with the
// instruction in its own body. No libc function stands between, so the event's user address is in
// the function. Everything else (libc, the loader, this program's own accounts) makes its events
// outside of them.

#ifndef WORK_H
#define WORK_H

enum { FUNCTIONS = 8 };
typedef enum { FAULTS, CALLS } EventKind;

/** One step of a task. */
typedef enum { RUN, SLEEP, BUSY, CPU } StepKind;
typedef struct {
  StepKind kind;
  int function;  // RUN: which of the eight
  long amount;   // RUN: events; SLEEP: microseconds; BUSY: spins; CPU: its number
  long spins;    // RUN: turns of an empty loop after each event, which set the rate
} Step;

typedef struct {
  Step *steps;
  long length;
} Task;

typedef struct {
  Task *tasks;
  long length;
} Script;

/**
 * Reads a script, a line per step, and ends the program if it is wrong:
 *
 *     task            what follows is another task's
 *     run a 5000 20   5 000 events in function a, 20 spins after each
 *     sleep 3000      microseconds
 *     busy 100000     spins, without any event
 *     cpu 1           go there
 */
Script read_script(const char *path);

/** Maps the counts, shared with all children. Call before the first thread or fork. */
void start_counts(void);

/** Does the steps of one task in the calling thread. */
void run_task(EventKind kind, const Task *task);

/** Writes `{"events": {"fault_a": 5000, …}, "allFaults": 5123}` for what was made by all tasks. */
void write_truth(EventKind kind, const char *path);

/** `faults` or `calls`. */
EventKind parse_kind(const char *name);

#endif
