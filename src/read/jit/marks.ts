import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../../base/growable-columns.ts';
import { type RawTime, readTimeSince, readU64 } from '../../base/u64.ts';
import { CODE_EVENT, type CodeRecord, RECORD_BYTES } from '../../code/jit/code-record.ts';
import {
  MARK_KINDS,
  type MarkTable,
  UNKNOWN_REQUEST,
  UNMARKED_REQUEST,
} from '../../profile/mark-table.ts';
import type { TurnLoop } from '../../profile/turn-table.ts';
import type { LoopVisitor } from './loop-visitor.ts';

/** Bytes of a mark behind the head of its record, without the name. */
const MARK_BYTES = 16;
/** Length of a mark whose end is another record: 2^64 − 1. */
const OPEN_LENGTH = 2 ** 63;
const GC = MARK_KINDS.indexOf('gc');
const REQUEST = MARK_KINDS.indexOf('request');
/** Bits of a request's number that contexts have. */
const CONTEXT_BITS = 0xfffff;
const OF_HTTP = ['request', 'call'].map((kind) => MARK_KINDS.indexOf(kind as 'request'));

/** Routes of a process that are compared with paths, and paths that are. */
const MOST_ROUTES = 1000;
const MOST_PATHS = 20_000;

/** `v8::GCType`. */
const COLLECTIONS: Readonly<Record<number, string>> = {
  1: 'scavenge',
  2: 'minor mark-sweep',
  4: 'mark-compact',
  8: 'incremental marking',
  16: 'weak callbacks',
};

/**
 * The marks of processes, in the streams that have turns as well.
 *
 *     MARK      (time: its begin) u64 length; u32 id; u16 kind, name_size; char name[]
 *     MARK_END  u32 id, status, name_size, 0; char name[]
 */
export class MarkTableBuilder implements LoopVisitor {
  readonly #loops: TurnLoop[] = [];
  readonly #kind = new GrowableUint8(256);
  readonly #loop = new GrowableInt32(256);
  readonly #name = new GrowableInt32(256);
  readonly #text = new GrowableInt32(256);
  readonly #fromNs = new GrowableFloat64(256);
  readonly #toNs = new GrowableFloat64(256);
  readonly #status = new GrowableInt32(256);
  readonly #standsFor = new GrowableFloat64(256);
  readonly #names = new Map<string, number>();
  readonly #decoder = new TextDecoder();
  /** Rows of the loop's open marks, by their numbers. */
  readonly #open = new Map<number, number>();
  /** Rows of the loop's requests, by what contexts have of their numbers: the last of each. */
  readonly #requests = new Map<number, number>();
  /** The routes that each process has told, and the rows that have one of them. */
  readonly #routes = new Map<number, Set<string>>();
  readonly #taught: number[] = [];
  /** Rows of the finished table, by those of the columns. */
  #rowOf = new Int32Array(0);

  begin(loop: TurnLoop): void {
    this.#loops.push(loop);
    this.#open.clear();
    this.#requests.clear();
  }

  take(view: DataView, { type, at, end }: CodeRecord, origin: RawTime): void {
    const body = at + RECORD_BYTES;
    const fromNs = readTimeSince(view, at + 8, true, origin);
    if (type === CODE_EVENT.MARK_END) this.#end(view, body, end, fromNs);
    if (type !== CODE_EVENT.MARK) return;
    const length = readU64(view, body, true);
    const id = view.getUint32(body + 8, true);
    const kind = view.getUint8(body + 12);
    if (kind >= MARK_KINDS.length) return;
    const sent = textAt(view, body + MARK_BYTES, view.getUint16(body + 14, true), end);
    const text = kind === GC ? (COLLECTIONS[id] ?? `type ${id}`) : this.#decoder.decode(sent);
    const isOpen = length >= OPEN_LENGTH;
    if (isOpen) this.#open.set(id, this.#kind.length);
    if (kind === REQUEST) this.#requests.set(id & CONTEXT_BITS, this.#kind.length);
    this.#kind.push(kind);
    this.#loop.push(this.#loops.length - 1);
    this.#text.push(this.#intern(text));
    this.#name.push(this.#intern(OF_HTTP.includes(kind) ? withoutIds(text) : text));
    this.#fromNs.push(fromNs);
    this.#toNs.push(isOpen ? Number.POSITIVE_INFINITY : fromNs + length);
    this.#status.push(0);
    this.#standsFor.push(2 ** view.getUint8(body + 13));
  }

