import { NONE } from '../base/brand.ts';
import type { Slices } from '../base/slices.ts';
import { type MarkTable, NO_REQUEST } from '../profile/mark-table.ts';
import { type MarkSummary, MarkSums } from './marks.ts';
import { FIRST_ROUTE, OTHER_THREAD, type SampleOwners } from './request-owners.ts';
import { REQUEST_TIMES, type RequestTimes, type RequestTimeTable } from './request-times.ts';
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
    /** The part of `inHandler` that ran on threads of libuv's pool: work that such a request gave to it (`record --requests`). */
    readonly inPool: number;
    /** The parts of `totalNs`; null where the event counts something else than time. */
    readonly times: RequestTimes | null;
  };

/**
 * The part that is put down to no route: it ran while requests of several routes were open, or none was; or on a thread that
 * answers none: one with an event loop of its own, as workers that messages ask for work, or any other, as V8's own, and those of libuv's
 * pool where it is not known who asked.
 */
export type UntoldRow = Share & { readonly while: (typeof UNTOLD)[number] };

/** Requests of servers by route, and the part that no route has. */
export type RequestReport = {
  /** Routes, those with the most requests first. */
  readonly routes: readonly RouteRow[];
  readonly untold: readonly UntoldRow[];
};

const UNTOLD = ['several routes', 'no request', 'other loops', 'other threads'] as const;

/** Requests by route. `times`: those of `marks`, null where they are not known. */
export function* findRequests(
  asked: Asked,
  marks: MarkTable,
  { owner, isCertain, routes: names, routeOf }: SampleOwners,
  times: RequestTimeTable | null,
): Slices<RequestReport> {
  const { rows, weights, profile } = asked;
  const { loop, loops } = marks;
  const threads = profile.samples.thread;
  const sums = names.map(() => new MarkSums());
  const spent = names.map(() => ({ ...NO_TIMES }));
  for (let row = 0; row < marks.length; row++) {
    const route = routeOf[row];
    if (route === NONE) continue;
    sums[route].add(marks, row);
    if (times === null || Number.isNaN(times.loopNs[row])) continue;
    for (const column of COLUMNS) {
      spent[route][column] += times[column][row] * marks.standsFor[row];
    }
  }
  const [several, none, otherLoop, elsewhere] = UNTOLD.map((_, i) => names.length + i);
  // Loops that are known by their waits alone may be V8's own.
  const ofLibrary = profile.turns?.loops.filter(({ source }) => source === 'library');
  const loopThreads = new Set(ofLibrary?.map(({ thread }) => thread));
  const keys = new Int32Array(profile.samples.length).fill(NONE);
  const inHandler = new Float64Array(names.length);
  const inPool = new Float64Array(names.length);
  for (const row of rows) {
    const of = owner[row];
    if (of >= 0) keys[row] = routeOf[of];
    else if (of <= FIRST_ROUTE) keys[row] = FIRST_ROUTE - of;
    else if (of !== OTHER_THREAD) keys[row] = of === NO_REQUEST ? none : several;
    else keys[row] = loopThreads.has(threads[row]) ? otherLoop : elsewhere;
    if (isCertain[row] === 0) continue;
    inHandler[keys[row]] += weights.values[row];
    if (threads[row] !== loops[loop[of]].thread) inPool[keys[row]] += weights.values[row];
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
    ...sums[key].finish(),
    ...(shares.get(key) ?? NOTHING),
    inHandler: inHandler[key],
    inPool: inPool[key],
    times: times && spent[key],
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
const COLUMNS = Object.keys(REQUEST_TIMES) as (keyof RequestTimes)[];
const NO_TIMES: Record<keyof RequestTimes, number> = {
  ...{ cpuNs: 0, gcNs: 0, waitsNs: 0, othersNs: 0, loopNs: 0, untoldNs: 0 },
};

/** The time of a request of a route by what it was spent on, in the order of `REQUEST_TIMES`: a mean of those that ended. */
export function meanTimes({ times, count, open, totalNs }: RouteRow): (number | null)[] {
  const ended = count - open;
  const all = [totalNs, ...COLUMNS.map((column) => times?.[column] ?? null)];
  return all.map((ns) => (ns === null || ended === 0 ? null : ns / ended));
}

/** The heads of `meanTimes`. */
export const MEAN_TIMES = ['mean', ...Object.values(REQUEST_TIMES)];
