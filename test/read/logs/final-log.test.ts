import { describe, expect, it } from 'vitest';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { TrailerView } from '../../../src/kernel/perf-event/trailer.ts';
import { FinalLog } from '../../../src/read/logs/final-log.ts';

const INHERITED = newAttr({ samplePeriod: 1, flags: { inherit: true } });

/** One READ record: of the instance `streamId` with the event id `id`, on the task `tid`. */
type Drawn = { id: number; streamId: number; tid: number; count: number; ids?: number[] };

function finalsOf(
  drawn: readonly Drawn[],
  forks: readonly (readonly [parent: number, child: number])[],
  { attr = INHERITED, isComplete = true, silent = [] as number[] } = {},
) {
  const log = new FinalLog();
  for (const [parentTid, tid] of forks) {
    log.noteFork({ kind: 'fork', pid: tid, parentPid: parentTid, tid, parentTid });
  }
  const trailer = new TrailerView({ high: 0, low: 0 });
  for (const { id, streamId, tid, count, ids = [id] } of drawn) {
    trailer.id = id;
    trailer.streamId = streamId;
    const values = ids.map((other) => (other === id ? count : 999));
    const times = { timeEnabled: count, timeRunning: count };
    log.note({ kind: 'read', pid: tid, tid, values, ids, lost: [], ...times }, 0, attr, trailer);
  }
  const streamOf = (streamId: number) => (silent.includes(streamId) ? -1 : streamId);
  const finals = log.finish(streamOf, isComplete).map(({ stream, count }) => [stream, count]);
  return { finals, totals: log.totals(1) };
}

describe('final values of the streams', () => {
  const opened = { id: 7, streamId: 7, tid: 100, count: 60 };
  const first = { id: 7, streamId: 19, tid: 101, count: 20 };
  const second = { id: 7, streamId: 20, tid: 102, count: 30 };

  it("the opened instance's count is its value minus its children's", () => {
    const forks = [
      [100, 101],
      [101, 102],
    ] as const;
    expect(finalsOf([first, second, opened], forks)).toEqual({
      finals: [
        [19, 20],
        [20, 30],
        [7, 10],
      ],
      totals: [60],
    });
  });

  it('a missing child leaves the rest to the event', () => {
    const forks = [
      [100, 101],
      [100, 102],
    ] as const;
    expect(finalsOf([first, opened], forks).finals).toEqual([
      [19, 20],
      [-1, 40],
    ]);
    expect(finalsOf([opened], forks).finals).toEqual([[-1, 60]]);
  });

  it('lost FORK records leave the rest to the event', () => {
    expect(finalsOf([opened], [], { isComplete: false }).finals).toEqual([[-1, 60]]);
    expect(finalsOf([opened], []).finals).toEqual([[7, 60]]);
  });

  it("forks below another task's instance do not count", () => {
    expect(finalsOf([opened], [[200, 201]]).finals).toEqual([[7, 60]]);
  });

  it('every instance without inherit is its own, whatever its task forks', () => {
    const attr = newAttr({ samplePeriod: 1 });
    expect(finalsOf([opened], [[100, 101]], { attr }).finals).toEqual([[7, 60]]);
  });

  it('the value in a group is the one with the id of the record', () => {
    expect(finalsOf([{ ...opened, ids: [6, 7, 8] }], []).finals).toEqual([[7, 60]]);
  });

  it('members that another event samples are known as a sum where children may have counted', () => {
    const attr = newAttr({ flags: { inherit: true } });
    expect(finalsOf([first, opened], [[100, 101]], { attr }).finals).toEqual([[-1, 60]]);
  });

  it('final values of instances without a stream are left out', () => {
    const silent = [19];
    expect(finalsOf([{ ...first, count: 0 }, opened], [[100, 101]], { silent }).finals).toEqual([
      [7, 60],
    ]);
  });

  it('the total is unknown without the record of the opened instance', () => {
    expect(finalsOf([first], [[100, 101]])).toEqual({ finals: [[19, 20]], totals: [null] });
  });
});