  /** The request of the loop that has a number in a context: as marks come, see `rowOf`. */
  requestOf(number: number): number {
    return number === 0 ? UNMARKED_REQUEST : (this.#requests.get(number) ?? UNKNOWN_REQUEST);
  }

  /** The row of a mark in the finished table. */
  rowOf(mark: number): number {
    return this.#rowOf[mark];
  }

  #end(view: DataView, body: number, end: number, toNs: number): void {
    const id = view.getUint32(body, true);
    const row = this.#open.get(id);
    if (row === undefined) return;
    this.#open.delete(id);
    const name = textAt(view, body + MARK_BYTES, view.getUint32(body + 8, true), end);
    this.#toNs.array[row] = Math.max(toNs, this.#fromNs.array[row]);
    this.#status.array[row] = view.getUint32(body + 4, true);
    if (name.length === 0) return;
    const sent = this.#decoder.decode(name);
    if (sent === AS_TAUGHT) {
      this.#taught.push(row);
      return;
    }
    this.#name.array[row] = this.#intern(sent);
    const { pid } = this.#loops[this.#loop.array[row]];
    const routes = this.#routes.get(pid) ?? new Set();
    if (routes.size < MOST_ROUTES) this.#routes.set(pid, routes.add(sent));
  }

  /** Gives those rows their routes. */
  #apply(): void {
    const names = [...this.#names.keys()];
    const known = new Map<string, number>();
    for (const row of this.#taught) {
      const { pid } = this.#loops[this.#loop.array[row]];
      const text = names[this.#text.array[row]];
      const key = `${pid} ${text}`;
      let name = known.get(key);
      if (name === undefined && known.size === MOST_PATHS) continue;
      if (name === undefined) {
        const route = routeAmong(this.#routes.get(pid) ?? new Set(), text);
        name = route === null ? this.#name.array[row] : this.#intern(route);
        known.set(key, name);
      }
      this.#name.array[row] = name;
    }
  }

  #intern(name: string): number {
    const known = this.#names.get(name) ?? this.#names.size;
    this.#names.set(name, known);
    return known;
  }

  /**
   * The marks in the order of their begins: measures are sent when they end; null where there are none. `endNs`: the end of
   * those that are open.
   */
  finish(endNs: number): MarkTable | null {
    this.#apply();
    const from = this.#fromNs.finish();
    const { length } = from;
    if (length === 0) return null;
    const order = Uint32Array.from({ length }, (_, row) => row).sort((a, b) => from[a] - from[b]);
    this.#rowOf = new Int32Array(length);
    for (let row = 0; row < length; row++) this.#rowOf[order[row]] = row;
    const to = this.#toNs.finish();
    const isOpen = (row: number) => to[row] === Number.POSITIVE_INFINITY;
    const ints = (column: GrowableInt32) => Int32Array.from(order, (row) => column.array[row]);
    return {
      length,
      kind: Uint8Array.from(order, (row) => this.#kind.array[row]),
      loop: ints(this.#loop),
      name: ints(this.#name),
      text: ints(this.#text),
      fromNs: Float64Array.from(order, (row) => from[row]),
      toNs: Float64Array.from(order, (row) => (isOpen(row) ? Math.max(endNs, from[row]) : to[row])),
      isOpen: Uint8Array.from(order, (row) => (isOpen(row) ? 1 : 0)),
      status: ints(this.#status),
      standsFor: Float64Array.from(order, (row) => this.#standsFor.array[row]),
      names: [...this.#names.keys()],
      loops: this.#loops,
    };
  }
}

/** The bytes of a name, as far as they are in the record. */
function textAt(view: DataView, at: number, size: number, end: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + at, Math.min(size, end - at));
}

/** The name of a request whose route is one of those that its process has told of others, `src/register/marks.cts`. */
const AS_TAUGHT = '=';

/** `GET /users/:id` of `GET /users/ann`, of the routes of a process; null where none fits. */
function routeAmong(routes: ReadonlySet<string>, text: string): string | null {
  const path = text.split('/');
  const fits = (route: readonly string[]): boolean => {
    const wild = route.indexOf('*');
    if (wild < 0 ? route.length !== path.length : path.length < wild) return false;
    return route
      .slice(0, wild < 0 ? undefined : wild)
      .every((part, i) => part === path[i] || part.startsWith(':'));
  };
  // A part that is the same stands before one that may be any.
  const rank = (route: string) =>
    route
      .split('/')
      .map((part) => (part === '*' ? 2 : part.startsWith(':') ? 1 : 0))
      .join('');
  const found = [...routes].filter((route) => fits(route.split('/')));
  return found.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0] ?? null;
}

/** A number, a UUID, or eight and more characters with a digit that may be an id: hexadecimal, base 64. */
const ID =
  /^(?:\d+|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|(?=.*\d)[\da-f]{8,}|(?=.*\d)(?=.*[A-Z])[\w-]{16,})$/i;

/** `GET /users/17/posts` -> `GET /users/∗/posts`, with an ASCII asterisk. */
function withoutIds(text: string): string {
  const path = text.indexOf('/');
  if (path < 0) return text;
  const parts = text.slice(path).split('/');
  return text.slice(0, path) + parts.map((part) => (ID.test(part) ? '*' : part)).join('/');
}
