import { describe, expect, it } from 'vitest';
import { FailedError } from '../../src/base/errors.ts';
import type { NativeBinding, SamplerOptions } from '../../src/native/types.ts';
import { prepareRecording } from '../../src/record/prepare-recording.ts';
import { fakeKernel, opensEverything } from '../system/kernel/fake-kernel.ts';

/** A worker whose kernel opens every event by itself, and a group only up to `counters` events. */
function bindingWith(counters: number) {
  const tried: number[][] = [];
  class Sampler {
    readonly opened = { ringPages: 1024, sidebandPages: 128, isSettled: true };
    constructor({ events }: SamplerOptions) {
      tried.push(events.map(({ leader }) => leader));
      events.forEach(({ leader }, eventIndex) => {
        const inGroup = events.slice(0, eventIndex + 1).filter((other) => other.leader === leader);
        if (leader < 0 || inGroup.length < counters) return;
        const cause = { code: 'EINVAL', errno: 22, operation: 'perf_event_open', cpu: 0, pid: 1 };
        throw Object.assign(new Error('perf_event_open: EINVAL'), cause, { eventIndex });
      });
    }
  }
  const { probe } = fakeKernel(opensEverything);
  return { binding: { Sampler, probeEvent: probe } as unknown as NativeBinding, tried };
}

/** Any process that is no Node, of which nothing is said. */
const TARGET = 1;

/** Opens the events on a process, and collects what the user is told. */
function prepare(events: string, counters: number) {
  const { binding, tried } = bindingWith(counters);
  const reported: string[] = [];
  const options = { pids: [TARGET], events: [events], ringPages: 1024, inherit: false };
  const prepared = prepareRecording(
    { ...options, onNotice: (text) => reported.push(text) },
    binding,
  );
  return { prepared, tried, reported };
}

describe('a group of more events than the PMU has counters', () => {
  it('a weak group that does not fit is opened singly, with one notice', () => {
    const { prepared, tried, reported } = prepare('{cpu-clock,page-faults,task-clock}:W,dummy', 2);
    expect(tried).toEqual([
      [-1, 0, 0, -1],
      [-1, -1, -1, -1],
    ]);
    const notice =
      'the group {cpu-clock,page-faults,task-clock} does not fit the PMU: its events are ' +
      'recorded singly, as its modifier W allows';
    expect(reported).toEqual([notice]);
    expect(prepared.notices).toEqual([notice]);
    expect(prepared.plan.events.map(({ leader }) => leader)).toEqual([-1, -1, -1, -1]);
  });

  it('the weak group that does not fit is split, and no other', () => {
    const { tried } = prepare('{cpu-clock,page-faults}:W,{cpu-clock,page-faults,task-clock}:W', 2);
    expect(tried).toEqual([
      [-1, 0, -1, 2, 2],
      [-1, 0, -1, -1, -1],
    ]);
  });

  it('a group that does not fit is an error if it is not weak', () => {
    expect(() => prepare('{cpu-clock,page-faults,task-clock}', 2)).toThrow(FailedError);
    expect(() => prepare('{cpu-clock,page-faults,task-clock}', 2)).toThrow(
      'the group {cpu-clock,page-faults,task-clock} does not fit the PMU, at task-clock (EINVAL)',
    );
  });

  it('a weak group that fits stays together', () => {
    const { tried, reported } = prepare('{cpu-clock,page-faults,task-clock}:W', 3);
    expect([tried, reported]).toEqual([[[-1, 0, 0]], []]);
  });
});
