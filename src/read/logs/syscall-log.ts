// Hot: once per system call.

import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { joinInts } from '../../base/join-bytes.ts';
import { memoize } from '../../base/memoize.ts';
import { StringTable } from '../../base/string-table.ts';
import { readHigh32, readLow32 } from '../../base/u64.ts';
import { syscallLabel } from '../../code/native-frames/kernel-entry.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';
import { BYTE_CALLS, syscallNames } from '../../kernel/tracepoint/syscalls.ts';
import type { LeafLabels } from '../../profile/leaf-labels.ts';
import { SYSCALL_BYTES_EVENT, SYSCALL_EVENT } from '../../profile/wait-event.ts';
import { findField, lower32, type RawField } from './raw-field.ts';

/** The number with which the kernel ends `rt_sigreturn`, which has put other registers in place of its own. */
const NO_NUMBER = 0xffff_ffff;

type Columns = Record<'periodEvents' | 'stack', { [row: number]: number }>;

/**
 * Pairs begins and ends of system calls by thread, and gives their samples in the end how long they took: those of the event
 * `syscalls`, taken where a call begins. Calls that had begun before the recording are left out; one that has not ended
 * counts up to the end of its thread, or of the recording.
 */
export class SyscallLog {
  /** Index of the two events among the recording's attrs, −1 without them. */
  readonly beginAttr: number;
  readonly endAttr: number;
  readonly #littleEndian: boolean;
  readonly #names: ReadonlyMap<number, string> | null;
  readonly #beginId: RawField | null;
  readonly #endId: RawField | null;
  readonly #result: RawField | null;
  readonly #row = new GrowableInt32();
  readonly #label = new GrowableInt32();
  readonly #fromNs = new GrowableFloat64();
  readonly #toNs = new GrowableFloat64();
  readonly #labels = new StringTable();
  readonly #labelOf = memoize((number: number) =>
    this.#labels.intern(syscallLabel(this.#names?.get(number) ?? `call ${number}`)),
  );
  /** Rows of bytes, and the calls that moved them. */
  readonly #bytesRow = new GrowableInt32();
  readonly #bytesCall = new GrowableInt32();
  /** The call that goes on and its number, by tid. */
  readonly #open = new Map<number, { readonly call: number; readonly number: number }>();
  #unpaired = 0;

  constructor(data: PerfData) {
    this.beginAttr = data.attrs.findIndex(({ name }) => name === SYSCALL_EVENT);
    this.endAttr = data.attrs.findIndex(({ name }) => name === SYSCALL_BYTES_EVENT);
    this.#littleEndian = data.littleEndian;
    this.#names = this.beginAttr === NONE ? null : syscallNames(data.features.arch ?? '');
    this.#beginId = findField(data, this.beginAttr, 'id');
    this.#endId = findField(data, this.endAttr, 'id');
    this.#result = findField(data, this.endAttr, 'ret');
  }

  /** The call whose begin is the sample at `row`. */
  begin(row: number, sample: SampleView): void {
    const { tid, timeNs } = sample;
    if (this.#open.has(tid)) this.#unpaired++;
    const number = lower32(sample, this.#beginId, this.#littleEndian) ?? NO_NUMBER;
    this.#open.set(tid, { call: this.#row.length, number });
    this.#row.push(row);
    this.#label.push(this.#labelOf(number));
    this.#fromNs.push(timeNs);
    this.#toNs.push(Number.NaN);
  }

  /** The call that ends with this sample and the bytes that it moved, 0 where it moved none; null: its begin is not known. */
  end(sample: SampleView): { readonly call: number; readonly bytes: number } | null {
    const { tid, timeNs } = sample;
    const open = this.#open.get(tid);
    const number = lower32(sample, this.#endId, this.#littleEndian) ?? NO_NUMBER;
    if (open === undefined || (number !== open.number && number !== NO_NUMBER)) return null;
    this.#open.delete(tid);
    this.#toNs.array[open.call] = timeNs;
    const isOfBytes = BYTE_CALLS.has(this.#names?.get(number) ?? '');
    return { call: open.call, bytes: isOfBytes ? Math.max(0, this.#resultOf(sample)) : 0 };
  }

  /** `row` weighs the bytes of a call, and gets its stack. */
  noteBytes(row: number, call: number): void {
    this.#bytesRow.push(row);
    this.#bytesCall.push(call);
  }

  /** A thread has ended, within `exit` as a rule. */
  endThread(tid: number, timeNs: number): void {
    const open = this.#open.get(tid);
    if (open === undefined) return;
    this.#open.delete(tid);
    this.#toNs.array[open.call] = timeNs;
  }

  /** Samples have changed places: `newRow` by old row. */
  moveRows(newRow: Uint32Array): void {
    for (const { array, length } of [this.#row, this.#bytesRow]) {
      for (let i = 0; i < length; i++) array[i] = newRow[array[i]];
    }
  }

  /** Writes lengths and stacks into the samples. Returns the calls' names, to be put on top of these stacks. */
  finish(samples: Columns, endNs: number, diagnostics: Diagnostics): LeafLabels {
    const { periodEvents, stack } = samples;
    for (const { call } of this.#open.values()) this.#toNs.array[call] = endNs;
    const [row, label] = [this.#row.finish(), this.#label.finish()];
    const [bytesRow, bytesCall] = [this.#bytesRow.finish(), this.#bytesCall.finish()];
    for (let call = 0; call < row.length; call++) {
      const took = this.#toNs.array[call] - this.#fromNs.array[call];
      periodEvents[row[call]] = took >= 0 ? took : 0;
    }
    for (let i = 0; i < bytesRow.length; i++) stack[bytesRow[i]] = stack[row[bytesCall[i]]];
    if (this.#unpaired > 0) {
      diagnostics.count('call-end-lost', 'their time is not known', this.#unpaired);
    }
    return {
      length: row.length + bytesRow.length,
      row: joinInts(row, bytesRow),
      label: joinInts(
        label,
        bytesCall.map((call) => label[call]),
      ),
      labels: this.#labels.strings,
    };
  }

  #resultOf({ view, rawOffset, rawLength }: SampleView): number {
    const field = this.#result;
    if (field === null || rawOffset < 0 || field.offset + 8 > rawLength) return 0;
    const at = rawOffset + field.offset;
    const high = readHigh32(view, at, this.#littleEndian) | 0;
    return high * 2 ** 32 + readLow32(view, at, this.#littleEndian);
  }
}
