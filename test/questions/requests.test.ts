import { describe, expect, test } from 'vitest';
import type { NanosSinceStart } from '../../src/base/brand.ts';
import { Diagnostics } from '../../src/base/diagnostics.ts';
import { finish } from '../../src/base/slices.ts';
import { type SampleSelection, selectSamples } from '../../src/profile/analysis/select/filter.ts';
import { MARK_KINDS, type MarkTable } from '../../src/profile/mark-table.ts';
import type { TurnTable } from '../../src/profile/turn-table.ts';
import type { Profile } from '../../src/profile/types.ts';
import { summarizeMarks } from '../../src/questions/marks.ts';
import { ownersOfSamples } from '../../src/questions/request-owners.ts';
import { timesOfRequests } from '../../src/questions/request-times.ts';
import { findRequests, meanTimes } from '../../src/questions/requests.ts';
import { decodeLoops, poolSamplesOf } from '../../src/read/jit/loop-streams.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';
import { TurnStream } from '../helpers/turn-stream.ts';

const MS = 1e6;
const [GC, REQUEST] = MARK_KINDS.keys();

function marksOf(stream: TurnStream, threads: Profile['threads'] = []): MarkTable {
  const parts = [{ pid: 10, bytes: stream.attachment() }];
  const { marks } = decodeLoops(parts, { high: 0, low: 0 }, threads, 20 * MS, new Diagnostics());
  if (marks === null) throw new Error('no marks');
  return marks;
}

/** A request to a path from one millisecond to another. */
function request(stream: TurnStream, path: string, fromMs: number, toMs: number, log = 0) {
  const times = { fromNs: fromMs * MS, lengthNs: Math.round((toMs - fromMs) * MS) };
  return stream.mark(REQUEST, `GET ${path}`, times, 0, log);
}

describe('marks by kind and name', () => {
  const stream = new TurnStream(10);
  for (let i = 1; i <= 10; i++) request(stream, `/users/${i}`, i, 2 * i, i === 10 ? 1 : 0);
  stream.mark(REQUEST, 'GET /users/99', { fromNs: 5 * MS, lengthNs: -1 }, 1);
  stream.mark(REQUEST, 'GET /broken', { fromNs: 5 * MS, lengthNs: -1 }, 2);
  stream.markEnd(2, 6 * MS, 503);
  stream.mark(GC, '', { fromNs: 3 * MS, lengthNs: MS }, 1);
  const marks = marksOf(stream);

  test('lengths are of those that ended, and one counts for those that were left out', () => {
    expect(summarizeMarks(marks)).toEqual([
      {
        ...{ kind: 'request', name: 'GET /users/*', count: 12, open: 1, failed: 0 },
        ...{ p50Ns: 6 * MS, p90Ns: 10 * MS, p99Ns: 10 * MS, longestNs: 10 * MS },
        totalNs: 65 * MS,
      },
      {
        ...{ kind: 'gc', name: 'scavenge', count: 1, open: 0, failed: 0 },
        ...{ p50Ns: MS, p90Ns: MS, p99Ns: MS, longestNs: MS, totalNs: MS },
      },
      {
        ...{ kind: 'request', name: 'GET /broken', count: 1, open: 0, failed: 1 },
        ...{ p50Ns: MS, p90Ns: MS, p99Ns: MS, longestNs: MS, totalNs: MS },
      },
    ]);
  });

  test('spans of time leave out others', () => {
    const names = summarizeMarks(marks, [{ fromNs: 0, toNs: 2 * MS }]).map(({ name }) => name);
    expect(names).toEqual(['GET /users/*']);
  });
});

