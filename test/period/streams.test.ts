import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { groupByStream } from '../../src/period/streams.ts';
import type { PeriodInput } from '../../src/period/types.ts';
import { CYCLES, PAGE_FAULTS, recordingOf } from './recording.ts';

function draw(input: PeriodInput): string[] {
  const groups = finish(groupByStream(input));
  return Array.from({ length: groups.length }, (_, g) => {
    const rows = groups.rows.subarray(groups.offsets[g], groups.offsets[g + 1]);
    return `event ${groups.event[g]} stream ${groups.stream[g]}: ${rows.join(' ')}`;
  });
}

test('samples are grouped by event and stream, in time order', () => {
  const input = recordingOf(
    [PAGE_FAULTS, CYCLES],
    [
      { timeNs: 0, period: 1, event: 0, stream: 2 },
      { timeNs: 1, period: 1, event: 1, stream: 1 },
      { timeNs: 2, period: 1, event: 0, stream: 0 },
      { timeNs: 3, period: 1, event: 0, stream: 2 },
      { timeNs: 4, period: 1, event: 1, stream: 1 },
    ],
  );
  expect(draw(input)).toEqual([
    'event 0 stream 2: 0 3',
    'event 1 stream 1: 1 4',
    'event 0 stream 0: 2',
  ]);
});

test('a stream may move between threads and CPUs and stays one stream', () => {
  const input = recordingOf(
    [PAGE_FAULTS],
    [
      { timeNs: 0, period: 1, thread: 0, cpu: 0 },
      { timeNs: 1, period: 1, thread: 1, cpu: 1 },
    ],
  );
  expect(draw(input)).toEqual(['event 0 stream 0: 0 1']);
});

test('each thread on each CPU is a stream without stream ids', () => {
  const input = recordingOf(
    [PAGE_FAULTS],
    [
      { timeNs: 0, period: 1, stream: -1, thread: 0, cpu: 0 },
      { timeNs: 1, period: 1, stream: -1, thread: 1, cpu: 0 },
      { timeNs: 2, period: 1, stream: -1, thread: 0, cpu: 1 },
      { timeNs: 3, period: 1, stream: -1, thread: 0, cpu: 0 },
      { timeNs: 4, period: 1, stream: -1, thread: 0, cpu: -1 },
      { timeNs: 5, period: 1, stream: -1, thread: -1, cpu: 0 },
    ],
  );
  expect(draw(input)).toEqual([
    'event 0 stream -1: 0 3',
    'event 0 stream -1: 1',
    'event 0 stream -1: 2',
    'event 0 stream -1: 4',
    'event 0 stream -1: 5',
  ]);
});

test('each CPU is a stream where idle CPUs were sampled, whichever threads it runs', () => {
  const input = recordingOf(
    [PAGE_FAULTS],
    [
      { timeNs: 0, period: 1, stream: -1, thread: 0, cpu: 0 },
      { timeNs: 1, period: 1, stream: -1, thread: 1, cpu: 0 },
      { timeNs: 2, period: 1, stream: -1, thread: 1, cpu: 1 },
    ],
  );
  const threads = [{ tid: 0 }, { tid: 100 }];
  expect(draw({ ...input, threads })).toEqual(['event 0 stream -1: 0 1', 'event 0 stream -1: 2']);
});

test('a recording without samples has no groups', () => {
  expect(draw(recordingOf([PAGE_FAULTS], []))).toEqual([]);
});
