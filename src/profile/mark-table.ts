import { UsageError } from '../base/errors.ts';
import { globMatcher, isGlob } from '../base/glob.ts';
import { printable } from '../base/printable.ts';
import { SpansOfThreads } from './spans-of-threads.ts';
import type { TurnLoop } from './turn-table.ts';

/**
 * Kinds of marks: a garbage collection, a request that a server answered, one that the program made, `performance.measure()`
 * and `mark()`, `console.time()`, a name that was looked up, a connection that was made, a child process, a span of
 * OpenTelemetry. In the order of the numbers that programs send (`native/core/code_events/stream.h`).
 */
export const MARK_KINDS = [
  ...(['gc', 'request', 'call', 'measure', 'mark', 'console'] as const),
  ...(['dns', 'connection', 'child', 'span'] as const),
] as const;
/** One of `MARK_KINDS`. */
export type MarkKind = (typeof MARK_KINDS)[number];

/**
 * Spans of time that threads of programs have named, in the order of their begins. Times are nanoseconds since the
 * recording's start, as exact as the program's own clock.
 */
export type MarkTable = {
  readonly length: number;
  /** Index of `MARK_KINDS`. */
  readonly kind: Uint8Array;
  /** Row of `loops`. */
  readonly loop: Int32Array;
  /** Row of `names`: `GET /users/:id`; of a request without a known route its path, with numbers and ids as `*`. */
  readonly name: Int32Array;
  /** Row of `names`: the name as it was sent, `GET /users/17`. */
  readonly text: Int32Array;
  readonly fromNs: Float64Array;
  /** The end; of an open one that of the recording. */
  readonly toNs: Float64Array;
  /** 1: its end was not seen: a request was aborted, or the program or the recording ended. */
  readonly isOpen: Uint8Array;
  /** HTTP status; 0: none. */
  readonly status: Int32Array;
  /** The number of such marks that this one stands for: of very many a half, a quarter … are kept. */
  readonly standsFor: Float64Array;
  readonly names: readonly string[];
  /** The threads; as turns of event loops have them. */
  readonly loops: readonly TurnLoop[];
  /** Absent where `record --requests` was not asked for, or could not be. */
  readonly contexts?: ContextTable;
  /**
   * The requests that gave libuv's pool the work in which threads of it were sampled, at the times of these samples; rows of `loops` are those
   * threads. A sample that is not in it may be of any. Absent where it is known of none.
   */
  readonly pool?: Omit<ContextTable, 'stack'>;
  /** The stacks of `contexts`; absent where `record --async-stacks` was not asked for, or V8 kept none. */
  readonly asyncStacks?: readonly AsyncStack[];
};

/** A function of JavaScript as V8 has it, and where it begins. */
export type ScriptPlace = {
  readonly name: string;
  /** Path or URL. */
  readonly file: string;
  /** The line, and the column, from 1; 0: not known. */
  readonly line: number;
  readonly column: number;
};

/** A function that the event loop resumed or called. */
export type AsyncStack = {
  readonly resumed: ScriptPlace;
  /** The functions that await it, the innermost first; empty where none does. */
  readonly awaiting: readonly ScriptPlace[];
};

/**
 * The asynchronous contexts of threads at their samples, thread by thread in the order of their times: a sample of the first event has
 * the first context of its thread at or behind its time. The kernel signals the thread with each, and what it runs before
 * anything else notes the context.
 */
export type ContextTable = {
  readonly length: number;
  /** Row of `loops`. */
  readonly loop: Int32Array;
  readonly timeNs: Float64Array;
  /** Row of the table; `NO_REQUEST`, `UNMARKED_REQUEST`, or `UNKNOWN_REQUEST`: it was not noted. */
  readonly request: Int32Array;
  /** Row of `MarkTable.asyncStacks`, −1: not known. */
  readonly stack: Int32Array;
};
export const NO_REQUEST = -1;
/** A request that is left out of the marks: others stand for it. */
export const UNMARKED_REQUEST = -2;
export const UNKNOWN_REQUEST = -3;

/** 1 by row of the marks that are called so: by name, a glob of it, or kind. */
export function marksCalled(
  { length, kind, name, text, names }: MarkTable,
  called: string,
): Uint8Array {
  const isCalled = isGlob(called) ? globMatcher(called) : (each: string) => each === called;
  const isName = names.map((each) => isCalled(each));
  const isKind = MARK_KINDS.map((each) => each === called);
  return Uint8Array.from({ length }, (_, row) =>
    isKind[kind[row]] || isName[name[row]] || isName[text[row]] ? 1 : 0,
  );
}

/**
 * The times in which marks were open that are called so. `threadOf`: the number by which a thread is asked for. Throws
 * `UsageError` where no mark is called so.
 */
export function spansOfMarks(
  marks: MarkTable | null | undefined,
  called: string,
  threadOf: (loop: TurnLoop) => number,
): SpansOfThreads {
  const spans = new SpansOfThreads();
  const isCalled = marks ? marksCalled(marks, called) : new Uint8Array(0);
  for (let row = 0; row < isCalled.length; row++) {
    if (isCalled[row] === 0) continue;
    const { loop, loops, fromNs, toNs } = marks as MarkTable;
    spans.add(threadOf(loops[loop[row]]), fromNs[row], toNs[row]);
  }
  if (spans.isEmpty) {
    throw new UsageError(`no mark is called ${printable(called)}`, [
      'perf-ts report --marks lists those that the recording has',
    ]);
  }
  return spans;
}