describe('what ran for requests', () => {
  // Samples are 1 ms apart, from 0 on.
  const drawn = profileFromText(`
    tid  10    10                10    10                10    10    11    10
         loop  parserOnIncoming  loop  parserOnIncoming  loop  loop  pool  loop
               work              work  work              work  work
  `);
  // Functions of Node have their file in their name here.
  const strings = drawn.strings.map((text) =>
    text === 'parserOnIncoming' ? 'parserOnIncoming node:_http_server:1097' : text,
  );
  const profile: Profile = { ...drawn, strings };
  const weights = simpleWeights(profile, 'samples');
  const rows = Int32Array.from({ length: profile.samples.length }, (_, row) => row);
  const report = (stream: TurnStream) => {
    const marks = marksOf(stream, profile.threads);
    const owners = ownersOfSamples(profile, marks, rows);
    return finish(findRequests({ profile, rows, weights, estimator: null }, marks, owners, null));
  };
  const figures = (stream: TurnStream) => {
    const { routes, untold } = report(stream);
    return [
      ...routes.map(({ name, samples, inHandler }) => [name, samples, inHandler]),
      ...untold.map(({ while: during, samples }) => [during, samples]),
    ];
  };
  const pid = profile.threads[0].pid;
  const server = () => new TurnStream(pid, 10);

  test('a handler’s samples are those of the request that began last, whatever else is open', () => {
    const stream = server();
    request(stream, '/a', 0.5, 6.5);
    request(stream, '/b', 2.5, 4.5);
    expect(figures(stream)).toEqual([
      ['GET /a', 3, 1],
      ['GET /b', 1, 1],
      // The third is inside of both; the fifth, at 4 ms.
      ['several routes', 1],
      ['no request', 2],
      ['other loops', 0],
      ['other threads', 1],
    ]);
  });

  test('a thread with a loop that answers no request has a row of its own', () => {
    const stream = server();
    request(stream, '/a', 0.5, 6.5);
    const marks = marksOf(stream, profile.threads);
    const thread = profile.threads.findIndex(({ tid }) => tid === 11);
    const loops = [{ thread, pid, tid: 11, source: 'library' as const }];
    const asked = {
      profile: { ...profile, turns: { loops } as unknown as TurnTable },
      rows,
      weights,
    };
    const owners = ownersOfSamples(profile, marks, rows);
    const { untold } = finish(findRequests({ ...asked, estimator: null }, marks, owners, null));
    expect(untold.map(({ samples }) => samples)).toEqual([0, 2, 1, 0]);
  });

  test('a sample is in one row', () => {
    const stream = server();
    request(stream, '/a', 0.5, 6.5);
    const { routes, untold } = report(stream);
    const all = [...routes, ...untold].reduce((sum, { samples }) => sum + samples, 0);
    expect(all).toBe(profile.samples.length);
  });

  test('nothing is put down to a route from where requests were left out', () => {
    const stream = server();
    request(stream, '/a', 0.5, 2.5);
    request(stream, '/a', 2.8, 6.5, 1);
    expect(figures(stream)).toEqual([
      ['GET /a', 2, 1],
      ['several routes', 4],
      ['no request', 1],
      ['other loops', 0],
      ['other threads', 1],
    ]);
  });

  describe('with contexts of samples', () => {
    const open = { fromNs: 0, lengthNs: -1 };
    const [A, B] = [2 ** 20 + 7, 8];
    /** Both are open all the time; samples 0 and 1 are before the second context. */
    const noted = () =>
      server()
        .mark(REQUEST, 'GET /a', open, A)
        .mark(REQUEST, 'GET /b', open, B)
        .contexts(0.1 * MS, [
          [0.1 * MS, -1],
          [1.1 * MS, B],
          [2.1 * MS, 7],
          [3.1 * MS, -1],
          [4.1 * MS, 7],
        ]);

    test('a sample ran for the request of the first context behind it', () => {
      expect(figures(noted())).toEqual([
        // The sample at 2 ms, and that at 4 ms, which is in no handler.
        ['GET /a', 2, 2],
        ['GET /b', 1, 1],
        // Behind the last context, and before the first.
        ['several routes', 3],
        ['no request', 1],
        ['other loops', 0],
        ['other threads', 1],
      ]);
    });

    test('samples before contexts that there was no room for have none', () => {
      const stream = noted().contexts(7.5 * MS, [], 3);
      stream.contexts(8 * MS, [[8 * MS, 8]]);
      expect(figures(stream)).toEqual(figures(noted()));
    });

    test('work that a request gave to libuv’s pool is of its route, and a filter by the request selects it', () => {
      const stream = noted().work(5 * MS, 0x1000, 8, 0, 0x60);
      const bytes = stream.attachment();
      const streams = [{ pid, bytes }];
      const origin = { high: 0, low: 0 };
      const found = poolSamplesOf(streams, origin, new Diagnostics());
      const view = new DataView(new BigUint64Array([0x1060n]).buffer);
      const timeNs = profile.samples.timeNs[6] as NanosSinceStart;
      const stack = { view, stackOffset: 0, stackDynamicSize: 8 };
      found?.note({ pid, tid: 11, timeNs, ...stack });
      const pool = found?.encode();
      const threads = profile.threads.map((thread) => ({ ...thread, pid }));
      const loops = decodeLoops(streams, origin, threads, 20 * MS, new Diagnostics(), pool);
      const marks = loops.marks as MarkTable;
      const marked = { ...profile, marks };
      const owners = ownersOfSamples(marked, marks, rows);
      const asked = { profile: marked, rows, weights, estimator: null };
      const { routes, untold } = finish(findRequests(asked, marks, owners, null));
      const parts = routes.map((route) => [
        route.name,
        route.samples,
        route.inHandler,
        route.inPool,
      ]);
      expect(parts).toEqual([
        ['GET /a', 2, 2, 0],
        ['GET /b', 2, 2, 1],
      ]);
      expect(untold.map(({ samples }) => samples)).toEqual([3, 1, 0, 0]);
      const selected = (inMark: string) => [...finish(selectSamples(marked, { inMark }))];
      expect(selected('GET /b')).toEqual([0, 1, 5, 6, 7]);
      expect(selected('GET /a')).toEqual([0, 2, 4, 5, 7]);
    });

    test('a request that has no mark is of no route', () => {
      const stream = noted().contexts(7.5 * MS, [[7.5 * MS, 0]]);
      expect(figures(stream)[0]).toEqual(['GET /a', 2, 2]);
    });

    test('a filter by a request leaves out what ran for others', () => {
      const marked = { ...profile, marks: marksOf(noted(), profile.threads) };
      const selected = (inMark: string) => [...finish(selectSamples(marked, { inMark }))];
      // The request of samples 0, 5 and 7 is not known; sample 6 is of another thread.
      expect(selected('GET /a')).toEqual([0, 2, 4, 5, 7]);
      expect(selected('GET /b')).toEqual([0, 1, 5, 7]);
      expect(selected('request')).toEqual([0, 1, 2, 4, 5, 7]);
    });
  });

  test('the time of a request is what ran, was collected and waited for it and for others, and the loop’s waits', () => {
    const stream = server().turn({ fromNs: 0.5 * MS, lengthNs: 5.3 * MS });
    stream.mark(REQUEST, 'GET /a', { fromNs: 0.05 * MS, lengthNs: -1 }, 1);
    stream.mark(REQUEST, 'GET /b', { fromNs: 0.05 * MS, lengthNs: -1 }, 2);
    stream.mark(REQUEST, 'GET /open', { fromNs: 0.05 * MS, lengthNs: -1 }, 3);
    stream.mark(GC, '', { fromNs: 1.5 * MS, lengthNs: MS }, 4);
    stream.markEnd(1, 6.05 * MS).markEnd(2, 6.05 * MS);
    stream.contexts(
      0.1 * MS,
      // Samples of a, one of them in a collection, then of b.
      [-1, 1, 1, 1, 1, 2].map((request, i) => [(i + 0.1) * MS, request] as const),
    );
    const table = decodeLoops(
      [{ pid, bytes: stream.attachment() }],
      { high: 0, low: 0 },
      profile.threads,
      20 * MS,
      new Diagnostics(),
    );
    const marks = table.marks as MarkTable;
    const turned = { ...profile, turns: table.turns ?? undefined } as Profile;
    const owners = ownersOfSamples(turned, marks, rows);
    // The thread ran for 0.2 ms of the one before the fifth sample.
    const values = Float64Array.from(rows, (row) => (row === 4 ? 0.2 : 1) * MS);
    const times = timesOfRequests(turned, marks, { rows, weights: values, owners });
    const asked = { profile: turned, rows, weights: { ...weights, values }, estimator: null };
    const { routes } = finish(findRequests(asked, marks, owners, times));
    const inTenths = routes.map((route) => [
      route.name,
      ...meanTimes(route).map((ns) => ns && Math.round(ns / (MS / 10)) + 0),
    ]);
    expect(inTenths).toEqual([
      // In all; ran, collected, waited; others; the loop; before the first and behind the last sample of the turn.
      ['GET /a', 60, 22, 10, 8, 10, 7, 3],
      ['GET /b', 60, 10, 0, 0, 40, 7, 3],
      ['GET /open', null, null, null, null, null, null, null],
    ]);
  });

  test('a wait that was recorded is of the request whose handler it is in, whatever ran around it', () => {
    const waited = profileFromText(`
      tid     10         10                10         10
      event   cpu-clock  off-cpu           cpu-clock  cpu-clock
      period  1          900000            1          1
              loop       parserOnIncoming  loop       loop
                         work              work
    `);
    const { threads } = waited;
    const stream = new TurnStream(threads[0].pid, 10).turn({
      fromNs: 0.4 * MS,
      lengthNs: 2.4 * MS,
    });
    stream.mark(REQUEST, 'GET /a', { fromNs: 0.5 * MS, lengthNs: -1 }, 1);
    stream.mark(REQUEST, 'GET /b', { fromNs: 0.6 * MS, lengthNs: -1 }, 2);
    stream.markEnd(1, 2.5 * MS).markEnd(2, 2.7 * MS);
    const parts = [{ pid: threads[0].pid, bytes: stream.attachment() }];
    const { marks, turns } = decodeLoops(
      parts,
      { high: 0, low: 0 },
      threads,
      20 * MS,
      new Diagnostics(),
    );
    const named = waited.strings.map((text) =>
      text === 'parserOnIncoming' ? 'parserOnIncoming node:_http_server:1097' : text,
    );
    const turned = { ...waited, strings: named, turns: turns ?? undefined } as Profile;
    const of = (cells: readonly number[]) => {
      const own = Int32Array.from(cells);
      return { rows: own, owners: ownersOfSamples(turned, marks as MarkTable, own) };
    };
    const weights = new Float64Array(4).fill(0.1 * MS);
    const split = (waits: ReturnType<typeof of> | null) => {
      const { waitsNs, untoldNs } = timesOfRequests(
        turned,
        marks as MarkTable,
        { ...of([0, 2, 3]), weights },
        waits,
      );
      return [...waitsNs, ...untoldNs].map((ns) => Math.round(ns / (MS / 10)) + 0);
    };
    expect(split(null)).toEqual([0, 0, 24, 24]);
    expect(split(of([1]))).toEqual([0, 9, 15, 15]);
  });

  test('a filter selects the samples of a thread while marks are open that are called so', () => {
    const stream = server();
    request(stream, '/users/17', 0.5, 2.5);
    request(stream, '/users/18', 2.2, 3.5);
    stream.mark(GC, '', { fromNs: 5.5 * MS, lengthNs: MS }, 4);
    const marked = { ...profile, marks: marksOf(stream, profile.threads) };
    const selected = (inMark: string) => [
      ...finish(selectSamples(marked, { inMark } satisfies SampleSelection)),
    ];
    expect(selected('GET /users*')).toEqual([1, 2, 3]);
    expect(selected('GET /users/17')).toEqual([1, 2]);
    expect(selected('gc')).toEqual([]);
    expect(selected('request')).toEqual([1, 2, 3]);
    expect(() => selected('GET /none')).toThrow('no mark is called GET /none');
  });
});
