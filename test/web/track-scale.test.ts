import { expect, test } from 'vitest';
import { describeTrack, scaleOf } from '../../web/src/tracks/track-names.ts';
import type { Track, TracksResult } from '../../web/src/worker/messages/track-messages.ts';

const WINDOW = { fromNs: 0, toNs: 100 };

/** A thread that runs for so many of the 10 ns of each cell. */
function trackOf(...cells: readonly number[]): Track {
  const weight = cells.reduce((sum, cell) => sum + cell, 0);
  return {
    kind: 'thread',
    thread: 0,
    rows: [0],
    branch: null,
    weight,
    samples: cells.length,
    groups: Float32Array.from(cells),
    lit: null,
    waits: null,
    waitNs: 0,
    paused: null,
    busyFromNs: Number.NaN,
    busyToNs: Number.NaN,
  };
}

function resultOf(track: Track, isCpuTime = true): TracksResult {
  return {
    grid: { firstNs: 0, cellNs: 10, length: track.groups.length },
    unit: 'nanoseconds',
    areWaits: false,
    isCpuTime,
    tracks: [track],
    lost: null,
    unsampled: null,
  };
}

test('a track is as high as a CPU where a thread ever had one', () => {
  const track = trackOf(10, 0, 0, 2);
  const scale = scaleOf(resultOf(track), 2, undefined, WINDOW);
  expect([scale.ofTrack(track), scale.note]).toEqual([1, '']);
});

test('the top of the tracks is a part of a CPU where no thread had more, and says so', () => {
  const track = trackOf(0.4, 0, 0.1, 0);
  const result = resultOf(track);
  const scale = scaleOf(result, 2, undefined, WINDOW);
  expect([scale.ofTrack(track), scale.note]).toEqual([0.05, 'top 5.0%']);
  const thread = { name: 'node', pid: 1, tid: 1, comm: 'node', samples: 2 };
  expect(describeTrack(track, result, scale, { threads: [thread] })).toContain(
    'full height: 5.0% of a CPU',
  );
});

test('time that another profiler measured is of the time, and not of a CPU', () => {
  const track = trackOf(10, 10);
  const result = resultOf(track, false);
  const scale = scaleOf(result, 2, undefined, WINDOW);
  const thread = { name: 'JavaScript', pid: -1, tid: -1, comm: 'JavaScript', samples: 2 };
  const text = describeTrack(track, result, scale, { threads: [thread] });
  expect(text).toContain('20% of the time');
  expect(text).not.toContain('CPU');
});
