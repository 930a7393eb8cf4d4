import { describe, expect, test } from 'vitest';
import type { NanosSinceStart } from '../../../src/base/brand.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { MARK_KINDS } from '../../../src/profile/mark-table.ts';
import type { ProfileThread } from '../../../src/profile/types.ts';
import { decodeLoops, poolSamplesOf } from '../../../src/read/jit/loop-streams.ts';
import { TurnStream } from '../../helpers/turn-stream.ts';

const MS = 1e6;
const PID = 10;
const [LOOP, FIRST, SECOND] = [10, 11, 12];
const REQUEST = MARK_KINDS.indexOf('request');
const startTime = { high: 0, low: 0 };
const threads = [LOOP, FIRST, SECOND].map((tid) => ({ pid: PID, tid }) as ProfileThread);
const END = -2;
const FOUND = -3;

/** A copy of a stack of such words, the innermost first. */
function sample(tid: number, timeMs: number, words: readonly number[]) {
  const view = new DataView(new ArrayBuffer(8 * words.length));
  for (const [i, word] of words.entries()) view.setBigUint64(8 * i, BigInt(word), true);
  const timeNs = (timeMs * MS) as NanosSinceStart;
  return { pid: PID, tid, timeNs, view, stackOffset: 0, stackDynamicSize: view.byteLength };
}

/** Tid, time in milliseconds and name of the request, null for none, of each sample whose work is known. */
function told(stream: TurnStream, samples: readonly ReturnType<typeof sample>[]) {
  const streams = [{ pid: PID, bytes: stream.attachment() }];
  const found = poolSamplesOf(streams, startTime, new Diagnostics());
  for (const each of samples) found?.note(each);
  const bytes = found?.encode() ?? null;
  const { marks } = decodeLoops(streams, startTime, threads, 20 * MS, new Diagnostics(), bytes);
  const { loop, timeNs, request } = marks?.pool ?? { loop: [], timeNs: [], request: [] };
  return Array.from(request, (row, i) => [
    marks?.loops[loop[i]].tid,
    timeNs[i] / MS,
    row < 0 ? null : marks?.names[marks.name[row]],
  ]);
}

/** Two requests, whose numbers are 1 and 2. */
const server = () =>
  new TurnStream(PID)
    .mark(REQUEST, 'GET /a', { fromNs: 0, lengthNs: -1 }, 1)
    .mark(REQUEST, 'GET /b', { fromNs: 0, lengthNs: -1 }, 2)
    .contexts(0.1 * MS, [[0.1 * MS, -1]]);

describe('work of libuv’s pool', () => {
  test('a sample is of the work whose address is outermost on its stack, at the offset of its kind', () => {
    const stream = server()
      .work(1 * MS, 0x1000, 1)
      .work(1 * MS, 0x2000, 2)
      .work(1 * MS, 0x3000, 1, 1, 0x40)
      .work(1 * MS, 0x4000, -1)
      .work(9 * MS, 0x1000, END, 0, 0x60);
    const samples = [
      // The address itself, and that of the entry in the queue. Further in is what was done before.
      sample(FIRST, 2, [0x2060, 7, 0x1060, 8]),
      sample(SECOND, 2, [0x1060, 0x2078]),
      sample(SECOND, 3, [0x3058]),
      sample(FIRST, 3, [0x4060]),
      // An end of another offset, and one of no address.
      sample(FIRST, 4, [0x3060]),
      sample(FIRST, 5, []),
    ];
    expect(told(stream, samples)).toEqual([
      [FIRST, 2, 'GET /a'],
      [SECOND, 2, 'GET /b'],
      [SECOND, 3, 'GET /a'],
      [FIRST, 3, null],
    ]);
  });

  test('an address is nobody’s before its work, behind its end, and on the stack of an event loop', () => {
    const stream = server()
      .work(1 * MS, 0x1000, 1, 0, 0x60)
      .work(3 * MS, 0x1000, END, 0, 0x60)
      .work(5 * MS, 0x1000, 2, 0, 0x60);
    const samples = [0.5, 2, 4, 6].map((ms) => sample(FIRST, ms, [0x1060]));
    samples.push(sample(LOOP, 7, [0x1060]));
    expect(told(stream, samples)).toEqual([
      [FIRST, 2, 'GET /a'],
      [FIRST, 6, 'GET /b'],
    ]);
  });

  test('an object that goes on is of who made it, until nothing is noted any more', () => {
    const stream = server()
      .work(1 * MS, 0x1000, 1)
      .work(2 * MS, 0x1000, FOUND, 0, 0x60)
      .work(5 * MS, 0, END);
    const samples = [1.5, 4, 6].map((ms) => sample(FIRST, ms, [0x1078]));
    expect(told(stream, samples)).toEqual([
      [FIRST, 1.5, 'GET /a'],
      [FIRST, 4, 'GET /a'],
    ]);
  });

  test('a kind of which none has ended has no offset, so that its work is not known', () => {
    expect(told(server().work(1 * MS, 0x1000, 1), [sample(FIRST, 2, [0x1000])])).toEqual([]);
  });

  test('rows that no work has are of no known request', () => {
    const streams = [
      {
        pid: PID,
        bytes: server()
          .work(1 * MS, 0x1000, 1, 0, 8)
          .attachment(),
      },
    ];
    const bytes = new Uint8Array(8 + 24 * 2).fill(0xff);
    bytes.fill(0x7f, 32);
    const { marks } = decodeLoops(streams, startTime, threads, 20 * MS, new Diagnostics(), bytes);
    expect([...(marks?.pool?.request ?? [])]).toEqual([-3, -3]);
  });
});
