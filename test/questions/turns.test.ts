import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.ts';
import { finish } from '../../src/base/slices.ts';
import { type SampleSelection, selectSamples } from '../../src/profile/analysis/select/filter.ts';
import { categoryRow } from '../../src/profile/func-table.ts';
import { MARK_KINDS } from '../../src/profile/mark-table.ts';
import type { TurnTable } from '../../src/profile/turn-table.ts';
import type { Profile } from '../../src/profile/types.ts';
import { slowestTurns, summarizeLoops, type TurnQuestion } from '../../src/questions/turns.ts';
import { decodeLoops } from '../../src/read/jit/loop-streams.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';
import { TurnStream } from '../helpers/turn-stream.ts';

const MS = 1e6;
const REQUEST = MARK_KINDS.indexOf('request');

function turnsOf(stream: TurnStream, threads: Profile['threads'] = []): TurnTable {
  const bytes = stream.attachment();
  const start = { high: 0, low: 0 };
  const { turns } = decodeLoops([{ pid: 10, bytes }], start, threads, 0, new Diagnostics());
  if (turns === null) throw new Error('no turns');
  return turns;
}

describe('lengths of turns', () => {
  const stream = new TurnStream(10).turn({ fromNs: 0, lengthNs: 900 * MS }, 0, 1);
  for (let i = 0; i < 10; i++) {
    stream.turn({ fromNs: (1000 + 10 * i) * MS, lengthNs: (i + 1) * MS, waitedNs: MS });
  }
  stream.short({ fromNs: 1000 * MS, lengthNs: 9 * MS, waitedNs: 81 * MS }, { 41: 90 });
  const turns = turnsOf(stream);

  test('short ones count, at the middle of their bucket', () => {
    const [loop] = summarizeLoops(turns);
    // Bucket 41 begins the octave from 2^15 ns on.
    const short = 2 ** 15 * (1 + 0.5 / 8);
    expect(loop).toEqual({
      loop: 0,
      turns: 100,
      p50Ns: short,
      p90Ns: short,
      p99Ns: 9 * MS,
      longestNs: 10 * MS,
      busyNs: (55 + 9) * MS,
      waitedNs: 91 * MS,
    });
  });

  test('spans of time leave out others', () => {
    const times = [{ fromNs: 1080 * MS, toNs: 1085 * MS }];
    expect(summarizeLoops(turns, times)).toMatchObject([{ turns: 1, longestNs: 9 * MS }]);
    expect(summarizeLoops(turns, [{ fromNs: 5e9, toNs: 6e9 }])).toEqual([]);
  });
});

