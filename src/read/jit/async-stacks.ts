import { NONE } from '../../base/brand.ts';
import { parseForeignJson } from '../../base/foreign-json.ts';
import { type RawTime, readTimeSince, readU64 } from '../../base/u64.ts';
import { type CodeRecord, RECORD_BYTES } from '../../code/jit/code-record.ts';
import type { AsyncStack, ScriptPlace } from '../../profile/mark-table.ts';

/** A stack that V8 kept: samples from `fromNs` to `toNs` are in its microtask. */
type Kept = { readonly row: number; readonly fromNs: number; readonly toNs: number };

/** The file in which Node runs microtasks: what is further out has not resumed the function. */
const RUNS_MICROTASKS = 'node:internal/process/task_queues';
/** Hooks for promises run in a microtask before and behind its function, and nothing awaits them. */
const HOOKS = /^node:internal\/(?:async|promise)_hooks$/;
/** The number of contexts that are of no sample. */
export const NO_STACK = -1;
const MOST_STACKS = 100_000;

/**
 * The functions that awaited one that ran, in the streams that have contexts as well.
 *
 *     ASYNC_STACK  (time: of the sample that it was asked for) u32 number, size; u64 length; char json[]
 *
 * V8 kept it `length` nanoseconds later, in the same microtask. Contexts behind that have its number where their samples are in it too.
 */
export class AsyncStackLog {
  readonly stacks: AsyncStack[] = [];
  readonly #rowOf = new Map<string, number>();
  /** The stacks that were kept by loop, and by their numbers. */
  readonly #kept: Map<number, Kept>[] = [];
  /** Rows of the loop's texts. */
  #texts = new Map<number, number>();
  readonly #decoder = new TextDecoder();

  begin(): void {
    this.#kept.push(new Map());
    this.#texts = new Map();
  }

  take(view: DataView, { at, end }: CodeRecord, origin: RawTime): void {
    const body = at + RECORD_BYTES;
    const size = Math.min(view.getUint32(body + 4, true), end - body - 16);
    const text = this.#decoder.decode(
      new Uint8Array(view.buffer, view.byteOffset + body + 16, size),
    );
    const row = this.#rowOfText(text);
    if (row === NONE) return;
    const fromNs = readTimeSince(view, at + 8, true, origin);
    const toNs = fromNs + readU64(view, body + 8, true);
    this.#kept.at(-1)?.set(view.getUint32(body, true), { row, fromNs, toNs });
  }

  #rowOfText(text: string): number {
    const sent = parseForeignJson(text);
    if (!Array.isArray(sent) || typeof sent[0] !== 'number') return NONE;
    const [number, frames] = sent as [number, unknown];
    if (frames === undefined) return this.#texts.get(number) ?? NONE;
    const stack = stackOf(frames);
    if (stack === null) return NONE;
    const key = JSON.stringify(stack);
    const row = this.#rowOf.get(key) ?? this.stacks.length;
    if (row === this.stacks.length) {
      if (row === MOST_STACKS) return NONE;
      this.stacks.push(stack);
      this.#rowOf.set(key, row);
    }
    this.#texts.set(number, row);
    return row;
  }

  /** The rows of contexts, loop by loop in the order of their times. `number`: of the stack that they have; 0: none. */
  rowsOf(loop: Int32Array, timeNs: Float64Array, number: Int32Array): Int32Array {
    const spans = this.#kept.map((kept) => [...kept.values()].sort((a, b) => a.fromNs - b.fromNs));
    const next = new Int32Array(spans.length);
    return number.map((of, row) => {
      const kept = this.#kept[loop[row]];
      if (of !== 0) return kept.get(of)?.row ?? NONE;
      const own = spans[loop[row]];
      let at = next[loop[row]];
      while (at < own.length && own[at].toNs < timeNs[row]) at++;
      next[loop[row]] = at;
      return at < own.length && own[at].fromNs <= timeNs[row] ? own[at].row : NONE;
    });
  }
}

/** The stack of frames, the innermost first: each is whether it awaits, name, script, line and column. Null where they are none. */
function stackOf(frames: unknown): AsyncStack | null {
  if (!Array.isArray(frames)) return null;
  const places: ScriptPlace[] = [];
  let awaits = frames.length;
  for (const [i, frame] of frames.entries()) {
    const place = placeOf(frame);
    if (place === null) return null;
    if (frame[0] === 1) awaits = Math.min(awaits, i);
    places.push(place);
  }
  const runs = places.findIndex(
    ({ file, name }) => file === RUNS_MICROTASKS && /TicksAnd|NextTicks/.test(name),
  );
  const resumed = places[(runs === NONE ? awaits : Math.min(runs, awaits)) - 1];
  if (resumed === undefined || HOOKS.test(resumed.file)) return null;
  // V8 does not look who awaits a function that it is about to resume: nothing is above it yet.
  const isBegun = awaits < frames.length || resumed !== places[0];
  return isBegun ? { resumed, awaiting: places.slice(awaits) } : null;
}

function placeOf(frame: unknown): ScriptPlace | null {
  if (!Array.isArray(frame)) return null;
  const [, name, file, line, column] = frame as unknown[];
  const isPlace =
    typeof name === 'string' &&
    typeof file === 'string' &&
    typeof line === 'number' &&
    typeof column === 'number';
  return isPlace ? { name, file, line, column } : null;
}
