import { NONE } from '../base/brand.ts';
import type { Slices } from '../base/slices.ts';
import { MARK_KINDS, type MarkTable, NO_REQUEST, UNKNOWN_REQUEST } from '../profile/mark-table.ts';
import { requestOfSamples } from '../profile/request-of-sample.ts';
import { stacksWith } from '../profile/stacks-with.ts';
import type { Profile } from '../profile/types.ts';
import { type MarkSummary, MarkSums } from './marks.ts';
import { type Asked, type Share, sharesByKey } from './shares-by-key.ts';

/** Requests that a server answered by one route, and what ran for them, as far as that can be told. */
export type RouteRow = Omit<MarkSummary, 'kind'> &
  Share & {
    /**
     * The part of `weight` of which it is certain that it ran for such a request: by the contexts of samples where the recording has them
     * (`record --requests`), else what ran below Node's call of the request's handler, up to its first `await`. The rest ran on
     * the server's thread while requests of this route alone were open.
     */
    readonly inHandler: number;
  };

/**
 * The part that is put down to no route: it ran while requests of several routes were open, or none was; or on a thread that
 * answers none, as V8's own and those of libuv's pool.
 */
export type UntoldRow = Share & { readonly while: (typeof UNTOLD)[number] };

/** Requests of servers by route, and the part that no route has. */
export type RequestReport = {
  /** Routes, those with the most requests first. */
  readonly routes: readonly RouteRow[];
  readonly untold: readonly UntoldRow[];
};

const UNTOLD = ['several routes', 'no request', 'other threads'] as const;
const REQUEST = MARK_KINDS.indexOf('request');

/** Requests by route. `profile` of `asked` has all frames. */
export function* findRequests(asked: Asked, marks: MarkTable): Slices<RequestReport> {
  const { rows, weights, profile } = asked;
  const sums = new Map<number, MarkSums>();
  for (let row = 0; row < marks.length; row++) {
    if (marks.kind[row] !== REQUEST) continue;
    const ofRoute = sums.get(marks.name[row]) ?? new MarkSums();
    sums.set(marks.name[row], ofRoute);
    ofRoute.add(marks, row);
  }
  const names = [...sums.keys()];
  const [several, none, elsewhere] = UNTOLD.map((_, i) => names.length + i);
  const routeOf = routesOfRows(marks, names);
  const threads = threadsOfServers(marks, routeOf);
  const requestOf = requestOfSamples({ ...profile, marks });
  const isInHandler = handlerStacks(profile);
  const { samples } = profile;
  const keys = new Int32Array(samples.length).fill(NONE);
  const inHandler = new Float64Array(names.length);
  for (const row of rows) {
    const thread = threads.get(samples.thread[row]);
    if (thread === undefined) {
      keys[row] = elsewhere;
      continue;
    }
    thread.moveTo(samples.timeNs[row]);
    const stack = samples.stack[row];
    const request = requestOf === null ? UNKNOWN_REQUEST : requestOf[row];
    if (request !== UNKNOWN_REQUEST) {
      const route = request < 0 ? NONE : routeOf[request];
      keys[row] = route !== NONE ? route : request === NO_REQUEST ? none : several;
      if (route !== NONE) inHandler[route] += weights.values[row];
      continue;
    }
    const handled = stack !== NONE && isInHandler[stack] === 1 ? thread.last : NONE;
    const route = handled === NONE ? thread.only : handled;
    if (thread.isThinned) keys[row] = several;
    else if (route !== NONE) keys[row] = route;
    else keys[row] = thread.open === 0 ? none : several;
    if (handled !== NONE && keys[row] === handled) inHandler[handled] += weights.values[row];
  }
  yield;
  const shares = new Map(
    (yield* sharesByKey(asked, keys, names.length + UNTOLD.length)).map(({ key, ...share }) => [
      key,
      share,
    ]),
  );
  const routes = names.map((name, key) => ({
    name: marks.names[name],
    ...(sums.get(name) as MarkSums).finish(),
    ...(shares.get(key) ?? NOTHING),
    inHandler: inHandler[key],
  }));
  return {
    routes: routes.sort((a, b) => b.count - a.count || b.totalNs - a.totalNs),
    untold: UNTOLD.map((each, i) => ({
      while: each,
      ...(shares.get(names.length + i) ?? NOTHING),
    })),
  };
}

const NOTHING: Share = { weight: 0, samples: 0, share: 0, interval: null };

/** Which requests are open on a thread, as time goes on. */
class ServerThread {
  readonly #fromNs: Float64Array;
  readonly #routes: Int32Array;
  readonly #ends: { readonly ns: Float64Array; readonly route: Int32Array };
  readonly #thinnedNs: number;
  readonly #openOf = new Map<number, number>();
  #begun = 0;
  #ended = 0;
  /** Requests that are open. */
  open = 0;
  /** Some are left out from here on: nothing can be told. */
  isThinned = false;

  /** `rows`: of the thread's requests, in the order of their begins. */
  constructor({ fromNs, toNs, standsFor }: MarkTable, rows: number[], routes: number[]) {
    this.#fromNs = Float64Array.from(rows, (row) => fromNs[row]);
    this.#routes = Int32Array.from(routes);
    const order = rows.map((_, i) => i).sort((a, b) => toNs[rows[a]] - toNs[rows[b]]);
    this.#ends = {
      ns: Float64Array.from(order, (i) => toNs[rows[i]]),
      route: Int32Array.from(order, (i) => routes[i]),
    };
    this.#thinnedNs = fromNs[rows.find((row) => standsFor[row] > 1) ?? NONE] ?? Infinity;
  }

  /** The route of the request that began last; −1: none has. */
  get last(): number {
    return this.#begun === 0 ? NONE : this.#routes[this.#begun - 1];
  }

  /** The one route that has open requests; −1: none or several have. */
  get only(): number {
    const [route = NONE] = this.#openOf.keys();
    return this.#openOf.size === 1 ? route : NONE;
  }

  /** Times only grow. */
  moveTo(timeNs: number): void {
    const ends = this.#ends;
    while (this.#begun < this.#fromNs.length && this.#fromNs[this.#begun] <= timeNs) {
      this.#count(this.#routes[this.#begun++], 1);
    }
    while (this.#ended < ends.ns.length && ends.ns[this.#ended] <= timeNs) {
      this.#count(ends.route[this.#ended++], -1);
    }
    this.isThinned = timeNs >= this.#thinnedNs;
  }

  #count(route: number, by: number): void {
    const open = (this.#openOf.get(route) ?? 0) + by;
    this.open += by;
    if (open === 0) this.#openOf.delete(route);
    else this.#openOf.set(route, open);
  }
}

/** The route of each mark by its number in the report; −1: it is no request. */
function routesOfRows({ length, kind, name }: MarkTable, names: readonly number[]): Int32Array {
  const routeOf = new Map(names.map((each, route) => [each, route]));
  return Int32Array.from({ length }, (_, row) =>
    kind[row] === REQUEST ? (routeOf.get(name[row]) ?? NONE) : NONE,
  );
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
    [...rowsOf].map(([thread, rows]) => {
      const routes = rows.map((row) => routeOf[row]);
      return [thread, new ServerThread(marks, rows, routes)];
    }),
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
