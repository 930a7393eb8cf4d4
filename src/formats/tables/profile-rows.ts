import { NONE } from '../../base/brand.ts';
import { GrowableInt32 } from '../../base/growable-columns.ts';
import { rowNumbers } from '../../base/int-column.ts';
import { once } from '../../base/once.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import { hasCallers, NO_CALLER_NAME, ROOT_NAME } from '../../profile/callers.ts';
import { dsoLabel } from '../../profile/dso-place.ts';
import { funcLabel } from '../../profile/func-label.ts';
import { FUNC_CATEGORIES, type Profile, TIERS, type Weights } from '../../profile/types.ts';
import {
  type ColumnData,
  NO_STACK_FRAME,
  type RecordingTables,
  ROOT_FRAME,
  type TableRows,
} from './schema.ts';

/** The tables that follow from the profile's own. */
export type ProfileRows = Pick<RecordingTables, 'samples' | 'stacks' | 'frames' | 'threads'>;

/** Samples, stacks, frames and threads of a profile, in columns, computed when they are asked for. */
export function profileRows(profile: Profile, weights: Weights): ProfileRows {
  const threads = once(() => new ThreadRows(profile));
  const samples = once(() => sampleRows(profile, weights, threads()));
  const stacks = once(() => stackRows(profile));
  return {
    get samples() {
      return samples();
    },
    get stacks() {
      return stacks();
    },
    get frames() {
      return frameRows(profile, stacks());
    },
    get threads() {
      return threads().rows();
    },
  };
}

/** Nothing is made per sample but numbers. */
function sampleRows({ samples }: Profile, weights: Weights, threads: ThreadRows): TableRows {
  return rowsOf(samples.length, [
    rowNumbers(samples.length),
    wholeTimes(samples.timeNs),
    new Int32Array(samples.event),
    threads.ofSample,
    threads.column('pid', threads.ofSample),
    threads.column('tid', threads.ofSample),
    new Int32Array(samples.cpu),
    new Int32Array(samples.stack),
    new Int32Array(samples.stream),
    weights.values,
    new Float64Array(samples.periodEvents),
    knownCounts(samples),
    weights.lostBefore ?? new Float64Array(samples.length),
  ]);
}

export function rowsOf(length: number, columns: readonly ColumnData[]): TableRows {
  return { length, columns };
}

/** Every sample is at 0 where there are no times. */
// Hot: once per sample.
function wholeTimes(times: Float64Array): Float64Array {
  const whole = new Float64Array(times.length);
  for (let row = 0; row < times.length; row++) {
    const time = times[row];
    whole[row] = Number.isNaN(time) ? 0 : Math.round(time);
  }
  return whole;
}

/** −1 where the counter was not read. */
function knownCounts({ length, count: counts }: Profile['samples']): Float64Array {
  if (counts === null) return new Float64Array(length).fill(-1);
  return counts.map((count) => (Number.isNaN(count) ? -1 : count));
}

/** One row for each name that a thread had when it was sampled. */
class ThreadRows {
  readonly ofSample: Int32Array;
  readonly #profile: Profile;
  readonly #thread: number[] = [];
  readonly #comm: number[] = [];

  constructor(profile: Profile) {
    const { samples } = profile;
    const pairs = new PairInterner();
    this.#profile = profile;
    this.ofSample = new Int32Array(samples.length);
    // Hot: once per sample.
    for (let row = 0; row < samples.length; row++) {
      const pair = pairs.intern(samples.thread[row], samples.comm[row]);
      this.ofSample[row] = pair;
      if (pair === this.#thread.length) {
        this.#thread.push(samples.thread[row]);
        this.#comm.push(samples.comm[row]);
      }
    }
  }

  column(key: 'pid' | 'tid', rows: Int32Array): Int32Array {
    const values = Int32Array.from(this.#thread, (thread) => this.#profile.threads[thread][key]);
    const column = new Int32Array(rows.length);
    // Hot: once per sample.
    for (let row = 0; row < rows.length; row++) column[row] = values[rows[row]];
    return column;
  }

  rows(): TableRows {
    const { threads, strings } = this.#profile;
    const all = Int32Array.from(this.#thread, (_, row) => row);
    return rowsOf(all.length, [
      all,
      this.column('pid', all),
      this.column('tid', all),
      Int32Array.from(this.#thread, (thread) => threads[thread].generation),
      this.#comm.map((comm) => strings[comm]),
    ]);
  }
}

type StackRows = TableRows & { readonly frame: Int32Array };

/** The stacks that samples have, innermost frame first; stack −1 has the one frame `[no stack]`. */
function stackRows({ samples, stacks, frames }: Profile): StackRows {
  const isUsed = new Uint8Array(stacks.length);
  let hasNone = false;
  for (let row = 0; row < samples.length; row++) {
    if (samples.stack[row] === NONE) hasNone = true;
    else isUsed[samples.stack[row]] = 1;
  }
  const columns = [0, 0, 0, 0].map(() => new GrowableInt32());
  const [stackOf, depthOf, frameOf, callerOf] = columns;
  const add = (stack: number, depth: number, frame: number, caller: number): void => {
    stackOf.push(stack);
    depthOf.push(depth);
    frameOf.push(frame);
    callerOf.push(caller);
  };
  if (hasNone) add(NONE, 0, NO_STACK_FRAME, ROOT_FRAME);
  // Hot: once per frame of each stack with samples.
  for (let stack = 0; stack < stacks.length; stack++) {
    if (isUsed[stack] === 0 || frames.length === 0) continue;
    let depth = 0;
    for (let row = stack; row !== NONE; row = stacks.prefix[row]) {
      const above = stacks.prefix[row];
      const caller = above === NONE ? ROOT_FRAME : stacks.frame[above];
      add(stack, depth++, stacks.frame[row], caller);
    }
  }
  const finished = columns.map((column) => column.finish());
  return { ...rowsOf(stackOf.length, finished), frame: finished[2] };
}

/** The frames that these stacks have, and the two that are none of the recording. */
function frameRows(profile: Profile, stacks: StackRows): TableRows {
  const { frames, funcs, strings } = profile;
  const text = (index: number): string | null => (index === NONE ? null : strings[index]);
  const isUsed = new Uint8Array(frames.length);
  const { length } = stacks;
  for (let row = 0; row < length; row++) {
    const frame = stacks.frame[row];
    if (frame >= 0) isUsed[frame] = 1;
  }
  const caller = hasCallers(profile) ? ROOT_NAME : NO_CALLER_NAME;
  const rows: number[] = [];
  for (let frame = 0; frame < frames.length; frame++) if (isUsed[frame] === 1) rows.push(frame);
  return rowsOf(rows.length + 2, [
    [NO_STACK_FRAME, ROOT_FRAME, ...rows],
    ['[no stack]', caller, ...rows.map((row) => funcLabel(profile, frames.func[row]))],
    [null, null, ...rows.map((row) => text(frames.file[row]))],
    [0, 0, ...rows.map((row) => frames.line[row])],
    ['', '', ...rows.map((row) => dsoLabel(profile, funcs.dso[frames.func[row]]))],
    ['none', 'none', ...rows.map((row) => FUNC_CATEGORIES[funcs.category[frames.func[row]]])],
    ['none', 'none', ...rows.map((row) => TIERS[frames.tier[row]])],
    [0, 0, ...rows.map((row) => (frames.inlineDepth[row] > 0 ? 1 : 0))],
  ]);
}
