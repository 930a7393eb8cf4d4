import { expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { AskedWork } from '../../../src/read/jit/asked-work.ts';
import { visitLoops } from '../../../src/read/jit/loop-streams.ts';
import { type AskedIn, WorkLog } from '../../../src/read/jit/pool-work.ts';
import { TurnStream } from '../../helpers/turn-stream.ts';

const MS = 1e6;
const PID = 10;
const END = -2;
const FOUND = -3;
const startTime = { high: 0, low: 0 };

/** The log of a process whose event loops wrote these streams. */
function logOf(...streams: readonly TurnStream[]): WorkLog {
  const log = new WorkLog();
  const processes = streams.map((stream) => ({ pid: PID, bytes: stream.attachment() }));
  visitLoops(processes, startTime, () => -1, new Diagnostics(), [log]);
  return log;
}

/** Interns the calls of rows, moving to these times, and returns what was interned by then, and the places that each row has. */
function interned(log: WorkLog, rows: readonly number[], times: readonly number[]) {
  const asked = new AskedWork(log, rows);
  const stacks: string[] = [];
  const textOf = ({ pid, timeNs, addresses }: AskedIn) => `${pid} ${timeNs / MS} ${[...addresses]}`;
  const lengths = times.map((ms) => {
    asked.moveTo(ms * MS, (calls) => stacks.push(textOf(calls)) - 1);
    return stacks.length;
  });
  expect([...asked.stacks()]).toEqual([...stacks.keys()]);
  return { lengths, askedIn: rows.map((row) => asked.askedIn(row).map((place) => stacks[place])) };
}

test('calls are interned as of the time at which work was asked for, those of the work in whose callback it was too', () => {
  const stream = new TurnStream(PID)
    .workStack(1, [0x10, 0x20])
    .work(1 * MS, 0x1000, -1, 0, 0, [0, 1])
    .work(2 * MS, 0x1000, FOUND, 0, 0x60)
    .workStack(2, [0x30])
    .work(3 * MS, 0x2000, -1, 0, 0, [0x1000, 2])
    .work(4 * MS, 0x1000, END, 0, 0x60)
    // The address is another object's now.
    .work(5 * MS, 0x3000, -1, 0, 0, [0x1000, 1])
    .work(6 * MS, 0x4000, -1);
  const { lengths, askedIn } = interned(logOf(stream), [2, 4, 5, 99], [0.5, 1, 4, 5]);
  expect(lengths).toEqual([0, 1, 2, 3]);
  expect(askedIn).toEqual([['10 3 48', '10 1 16,32'], ['10 5 16,32'], [], []]);
});

test('numbers of stacks and addresses of work are those of their event loop', () => {
  const stream = (address: number) =>
    new TurnStream(PID)
      .workStack(1, [address])
      .work(1 * MS, 0x1000, -1, 0, 0, [0, 1])
      .work(2 * MS, 0x2000, -1, 0, 0, [0x1000, 1]);
  const other = new TurnStream(PID).work(3 * MS, 0x2000, -1, 0, 0, [0x1000, 1]);
  const { askedIn } = interned(logOf(stream(0x10), stream(0x20), other), [1, 3, 4], [9]);
  expect(askedIn).toEqual([['10 2 16', '10 1 16'], ['10 2 32', '10 1 32'], []]);
});