describe('what slow turns did', () => {
  // Samples are 1 ms apart, from 0 on.
  const drawn = profileFromText(`
    tid     10      10      11     10      10
    event   cpu     cpu     cpu    cpu     cpu
    period  1000000 1000000 500000 1000000 1000000
            run     run     run    run     run
            handle  handle  other  load    handle
            render  parse          parse   [R runnable]
            GC
  `);
  const own = new Set(['handle', 'parse', 'other', 'load']);
  const category = Uint8Array.from(drawn.funcs.name, (name) =>
    categoryRow(
      own.has(drawn.strings[name])
        ? 'user code'
        : drawn.strings[name] === 'render'
          ? 'dependency'
          : drawn.strings[name] === 'GC'
            ? 'GC'
            : 'node internal',
    ),
  );
  const events = drawn.events.map((event) => ({ ...event, unit: 'nanoseconds' as const }));
  const profile: Profile = { ...drawn, events, funcs: { ...drawn.funcs, category } };
  const nameOf = (func: number) => (func < 0 ? null : profile.strings[profile.funcs.name[func]]);

  function ask(turns: TurnTable, asked: Partial<TurnQuestion> = {}, of = profile) {
    const question: TurnQuestion = {
      profile: of,
      recorded: of,
      rows: finish(selectSamples(of, { event: 0 })),
      weights: { ...simpleWeights(of, 'period'), unit: 'nanoseconds' },
      overNs: MS,
      limit: 10,
      ...asked,
    };
    return slowestTurns(turns, question).map(({ callback, parts, ...turn }) => ({
      ...turn,
      callback: nameOf(callback),
      parts: parts.map(({ func, state, weight }) => [nameOf(func), state, weight / MS]),
    }));
  }

  const thread = profile.threads.findIndex(({ tid }) => tid === 10);
  const threads = profile.threads.map((each) => ({ ...each, pid: 10 }));

  test('time is put down to functions of the author, of the loop thread alone', () => {
    const stream = new TurnStream(10)
      .turn({ fromNs: 0, lengthNs: 2 * MS })
      .turn({ fromNs: 2 * MS, lengthNs: 3 * MS });
    const turns = turnsOf(stream, threads);
    expect(turns.loops[0].thread).toBe(thread);
    expect(ask(turns)).toEqual([
      {
        turn: 1,
        callback: 'load',
        requests: [],
        parts: [
          ['parse', 'running', 1],
          ['handle', 'running', 1],
        ],
        onCpuNs: 2 * MS,
        collectingNs: 0,
        offCpuNs: null,
      },
      {
        turn: 0,
        callback: 'handle',
        requests: [],
        parts: [
          ['handle', 'running', 1],
          ['parse', 'running', 1],
        ],
        onCpuNs: 2 * MS,
        collectingNs: MS,
        offCpuNs: null,
      },
    ]);
    expect(ask(turns, { overNs: 2.5 * MS }).map(({ turn }) => turn)).toEqual([1]);
    expect(ask(turns, { limit: 1 }).map(({ turn }) => turn)).toEqual([1]);
  });

  test('a wait that reaches into a turn counts for its part inside', () => {
    const waiting: Profile = {
      ...profile,
      events: [...events, { ...events[0], name: 'off-cpu' }],
      samples: { ...profile.samples, event: Int32Array.of(0, 1, 0, 0, 1) },
    };
    const periodEvents = Float64Array.from(profile.samples.periodEvents);
    periodEvents.set([10 * MS, 0, MS, 0.5 * MS], 1);
    const of = { ...waiting, samples: { ...waiting.samples, periodEvents } };
    const stream = new TurnStream(10).turn({ fromNs: 2 * MS, lengthNs: 4 * MS });
    expect(ask(turnsOf(stream, threads), {}, of)).toMatchObject([
      {
        onCpuNs: MS,
        offCpuNs: 4.5 * MS,
        parts: [
          ['parse', 'waiting', 4],
          ['parse', 'running', 1],
          ['handle', 'runnable', 0.5],
        ],
      },
    ]);
  });

  test('a turn has the routes for whose requests it certainly ran', () => {
    const stream = new TurnStream(10)
      .turn({ fromNs: 0, lengthNs: 5 * MS })
      .mark(REQUEST, 'GET /users/7', { fromNs: 0.5 * MS, lengthNs: 1 * MS })
      .mark(REQUEST, 'GET /list', { fromNs: 2.5 * MS, lengthNs: 9 * MS });
    const parts = [{ pid: 10, bytes: stream.attachment() }];
    const { marks } = decodeLoops(parts, { high: 0, low: 0 }, threads, 20 * MS, new Diagnostics());
    const strings = profile.strings.map((name) =>
      name === 'run' ? 'parserOnIncoming node:_http_server' : name,
    );
    const of = { ...profile, strings, ...(marks && { marks }) };
    expect(ask(turnsOf(stream, threads), {}, of)).toMatchObject([
      {
        requests: [
          { route: 'GET /list', weight: 2 * MS },
          { route: 'GET /users/*', weight: MS },
        ],
      },
    ]);
  });

  test('samples in turns of a length are a selection', () => {
    const stream = new TurnStream(10)
      .turn({ fromNs: 0, lengthNs: 2 * MS })
      .turn({ fromNs: 2 * MS, lengthNs: 3 * MS });
    const of = { ...profile, turns: turnsOf(stream, threads) };
    const select = (selection: SampleSelection) => [...finish(selectSamples(of, selection))];
    expect(select({ inTurnsOver: 3 })).toEqual([3, 4]);
    expect(select({ inTurnsOver: 2 })).toEqual([0, 1, 3, 4]);
    expect(select({ inTurnsOver: 2, toNs: MS })).toEqual([0]);
    expect(() => finish(selectSamples(profile, { inTurnsOver: 1 }))).toThrow('no turns');
    // A thread that was asked for its code again has a stream for each time.
    const first = new TurnStream(10).turn({ fromNs: 0, lengthNs: MS });
    const second = new TurnStream(10).turn({ fromNs: 4 * MS, lengthNs: MS });
    const parts = [first, second].map((each) => ({ pid: 10, bytes: each.attachment() }));
    const { turns } = decodeLoops(parts, { high: 0, low: 0 }, threads, 0, new Diagnostics());
    const asked = { ...profile, ...(turns && { turns }) };
    expect([...finish(selectSamples(asked, { inTurnsOver: 1 }))]).toEqual([0, 4]);
  });
});
