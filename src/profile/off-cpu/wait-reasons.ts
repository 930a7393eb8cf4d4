import { NONE } from '../../base/brand.ts';
import { MARKER_DEPTH } from '../analysis/cut-stacks.ts';
import type { Profile } from '../types.ts';
import { isRunnable, waitState } from './wait-states.ts';

/** Which samples were taken at a switch, and in what state their threads left the CPU. */
export type Waits = {
  readonly length: number;
  /** Rows of the sample table. */
  readonly row: Int32Array;
  /** `prev_state`, or `STATE_UNKNOWN`. */
  readonly state: Int32Array;
  /** Who woke the thread, index into `wakers`; −1 where nobody did, or nobody knows who. */
  readonly waker: Int32Array;
  /** `server/1234`, `an interrupt`. */
  readonly wakers: readonly string[];
};

/** Of the machinery that takes a thread off its CPU: what called it is what waits. */
const SCHEDULER =
  /^(?:__?schedule|schedule(?:_(?:timeout|hrtimeout|preempt|idle|rtlock|user)\w*)?|preempt_schedule\w*|io_schedule\w*|__traceiter_\w+|__probestub_\w+|perf_trace_\w+|trace_\w+|finish_task_switch|__perf_event_task_sched_out|__?cond_resched)(?:\.(?:isra|constprop|part|cold)\S*)*$/;

/** Addresses of these frames, which lie in no DSO: far from those of the markers of cut stacks. */
const FIRST_ADDRESS = -(2 ** 20);

/**
 * The profile with a frame on top of the stacks of waits that says why: the state and, in place of the
 * scheduler's own functions, the one that waits.
 *
 *     read  …  pipe_read  schedule  __schedule   ─▶   read  …  pipe_read  [S sleeping in pipe_read]
 *
 * A thread that could have gone on waits for a CPU, wherever it is: `[R+ preempted]`. One that was woken
 * does so too, and has who woke it on top: `[R runnable] [woken by server/1234]`.
 */
export function addWaitReasons(profile: Profile, waits: Waits): Profile {
  if (waits.length === 0) return profile;
  const { stacks, frames, funcs, samples } = profile;
  const strings = profile.strings.slice();
  /** With the function that waits, −1 where none is known. */
  const labels: { readonly label: string; readonly func: number }[] = [];
  const frameOfLabel = new Map<string, number>();
  const addedFrame: number[] = [];
  const addedPrefix: number[] = [];
  const stackOf = new Map<string, number>();
  const funcOf = (stack: number) => frames.func[stacks.frame[stack]];
  const nameOf = (stack: number) => profile.strings[funcs.name[funcOf(stack)]];
  /** Below the scheduler: the stack whose leaf waits, −1 where nothing else is there. */
  const waiterOf = memoize((leaf: number): number => {
    let stack = leaf;
    while (stack !== NONE && SCHEDULER.test(nameOf(stack))) stack = stacks.prefix[stack];
    return stack;
  });
  const isKernel = (stack: number): boolean => {
    const dso = frames.dso[stacks.frame[stack]];
    const kind = dso === NONE ? undefined : profile.dsos[dso]?.kind;
    return kind === 'kernel' || kind === 'module';
  };

  const frameOf = (label: string, func: number): number => {
    let frame = frameOfLabel.get(label);
    if (frame === undefined) {
      frame = frames.length + labels.length;
      labels.push({ label, func });
      frameOfLabel.set(label, frame);
    }
    return frame;
  };
  const stackAbove = (prefix: number, frame: number): number => {
    const key = `${prefix} ${frame}`;
    let found = stackOf.get(key);
    if (found === undefined) {
      found = stacks.length + addedFrame.length;
      addedFrame.push(frame);
      addedPrefix.push(prefix);
      stackOf.set(key, found);
    }
    return found;
  };
  const reasonOf = (state: number, waiter: number): number => {
    const { letter, word } = waitState(state);
    const isNamed = waiter !== NONE && isKernel(waiter);
    const where = isNamed && !isRunnable(state) ? ` in ${nameOf(waiter)}` : '';
    return frameOf(`[${letter} ${word}${where}]`, isNamed ? funcOf(waiter) : NONE);
  };

  const stack = samples.stack.slice();
  for (let i = 0; i < waits.length; i++) {
    const row = waits.row[i];
    const leaf = samples.stack[row];
    const waiter = leaf === NONE ? NONE : waiterOf(leaf);
    const reason = reasonOf(waits.state[i], waiter);
    let found = stackAbove(waiter, reason);
    const waker = waits.wakers[waits.waker[i]];
    if (waker !== undefined) found = stackAbove(found, frameOf(`[woken by ${waker}]`, NONE));
    stack[row] = found;
  }

  const newFuncs = longer(funcs, labels.length);
  const newFrames = longer(frames, labels.length);
  labels.forEach(({ label, func: waiter }, i) => {
    const func = funcs.length + i;
    const frame = frames.length + i;
    newFuncs.name[func] = strings.push(label) - 1;
    newFuncs.dso[func] = waiter === NONE ? NONE : funcs.dso[waiter];
    if (waiter !== NONE) newFuncs.category[func] = funcs.category[waiter];
    newFuncs.file[func] = NONE;
    newFrames.func[frame] = func;
    newFrames.dso[frame] = NONE;
    newFrames.address[frame] = FIRST_ADDRESS - i;
    newFrames.inlineDepth[frame] = MARKER_DEPTH;
    newFrames.file[frame] = NONE;
  });
  const newStacks = longer(stacks, addedFrame.length);
  newStacks.frame.set(addedFrame, stacks.length);
  newStacks.prefix.set(addedPrefix, stacks.length);
  return {
    ...profile,
    strings,
    funcs: newFuncs,
    frames: newFrames,
    stacks: newStacks,
    samples: { ...samples, stack },
  };
}

/** The table with room for more rows, which are zero in every column. */
function longer<Table extends { readonly length: number }>(table: Table, rows: number): Table {
  const columns = Object.entries(table).map(([name, column]) => {
    if (!ArrayBuffer.isView(column)) return [name, column];
    const old = column as unknown as Float64Array;
    const grown = new (old.constructor as Float64ArrayConstructor)(old.length + rows);
    grown.set(old);
    return [name, grown];
  });
  return { ...Object.fromEntries(columns), length: table.length + rows } as Table;
}

function memoize(compute: (stack: number) => number): (stack: number) => number {
  const known = new Map<number, number>();
  return (stack) => {
    let value = known.get(stack);
    if (value === undefined) {
      value = compute(stack);
      known.set(stack, value);
    }
    return value;
  };
}
