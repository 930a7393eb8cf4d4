import { expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import type { ProfileThread } from '../../../src/profile/types.ts';
import { decodeLoops, type LoopStreams } from '../../../src/read/jit/loop-streams.ts';
import { TurnStream } from '../../helpers/turn-stream.ts';

const START = { high: 0, low: 1000 };
const THREADS: ProfileThread[] = [
  { pid: 10, tid: 10, generation: 0, comm: 'sh' },
  { pid: 10, tid: 10, generation: 1, comm: 'node' },
  { pid: 10, tid: 12, generation: 1, comm: 'worker' },
];

function decode(...processes: LoopStreams[]) {
  const diagnostics = new Diagnostics();
  const { turns } = decodeLoops(processes, START, THREADS, 0, diagnostics);
  return { turns, codes: diagnostics.entries().map(({ code }) => code) };
}

test('times of turns are those since the start of the recording, on its clock', () => {
  const stream = new TurnStream(10)
    .turn({ fromNs: 3000, lengthNs: 500, waitedNs: 7 }, 200, 1)
    .turn({ fromNs: 4000, lengthNs: 100 });
  const { turns, codes } = decode({ pid: 10, bytes: stream.attachment(50n) });
  expect(codes).toEqual([]);
  expect(turns).toMatchObject({
    length: 2,
    fromNs: Float64Array.of(2050, 3050),
    toNs: Float64Array.of(2550, 3150),
    eventsToNs: Float64Array.of(2250, 3050),
    waitedNs: Float64Array.of(7, 0),
    isFirst: Uint8Array.of(1, 0),
    isOpen: Uint8Array.of(0, 0),
  });
});

test('loops are those of threads, in the program that ran last, and in whatever namespace they are counted', () => {
  const turn = { fromNs: 3000, lengthNs: 500 };
  const main = new TurnStream(1, 1).turn(turn);
  const others = [new TurnStream(1, 12), new TurnStream(1, 99)].map((stream) => stream.turn(turn));
  const { turns } = decode(
    ...[main, ...others].map((stream) => ({ pid: 10, bytes: stream.attachment() })),
  );
  expect(turns?.loops).toEqual([
    { thread: 1, pid: 10, tid: 10, source: 'library' },
    { thread: 2, pid: 10, tid: 12, source: 'library' },
    { thread: -1, pid: 10, tid: 99, source: 'library' },
  ]);
  expect([...(turns?.loop ?? [])]).toEqual([0, 1, 2]);
});

test('a turn that ended while the recording did is there once', () => {
  const stream = new TurnStream(10)
    .turn({ fromNs: 3000, lengthNs: 500 })
    .turn({ fromNs: 3000, lengthNs: 490 }, 0, 2)
    .turn({ fromNs: 4000, lengthNs: 500 }, 0, 2);
  const { turns } = decode({ pid: 10, bytes: stream.attachment() });
  expect([turns?.length, ...(turns?.isOpen ?? [])]).toEqual([2, 0, 1]);
});

test('short turns are counts by length', () => {
  const stream = new TurnStream(10).short(
    { fromNs: 3000, lengthNs: 900, waitedNs: 4 },
    { 0: 7, 80: 2 },
  );
  const { turns } = decode({ pid: 10, bytes: stream.attachment() });
  expect(turns?.length).toBe(0);
  expect(turns?.short).toMatchObject({
    length: 1,
    fromNs: Float64Array.of(2000),
    toNs: Float64Array.of(2900),
    lengthNs: Float64Array.of(900),
    waitedNs: Float64Array.of(4),
  });
  expect([0, 80].map((bucket) => turns?.short.counts[bucket][0])).toEqual([7, 2]);
});

test('bytes that are damaged are counted, and what came before them is kept', () => {
  const stream = new TurnStream(10).turn({ fromNs: 3000, lengthNs: 500 });
  const whole = stream.attachment();
  expect(decode({ pid: 10, bytes: Buffer.concat([whole, Buffer.alloc(8)]) })).toMatchObject({
    turns: { length: 1 },
    codes: ['code-events-damaged'],
  });
  const bad = Uint8Array.from(whole);
  bad.fill(0xff, 16 + 32, 16 + 36);
  expect(decode({ pid: 10, bytes: bad }).turns).toBeNull();
  expect(decode({ pid: 10, bytes: new Uint8Array(3) })).toEqual({
    turns: null,
    codes: ['code-events-damaged'],
  });
});
