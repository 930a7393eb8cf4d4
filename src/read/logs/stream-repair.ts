import { NONE } from '../../base/brand.ts';

/** Rows that are looked at before all of them are. */
const NEAR_ROWS = 256;

/** The columns of the sample table that this needs; `stream` is corrected in place. */
type SampleColumns = {
  readonly length: number;
  readonly event: ArrayLike<number>;
  readonly thread: ArrayLike<number>;
  readonly cpu: ArrayLike<number>;
  readonly stream: { [row: number]: number };
};

/**
 * Gives samples back to their streams that the kernel has put into another.
 *
 * A record that fits again after a loss is preceded by a LOST record, and the kernel fills in the
 * trailer of that one from the instance that was *opened* (`__perf_output_begin`), in the same struct
 * that the sample's own fields are then written from. So the sample right after a LOST record carries
 * the opened instance's stream id, whichever instance took it:
 *
 *     LOST    id 7             time 1000
 *     SAMPLE  id 7  stream  7  time 1000   tid 12   ◀─ of stream 19, as the next one shows
 *     SAMPLE  id 7  stream 19  time 1040   tid 12
 *
 * A sample may also carry the ids of an event that is not of this recording (see `EventLookup`).
 *
 * Its counter's value is its own instance's. The thread and the CPU tell the stream: the nearest
 * sample of the same event, thread and CPU before it, or else behind it, is of the same one.
 */
export class StreamRepair {
  readonly #doubtful: { readonly row: number; readonly id: number; readonly tid: number }[] = [];
  readonly #foreign: number[] = [];
  /** Foreign ones of instances that follow no thread: what the CPU has is one stream. */
  readonly #ofCpu = new Set<number>();

  /**
   * The sample in this row follows a LOST record and carries the stream of the instance that was
   * opened with the event id `id`; its event is inherited.
   */
  note(row: number, id: number, tid: number): void {
    this.#doubtful.push({ row, id, tid });
  }

  /**
   * The sample in this row carries the ids of an event that is not of this recording. `isOfCpu`: its
   * event is not inherited, so that where a CPU is recorded, all threads have one instance there.
   */
  noteForeign(row: number, isOfCpu: boolean): void {
    this.#foreign.push(row);
    if (isOfCpu) this.#ofCpu.add(row);
  }

  /** The rows noted so far are gone. */
  forget(): void {
    this.#doubtful.length = 0;
    this.#foreign.length = 0;
    this.#ofCpu.clear();
  }

  /** `isOpenedOn`: whether the instance with this event id was opened on this task. */
  apply(samples: SampleColumns, isOpenedOn: (id: number, tid: number) => boolean): void {
    const wrong = this.#doubtful.filter(({ id, tid }) => !isOpenedOn(id, tid));
    const rows = [...wrong.map(({ row }) => row), ...this.#foreign].sort((a, b) => a - b);
    if (rows.length === 0) return;
    const { length, event, thread, cpu, stream } = samples;
    const unsettled = new Set(rows);
    for (const row of rows) {
      const before = findNear(samples, row, unsettled);
      if (before === NONE) continue;
      stream[row] = stream[before];
      unsettled.delete(row);
    }
    if (unsettled.size === 0) return;
    const threads = 1 + maxOf(thread, length);
    const cpus = 2 + maxOf(cpu, length);
    const keyOf = (row: number) =>
      (event[row] * (threads + 1) + thread[row] + 1) * cpus + cpu[row] + 1;
    const wanted = new Set(rows.map(keyOf));
    const settle = (row: number, streams: Map<number, number>) => {
      const key = keyOf(row);
      if (!wanted.has(key)) return;
      if (!unsettled.has(row)) {
        streams.set(key, stream[row]);
        return;
      }
      const known = streams.get(key);
      if (known === undefined) return;
      stream[row] = known;
      unsettled.delete(row);
    };
    const before = new Map<number, number>();
    for (let row = 0; row < length; row++) settle(row, before);
    const behind = new Map<number, number>();
    for (let row = length - 1; row >= 0 && unsettled.size > 0; row--) settle(row, behind);
    // Nothing else is known of the instance: a stream of its own, by thread and CPU.
    for (const row of unsettled) stream[row] = NONE;
    if (this.#ofCpu.size > 0) this.#settleByCpu(samples, unsettled);
  }

  /** Gives rows of `unsettled` the one stream that their event has on their CPU, if it is one. */
  #settleByCpu(
    { length, event, cpu, stream }: SampleColumns,
    unsettled: ReadonlySet<number>,
  ): void {
    const cpus = 2 + maxOf(cpu, length);
    const keyOf = (row: number) => event[row] * cpus + cpu[row] + 1;
    const open = [...unsettled].filter((row) => this.#ofCpu.has(row));
    const wanted = new Set(open.map(keyOf));
    const streams = new Map<number, number>();
    for (let row = 0; row < length; row++) {
      const key = keyOf(row);
      if (!wanted.has(key) || unsettled.has(row)) continue;
      const known = streams.get(key) ?? stream[row];
      streams.set(key, known === stream[row] ? known : NONE);
    }
    for (const row of open) stream[row] = streams.get(keyOf(row)) ?? NONE;
  }
}

/**
 * The nearest row before `row` of the same event, thread and CPU whose stream is known, if it is one
 * of the last few; −1: it has to be looked for further away.
 */
function findNear(
  { event, thread, cpu }: SampleColumns,
  row: number,
  unsettled: ReadonlySet<number>,
): number {
  const end = Math.max(0, row - NEAR_ROWS);
  for (let i = row - 1; i >= end; i--) {
    const isSame = event[i] === event[row] && thread[i] === thread[row] && cpu[i] === cpu[row];
    if (isSame && !unsettled.has(i)) return i;
  }
  return NONE;
}

function maxOf(column: ArrayLike<number>, length: number): number {
  let max = -1;
  for (let row = 0; row < length; row++) max = Math.max(max, column[row]);
  return max;
}
