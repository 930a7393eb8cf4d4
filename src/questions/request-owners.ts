import { NONE } from '../base/brand.ts';
import {
  MARK_KINDS,
  type MarkTable,
  NO_REQUEST,
  UNKNOWN_REQUEST,
  UNMARKED_REQUEST,
} from '../profile/mark-table.ts';
import { requestOfSamples } from '../profile/request-of-sample.ts';
import { stacksWith } from '../profile/stacks-with.ts';
import type { Profile } from '../profile/types.ts';

/** The requests that samples ran for, as far as that can be told. */
export type SampleOwners = {
  /**
   * A request, which is a row of the marks, by row of the sample table; else one of `OTHER_THREAD`, `NO_REQUEST`, and
   * `SEVERAL_ROUTES`, or `FIRST_ROUTE` − n: some request of the route n.
   */
  readonly owner: Int32Array;
  /** 1: it is certain, by its context (`record --requests`) or since it ran in the handler up to its first `await`. */
  readonly isCertain: Uint8Array;
  /** Rows of `MarkTable.names`; the numbers of routes are places in it. */
  readonly routes: readonly number[];
  /** The route of each mark; −1: it is no request. */
  readonly routeOf: Int32Array;
};

/** A sample of a thread that answers no requests, in no work that one is known to have asked for. */
export const OTHER_THREAD = -4;
/** A sample while requests of several routes were open, of which one is its. */
const SEVERAL_ROUTES = -5;
export const FIRST_ROUTE = -6;

export const REQUEST = MARK_KINDS.indexOf('request');

/** The owners of the samples `rows`, in time order; others are of `OTHER_THREAD`. `profile` has all frames. */
export function ownersOfSamples(
  profile: Profile,
  marks: MarkTable,
  rows: Int32Array,
): SampleOwners {
  const { samples } = profile;
  const owner = new Int32Array(samples.length).fill(OTHER_THREAD);
  const isCertain = new Uint8Array(samples.length);
  const routes = [...new Set(marks.name.filter((_, row) => marks.kind[row] === REQUEST))];
  const numberOf = new Map(routes.map((name, route) => [name, route]));
  const routeOf = Int32Array.from({ length: marks.length }, (_, row) =>
    marks.kind[row] === REQUEST ? (numberOf.get(marks.name[row]) ?? NONE) : NONE,
  );
  const threads = threadsOfServers(marks, routeOf);
  const requestOf = requestOfSamples({ ...profile, marks });
  const isInHandler = handlerStacks(profile);
  for (const row of rows) {
    const thread = threads.get(samples.thread[row]);
    const request = requestOf === null ? UNKNOWN_REQUEST : requestOf[row];
    if (thread === undefined) {
      if (request < 0) continue;
      owner[row] = request;
      isCertain[row] = 1;
      continue;
    }
    thread.moveTo(samples.timeNs[row]);
    const stack = samples.stack[row];
    if (request !== UNKNOWN_REQUEST) {
      owner[row] = request === UNMARKED_REQUEST ? SEVERAL_ROUTES : request;
      isCertain[row] = request >= 0 ? 1 : 0;
    } else if (thread.isThinned) owner[row] = SEVERAL_ROUTES;
    else if (stack !== NONE && isInHandler[stack] === 1 && thread.last !== NONE) {
      owner[row] = thread.last;
      isCertain[row] = 1;
    } else owner[row] = thread.alone;
  }
  return { owner, isCertain, routes, routeOf };
}

/** The requests that are open on a thread, as time goes on. */
class ServerThread {
  readonly #rows: readonly number[];
  readonly #ends: readonly number[];
  readonly #marks: MarkTable;
  readonly #routeOf: Int32Array;
  readonly #thinnedNs: number;
  readonly #open = new Set<number>();
  readonly #openOf = new Map<number, number>();
  #begun = 0;
  #ended = 0;
  /** Some are left out from here on: nothing can be told. */
  isThinned = false;

  /** `rows`: of the thread's requests, in the order of their begins. */
  constructor(marks: MarkTable, rows: readonly number[], routeOf: Int32Array) {
    const { fromNs, toNs, standsFor } = marks;
    this.#marks = marks;
    this.#rows = rows;
    this.#routeOf = routeOf;
    this.#ends = rows.toSorted((a, b) => toNs[a] - toNs[b]);
    this.#thinnedNs = fromNs[rows.find((row) => standsFor[row] > 1) ?? NONE] ?? Infinity;
  }

  /** The request that began last; −1: none has. */
  get last(): number {
    return this.#begun === 0 ? NONE : this.#rows[this.#begun - 1];
  }

  /** The owner of what runs, by the requests that are open. */
  get alone(): number {
    if (this.#open.size === 0) return NO_REQUEST;
    const [request] = this.#open;
    if (this.#open.size === 1) return request;
    return this.#openOf.size > 1 ? SEVERAL_ROUTES : FIRST_ROUTE - this.#routeOf[request];
  }

  /** Times only grow. */
  moveTo(timeNs: number): void {
    const { fromNs, toNs } = this.#marks;
    while (this.#begun < this.#rows.length && fromNs[this.#rows[this.#begun]] <= timeNs) {
      const row = this.#rows[this.#begun++];
      this.#open.add(row);
      this.#count(row, 1);
    }
    while (this.#ended < this.#begun && toNs[this.#ends[this.#ended]] <= timeNs) {
      const row = this.#ends[this.#ended++];
      this.#open.delete(row);
      this.#count(row, -1);
    }
    this.isThinned = timeNs >= this.#thinnedNs;
  }

  #count(row: number, by: number): void {
    const route = this.#routeOf[row];
    const open = (this.#openOf.get(route) ?? 0) + by;
    if (open === 0) this.#openOf.delete(route);
    else this.#openOf.set(route, open);
  }
}

/** The servers' threads. */
function threadsOfServers(marks: MarkTable, routeOf: Int32Array): Map<number, ServerThread> {
  const rowsOf = new Map<number, number[]>();
  for (let row = 0; row < marks.length; row++) {
    if (routeOf[row] === NONE) continue;
    const { thread } = marks.loops[marks.loop[row]];
    const rows = rowsOf.get(thread) ?? [];
    rowsOf.set(thread, rows);
    rows.push(row);
  }
  rowsOf.delete(NONE);
  return new Map(
    [...rowsOf].map(([thread, rows]) => [thread, new ServerThread(marks, rows, routeOf)]),
  );
}

/** Node's function that announces a request and calls its handler, in all of its versions. */
const CALLER = /^parserOnIncoming\b/;
const CALLER_FILE = 'node:_http_server';

/** 1 by StackIndex below that. */
function handlerStacks(profile: Profile): Uint8Array {
  const { funcs, strings } = profile;
  const isCaller = Uint8Array.from({ length: funcs.length }, (_, func) => {
    const name = strings[funcs.name[func]];
    const file = funcs.file[func] === NONE ? '' : strings[funcs.file[func]];
    return CALLER.test(name) && `${name} ${file}`.includes(CALLER_FILE) ? 1 : 0;
  });
  return stacksWith(profile, (func) => isCaller[func] === 1);
}
