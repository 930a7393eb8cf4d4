import { encodeCodeEvents } from '../../src/code/jit/code-events.ts';
import { SHORT_TURN_BUCKETS } from '../../src/profile/turn-table.ts';

const TURN = 11;
const SHORT_TURNS = 12;
const MARK = 13;
const MARK_END = 14;
const CONTEXTS = 17;
const WORK = 19;
const ASYNC_STACK = 20;
const WORK_STACK = 22;

type Times = { readonly fromNs: number; readonly lengthNs: number; readonly waitedNs?: number };

/** The stream of one event loop, as the library in a program writes it. */
export class TurnStream {
  readonly #chunks: Uint8Array[] = [];

  constructor(pid: number, tid = pid) {
    const header = Buffer.alloc(32);
    header.write('PTSCODE1');
    header.writeUInt32LE(pid, 8);
    header.writeUInt32LE(tid, 12);
    this.#chunks.push(header);
  }

  /** `flags` 1: the first one; 2: not ended. */
  turn({ fromNs, lengthNs, waitedNs = 0 }: Times, eventsNs = 0, flags = 0): this {
    return this.#record(TURN, [fromNs, lengthNs, eventsNs, waitedNs, flags], Buffer.alloc(0));
  }

  /** Counts by bucket. */
  short(times: Times, counts: Readonly<Record<number, number>>): this {
    const buckets = Buffer.alloc(4 * (SHORT_TURN_BUCKETS + 1));
    for (const [bucket, count] of Object.entries(counts)) {
      buckets.writeUInt32LE(count, 4 * Number(bucket));
    }
    const { fromNs, lengthNs, waitedNs = 0 } = times;
    return this.#record(SHORT_TURNS, [fromNs, fromNs + lengthNs, lengthNs, waitedNs], buckets);
  }

  /** A mark that has ended, or one with an `id` whose end is another record. `kind`: index of `MARK_KINDS`. */
  mark(kind: number, name: string, { fromNs, lengthNs }: Times, id = 0, log = 0): this {
    const text = padded(name);
    const bytes = Buffer.alloc(32);
    bytes.writeUInt32LE(bytes.length + text.length, 0);
    bytes.writeUInt16LE(MARK, 4);
    bytes.writeBigUInt64LE(BigInt(fromNs), 8);
    bytes.writeBigUInt64LE(lengthNs < 0 ? 2n ** 64n - 1n : BigInt(lengthNs), 16);
    bytes.writeUInt32LE(id, 24);
    bytes.writeUInt16LE(kind + 256 * log, 28);
    bytes.writeUInt16LE(Buffer.byteLength(name), 30);
    this.#chunks.push(bytes, text);
    return this;
  }

  markEnd(id: number, atNs: number, status = 0, name = ''): this {
    const text = padded(name);
    const bytes = Buffer.alloc(32);
    bytes.writeUInt32LE(bytes.length + text.length, 0);
    bytes.writeUInt16LE(MARK_END, 4);
    bytes.writeBigUInt64LE(BigInt(atNs), 8);
    bytes.writeUInt32LE(id, 16);
    bytes.writeUInt32LE(status, 20);
    bytes.writeUInt32LE(Buffer.byteLength(name), 24);
    this.#chunks.push(bytes, text);
    return this;
  }

  /** Contexts of samples: times, numbers, −1 for no request, and numbers of stacks. `lost`: for how many there was no room before `atNs`. */
  contexts(atNs: number, entries: readonly (readonly [number, number, number?])[], lost = 0): this {
    const bytes = Buffer.alloc(8 * Math.ceil(3 + 1.5 * entries.length));
    bytes.writeUInt32LE(bytes.length, 0);
    bytes.writeUInt16LE(CONTEXTS, 4);
    bytes.writeBigUInt64LE(BigInt(atNs), 8);
    bytes.writeUInt32LE(entries.length, 16);
    bytes.writeUInt32LE(lost, 20);
    for (const [i, [timeNs, number, stack = 0]] of entries.entries()) {
      bytes.writeUInt32LE(timeNs - atNs, 24 + 12 * i);
      bytes.writeUInt32LE(number >>> 0, 28 + 12 * i);
      bytes.writeUInt32LE(stack, 32 + 12 * i);
    }
    this.#chunks.push(bytes);
    return this;
  }

  /** A stack with the functions that await one, asked for at `atNs` and kept later. */
  asyncStack(atNs: number, number: number, lengthNs: number, json: unknown): this {
    const text = padded(JSON.stringify(json));
    const bytes = Buffer.alloc(32);
    bytes.writeUInt32LE(bytes.length + text.length, 0);
    bytes.writeUInt16LE(ASYNC_STACK, 4);
    bytes.writeBigUInt64LE(BigInt(atNs), 8);
    bytes.writeUInt32LE(number, 16);
    bytes.writeUInt32LE(Buffer.byteLength(JSON.stringify(json)), 20);
    bytes.writeBigUInt64LE(BigInt(lengthNs), 24);
    this.#chunks.push(bytes, text);
    return this;
  }

  /**
   * Work for libuv's pool that a request gave it, −1: none, −2: its end. `offset`: 0 where it is not known yet. `asked`: the address of the work in
   * whose callback, and the number of the stack.
   */
  work(
    atNs: number,
    address: number,
    number: number,
    kind = 0,
    offset = 0,
    asked?: readonly [asker: number, stack: number],
  ): this {
    const bytes = Buffer.alloc(asked === undefined ? 32 : 48);
    bytes.writeUInt32LE(bytes.length, 0);
    bytes.writeUInt16LE(WORK, 4);
    bytes.writeBigUInt64LE(BigInt(atNs), 8);
    bytes.writeBigUInt64LE(BigInt(address), 16);
    bytes.writeUInt32LE(number >>> 0, 24);
    bytes.writeUInt16LE(kind, 28);
    bytes.writeUInt16LE(offset, 30);
    if (asked !== undefined) {
      bytes.writeBigUInt64LE(BigInt(asked[0]), 32);
      bytes.writeUInt32LE(asked[1], 40);
    }
    this.#chunks.push(bytes);
    return this;
  }

  /** The return addresses of a stack, the innermost first. */
  workStack(number: number, addresses: readonly number[]): this {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(number, 0);
    head.writeUInt32LE(addresses.length, 4);
    const words = BigUint64Array.from(addresses, BigInt);
    const bytes = Buffer.concat([head, Buffer.from(words.buffer)]);
    return this.#record(WORK_STACK, [], bytes);
  }

  #record(type: number, numbers: readonly number[], tail: Uint8Array): this {
    const bytes = Buffer.alloc(16 + 8 * numbers.length);
    bytes.writeUInt32LE(bytes.length + tail.length, 0);
    bytes.writeUInt16LE(type, 4);
    for (const [i, value] of numbers.entries()) bytes.writeBigUInt64LE(BigInt(value), 16 + 8 * i);
    this.#chunks.push(bytes, tail);
    return this;
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }

  /** The bytes of the attachment with this stream alone. */
  attachment(offsetNs = 0n): Uint8Array {
    return Buffer.concat(encodeCodeEvents([{ offsetNs, chunks: [this.bytes] }]));
  }
}

function padded(name: string): Uint8Array {
  const text = Buffer.from(name);
  return Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8)]);
}
