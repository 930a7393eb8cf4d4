import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { type RawTime, readTimeSince } from '../../base/u64.ts';
import { CODE_EVENT, type CodeRecord, RECORD_BYTES } from '../../code/jit/code-record.ts';
import {
  type AsyncStack,
  type ContextTable,
  NO_REQUEST,
  UNKNOWN_REQUEST,
} from '../../profile/mark-table.ts';
import { AsyncStackLog, NO_STACK } from './async-stacks.ts';
import type { LoopVisitor } from './loop-visitor.ts';
import type { MarkTableBuilder } from './marks.ts';

const CONTEXTS_BYTES = 8;
const CONTEXT_BYTES = 12;
/** A number of all bits. */
export const NO_NUMBER = 0xffffffff;

/**
 * The contexts of samples, in the streams that have marks as well, behind the begins of these.
 *
 *     CONTEXTS  (time: of the first) u32 count, lost; { u32 since_ns, number, stack }[]
 */
export class ContextTableBuilder implements LoopVisitor {
  readonly #marks: MarkTableBuilder;
  readonly #loop = new GrowableInt32(256);
  readonly #timeNs = new GrowableFloat64(256);
  readonly #request = new GrowableInt32(256);
  /** The same by row of the `WorkLog`. */
  readonly #work = new GrowableInt32(256);
  /** The number of the stack that is known of the row. */
  readonly #stack = new GrowableInt32(256);
  readonly #stacks = new AsyncStackLog();
  #loops = 0;
  /** The next one is the first of its loop: samples before have none, since the signals have begun only now. */
  #isFirst = true;

  /** `marks` takes each record before. */
  constructor(marks: MarkTableBuilder) {
    this.#marks = marks;
  }

  begin(): void {
    this.#loops++;
    this.#isFirst = true;
    this.#stacks.begin();
  }

  take(view: DataView, record: CodeRecord, origin: RawTime): void {
    const { type, at, end } = record;
    const body = at + RECORD_BYTES;
    if (type === CODE_EVENT.WORK) this.#work.push(this.#requestOf(view.getUint32(body + 8, true)));
    if (type === CODE_EVENT.ASYNC_STACK) this.#stacks.take(view, record, origin);
    if (type !== CODE_EVENT.CONTEXTS) return;
    const timeNs = readTimeSince(view, at + 8, true, origin);
    const first = body + CONTEXTS_BYTES;
    const room = Math.floor((end - first) / CONTEXT_BYTES);
    const count = Math.min(view.getUint32(body, true), room);
    for (let i = 0; i < count; i++) {
      const place = first + i * CONTEXT_BYTES;
      const request = this.#requestOf(view.getUint32(place + 4, true));
      const stack = view.getUint32(place + 8, true);
      this.#add(timeNs + view.getUint32(place, true), request, stack);
    }
    if (view.getUint32(body + 4, true) > 0) this.#add(timeNs, UNKNOWN_REQUEST, NO_STACK);
  }

  #requestOf(number: number): number {
    return number === NO_NUMBER ? NO_REQUEST : this.#marks.requestOf(number);
  }

  #add(timeNs: number, request: number, stack: number): void {
    this.#loop.push(this.#loops - 1);
    this.#timeNs.push(timeNs);
    this.#stack.push(this.#isFirst ? NO_STACK : stack);
    this.#request.push(this.#isFirst ? UNKNOWN_REQUEST : request);
    this.#isFirst = false;
  }

  /** Ends the table, once that of the marks is; null where there are no contexts. */
  finish(): ContextTable | null {
    const length = this.#timeNs.length;
    if (length === 0) return null;
    const request = this.#request.finish().map((mark) => this.#rowOf(mark));
    const [loop, timeNs] = [this.#loop.finish(), this.#timeNs.finish()];
    const stack = this.#stacks.rowsOf(loop, timeNs, this.#stack.finish());
    return { length, loop, timeNs, request, stack };
  }

  /** The stacks of the table, once it has ended; empty where none was kept. */
  get asyncStacks(): readonly AsyncStack[] {
    return this.#stacks.stacks;
  }

  /** The request of a row of the `WorkLog`, once the table of marks has ended. */
  requestOfWork(row: number): number {
    return row >= 0 && row < this.#work.length
      ? this.#rowOf(this.#work.array[row])
      : UNKNOWN_REQUEST;
  }

  #rowOf(mark: number): number {
    return mark < 0 ? mark : this.#marks.rowOf(mark);
  }
}
