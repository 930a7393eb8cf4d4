import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../../src/base/diagnostics.ts';
import { finish } from '../../../../src/base/slices.ts';
import { clipWaits } from '../../../../src/profile/analysis/select/clip-waits.ts';
import {
  type SampleSelection,
  selectSamples,
} from '../../../../src/profile/analysis/select/filter.ts';
import type { Weights } from '../../../../src/profile/types.ts';
import { decodeLoops } from '../../../../src/read/jit/loop-streams.ts';
import { profileFromText } from '../../../helpers/profile-from-text.ts';
import { TurnStream } from '../../../helpers/turn-stream.ts';

// Samples 1 ms apart, the first at 0: a wait of 10 ms, ticks, and a wait of 1 ms that begins at 3 ms.
const profile = profileFromText(`
  event   off-cpu   cycles  cycles  off-cpu
  period  10000000  5       5       1000000
          main      main    main    main
`);
const weights: Weights = {
  kind: 'period',
  unit: 'nanoseconds',
  values: new Float64Array(profile.samples.periodEvents),
};

describe('waits in a selected time', () => {
  test.each<[string, SampleSelection, number[][]]>([
    ['a part of one', { fromNs: 4e6, toNs: 6e6 }, [[0, 2e6]]],
    [
      'its beginning, and all of another',
      { fromNs: 3e6, toNs: 5e6 },
      [
        [0, 2e6],
        [3, 1e6],
      ],
    ],
    ['its end', { fromNs: 9e6 }, [[0, 1e6]]],
    ['after its end', { fromNs: 10e6 }, []],
    ['before they begin', { toNs: 0 }, []],
    [
      'several times',
      {
        times: [
          { fromNs: 1, toNs: 2 },
          { fromNs: 5e6, toNs: 6e6 },
        ],
      },
      [[0, 1 + 1e6]],
    ],
    [
      'all of it',
      {},
      [
        [0, 1e7],
        [3, 1e6],
      ],
    ],
  ])('%s', (_, select, expected) => {
    const { values } = clipWaits(profile, weights, select);
    const rows = [...finish(selectSamples(profile, { ...select, event: 0 }))];
    expect(rows.map((row) => [row, values[row]])).toEqual(expected);
  });

  test('other samples are moments, and weigh what they weigh', () => {
    const select = { fromNs: 1.5e6, toNs: 3e6 };
    expect([...finish(selectSamples(profile, { ...select, event: 1 }))]).toEqual([2]);
    expect(clipWaits(profile, weights, select).values[2]).toBe(5);
    expect(clipWaits(profile, { ...weights, kind: 'samples' }, select).values[0]).toBe(1e7);
  });

  test('a wait weighs its part in the long turns of its thread', () => {
    const [{ pid, tid }] = profile.threads;
    const turnsOf = (...spans: [fromNs: number, lengthNs: number][]) => {
      const stream = new TurnStream(pid, tid);
      for (const [fromNs, lengthNs] of spans) stream.turn({ fromNs, lengthNs });
      const streams = [{ pid, bytes: stream.attachment() }];
      const start = { high: 0, low: 0 };
      return decodeLoops(streams, start, profile.threads, 0, new Diagnostics()).turns;
    };
    const partsIn = (select: SampleSelection, ...spans: [number, number][]) => {
      const turns = turnsOf(...spans);
      const withTurns = { ...profile, ...(turns && { turns }) };
      const { values } = clipWaits(withTurns, weights, select);
      const rows = finish(selectSamples(withTurns, { ...select, event: 0 }));
      return [...rows].map((row) => [row, values[row]]);
    };
    const two: [number, number][] = [
      [2e6, 2.5e6],
      [6e6, 3e6],
    ];
    expect(partsIn({ inTurnsOver: 2 }, ...two)).toEqual([
      [0, 5.5e6],
      [3, 1e6],
    ]);
    expect(partsIn({ inTurnsOver: 3 }, ...two)).toEqual([[0, 3e6]]);
    expect(partsIn({ inTurnsOver: 2, toNs: 7e6 }, ...two)[0]).toEqual([0, 3.5e6]);
  });
});
