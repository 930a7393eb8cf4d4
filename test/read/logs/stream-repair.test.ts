import { describe, expect, it } from 'vitest';
import { StreamRepair } from '../../../src/read/logs/stream-repair.ts';

/**
 * Rows as event, thread, CPU, stream; those in `misled` follow a LOST record. Stream 7 was opened on
 * the task 100, thread 0.
 */
function repaired(rows: readonly (readonly number[])[], misled: readonly number[]): number[] {
  const column = (at: number) => Int32Array.from(rows, (row) => row[at]);
  const stream = column(3);
  const repair = new StreamRepair();
  for (const row of misled) repair.note(row, 7, 100 + rows[row][1]);
  repair.apply(
    { length: rows.length, event: column(0), thread: column(1), cpu: column(2), stream },
    (id, tid) => id === 7 && tid === 100,
  );
  return [...stream];
}

describe('the stream of a sample after a LOST record', () => {
  it('the stream of a sample after LOST is that of the one before it', () => {
    const rows = [
      [0, 5, 1, 19],
      [0, 5, 0, 18],
      [0, 6, 1, 20],
      [1, 5, 1, 21],
      [0, 5, 1, 7],
    ];
    expect(repaired(rows, [4])).toEqual([19, 18, 20, 21, 19]);
  });

  it('the stream of a first sample after LOST is that of the next one', () => {
    const rows = [
      [0, 5, 1, 7],
      [0, 5, 1, 7],
      [0, 5, 1, 19],
    ];
    expect(repaired(rows, [0, 1])).toEqual([19, 19, 19]);
  });

  it('the repaired stream is right for the task that the instance was opened on', () => {
    expect(repaired([[0, 0, 1, 7]], [0])).toEqual([7]);
  });

  it('a sample stays with the opened instance if that is what the thread is sampled by', () => {
    const rows = [
      [0, 5, 1, 7],
      [0, 5, 1, 7],
    ];
    expect(repaired(rows, [1])).toEqual([7, 7]);
  });

  it('the repaired stream is unknown where the thread has no other sample on the CPU', () => {
    expect(repaired([[0, 5, 1, 7]], [0])).toEqual([-1]);
    expect(repaired([[0, -1, -1, 7]], [0])).toEqual([-1]);
  });
});

describe('the stream of a sample with the ids of another recorder', () => {
  const [event, cpu] = [0, 1];
  function repaired(threads: readonly number[], streams: readonly number[], isOfCpu: boolean) {
    const column = (value: number) => new Int32Array(threads.length).fill(value);
    const stream = Int32Array.from(streams);
    const repair = new StreamRepair();
    streams.forEach((id, row) => {
      if (id === -1) repair.noteForeign(row, isOfCpu);
    });
    const thread = Int32Array.from(threads);
    const columns = { event: column(event), thread, cpu: column(cpu), stream };
    repair.apply({ length: threads.length, ...columns }, () => true);
    return [...stream];
  }

  it("the repaired stream is that of the thread's other samples", () => {
    expect(repaired([5, 6, 5, 6], [19, 20, -1, -1], false)).toEqual([19, 20, 19, 20]);
  });

  it('the repaired stream is the one that the CPU has, where instances follow no thread', () => {
    expect(repaired([5, 6], [19, -1], true)).toEqual([19, 19]);
    expect(repaired([5, 6, 7], [-1, 19, -1], true)).toEqual([19, 19, 19]);
    expect(repaired([5, 6], [19, -1], false)).toEqual([19, -1]);
  });

  it('the stream of a foreign id is unknown where several or none fit', () => {
    expect(repaired([5, 6, 7], [19, 20, -1], true)).toEqual([19, 20, -1]);
    expect(repaired([5, 6], [-1, -1], true)).toEqual([-1, -1]);
  });
});
