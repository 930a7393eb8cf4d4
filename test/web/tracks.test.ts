import { describe, expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { KIND_GROUPS, type KindGroup } from '../../src/formats/export/kind-group.ts';
import type { ProfileEvent } from '../../src/profile/types.ts';
import type { TimeGrid } from '../../web/src/worker/messages/time-messages.ts';
import type { Track, TracksParams } from '../../web/src/worker/messages/track-messages.ts';
import { LoadedRecording } from '../../web/src/worker/recording/recording.ts';
import { SelectedCache } from '../../web/src/worker/recording/selected.ts';
import { computeSpan, computeTracks } from '../../web/src/worker/time/tracks.ts';
import { type Happened, pageOf } from '../helpers/page-of.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { TRACKS, WHOLE } from '../helpers/selections.ts';

const MS = 1e6;
const ms = (...times: number[]) => times.map((time) => time * MS);
/** Ten cells of a millisecond. */
const GRID: TimeGrid = { firstNs: 0, cellNs: MS, length: 10 };
const ASKED: TracksParams = { ...TRACKS, grid: GRID };
const CLOCK: Partial<ProfileEvent> = { name: 'cpu-clock', mode: 'clock', unit: 'nanoseconds' };
/** As perf-ts lists the event of `--off-cpu`. */
const WAITS: Partial<ProfileEvent> = {
  name: 'off-cpu',
  mode: 'clock',
  frequencyHz: null,
  fixedPeriod: null,
  unit: 'nanoseconds',
};

const openOf = (recording: LoadedRecording) => ({
  recording,
  selected: new SelectedCache(recording),
});

function tracksOf(text: string, happened: Happened, asked: Partial<TracksParams> = {}) {
  const recording = new LoadedRecording(pageOf(profileFromText(text), happened));
  return finish(computeTracks(openOf(recording), { ...ASKED, ...asked }));
}

/** Kind, thread, count of threads and weight of each track. */
const headsOf = (text: string, happened: Happened, asked: Partial<TracksParams>) =>
  tracksOf(text, happened, asked).tracks.map(
    ({ kind, thread, rows, weight }) => `${kind} ${thread} ${rows.length}: ${weight}`,
  );

/** One figure a cell, `.` for nothing; of all groups or of one. */
function draw({ groups }: Track, group?: KindGroup, length = GRID.length): string {
  const cells = Array.from({ length }, (_, cell) =>
    KIND_GROUPS.reduce(
      (sum, name, row) =>
        group === undefined || group === name ? sum + groups[row * length + cell] : sum,
      0,
    ),
  );
  return drawCells(cells);
}

const drawCells = (cells: ArrayLike<number>) =>
  Array.from(cells, (value) => (value === 0 ? '.' : Number(value.toFixed(2)))).join(' ');

const THREE = `
  tid     1     2     1
  period  10    40    20
          main  main  read@[kernel.kallsyms]
`;

describe('tracks of threads', () => {
  test('weight stands in the cell of its sample, by the kind of the innermost function', () => {
    const { tracks, unit } = tracksOf(THREE, { timeNs: ms(0, 2.5, 9.99) });
    expect(unit).toBe('events');
    expect(tracks.map(({ thread, weight }) => [thread, weight])).toEqual([
      [1, 40],
      [0, 30],
    ]);
    expect(tracks.map((track) => draw(track))).toEqual([
      '. . 40 . . . . . . .',
      '10 . . . . . . . . 20',
    ]);
    expect(draw(tracks[1], 'kernel')).toBe('. . . . . . . . . 20');
  });

  test('the order is by weight, whatever the number of samples', () => {
    const { tracks } = tracksOf(THREE, { timeNs: ms(0, 2.5, 9.99) }, { weight: 'samples' });
    expect(tracks.map(({ thread, weight }) => [thread, weight])).toEqual([
      [0, 2],
      [1, 1],
    ]);
  });

  test('a sample of a clock fills the time that it stands for', () => {
    const text = `
      tid     1        1        1
      period  2000000  1500000  500000
              main     main     main
    `;
    const { tracks } = tracksOf(text, { timeNs: ms(1, 4.5, 8), event: CLOCK });
    // Nothing is before the recording's start: all of the first lies after it.
    expect(draw(tracks[0])).toBe('2000000 . . 1000000 500000 . . 500000 . .');
    expect(tracks[0].weight).toBe(4000000);
    expect([tracks[0].busyFromNs, tracks[0].busyToNs]).toEqual(ms(0, 8));
  });

  test('cells sum up to the weight of the selection, however many they are', () => {
    const text = `
      tid     1       2        1        2        3
      period  700000  1900000  1300000  2500000  100000
              main    main     main     main     main
    `;
    const happened = { timeNs: ms(0.5, 2, 5.25, 9.1, 9.9), event: CLOCK };
    for (const length of [1, 7, 10, 1000]) {
      const grid = { firstNs: 0, cellNs: (10 * MS) / length, length };
      const { tracks } = tracksOf(text, happened, { grid, own: 1 });
      const all = tracks
        .flatMap(({ groups }) => [...groups])
        .reduce((sum, value) => sum + value, 0);
      expect(all / 6_500_000).toBeCloseTo(1, 5);
      expect(tracks.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(6_500_000, 3);
    }
  });

  test('a zoomed window has the part of the weight that lies in it', () => {
    const text = `
      tid     1        2
      period  4000000  1000000
              main     main
    `;
    const grid = { firstNs: 2 * MS, cellNs: MS, length: 3 };
    const { tracks } = tracksOf(text, { timeNs: ms(4, 9), event: CLOCK }, { grid });
    expect(tracks.map(({ thread, weight }) => [thread, weight])).toEqual([
      [0, 2 * MS],
      [1, 0],
    ]);
    expect(draw(tracks[0], undefined, 3)).toBe('1000000 1000000 .');
  });

  test('threads without a track of their own share one, and nothing is left out', () => {
    const text = `
      comm    a     b     c     d
      tid     1     2     3     4
      period  10    40    20    30
              main  main  main  main
    `;
    const happened = { timeNs: ms(0, 1, 2, 3) };
    const heads = (asked: Partial<TracksParams>) => headsOf(text, happened, asked);
    expect(heads({ own: 2 })).toEqual(['thread 1 1: 40', 'thread 3 1: 30', 'merged -1 2: 30']);
    expect(heads({ own: 0 })).toEqual(['merged -1 4: 100']);
    // A chosen one has a track of its own.
    expect(heads({ own: 2, chosen: [0] })).toEqual([
      'thread 1 1: 40',
      'thread 0 1: 10',
      'merged -1 2: 50',
    ]);
    expect(draw(tracksOf(text, happened, { own: 2 }).tracks[2])).toBe('10 . 20 . . . . . . .');
  });

  test('light threads share the track of their program, whatever numbers are in their names', () => {
    const text = `
      comm    app   job-1  job-2  job-3  sh    job-4  ls
      tid     1     2      3      4      5     6      7
      period  50    8      8      8      7     8      6
              main  main   main   main   main  main   main
    `;
    const happened = { timeNs: ms(0, 1, 2, 3, 4, 5, 6) };
    const heads = (asked: Partial<TracksParams>) => headsOf(text, happened, asked);
    expect(heads({ own: 2 })).toEqual(['thread 0 1: 50', 'program -1 4: 32', 'merged -1 2: 13']);
    // Tracks that would be empty show the heaviest threads of programs.
    expect(heads({ own: 4 })).toEqual([
      'thread 0 1: 50',
      'program -1 3: 24',
      'thread 1 1: 8',
      'thread 4 1: 7',
      'thread 6 1: 6',
    ]);
    expect(heads({ own: 2, chosen: [5] })).toEqual([
      'thread 0 1: 50',
      'thread 5 1: 8',
      'merged -1 5: 37',
    ]);
    expect(heads({ own: 2, chosen: [1, 2, 3, 5] })[1]).toBe('program -1 4: 32');
  });

  test('the tree has the programs, a branch that is open the threads too, and their cells add up to its own', () => {
    const text = `
      comm    app   job-1  job-2  sh    job-3
      tid     1     2      3      4     5
      period  50    8      9      7     10
              main  main   main   main  main
    `;
    const happened = { timeNs: ms(0, 1, 2, 3, 3) };
    const heads = (tree: readonly string[], own = 9) => headsOf(text, happened, { tree, own });
    const jobs = ['program -1 3: 27', 'thread 4 1: 10', 'thread 2 1: 9', 'thread 1 1: 8'];
    expect(heads([])).toEqual(['thread 0 1: 50', jobs[0], 'thread 3 1: 7']);
    expect(heads(['/job-*'])).toEqual(['thread 0 1: 50', ...jobs, 'thread 3 1: 7']);
    expect(heads([], 1)).toEqual(['thread 0 1: 50', 'merged -1 4: 34']);
    const { tracks } = tracksOf(text, happened, { tree: ['/job-*'], own: 9 });
    expect(tracks.slice(1, 5).map((track) => draw(track))).toEqual([
      '. 8 9 10 . . . . . .',
      '. . . 10 . . . . . .',
      '. . 9 . . . . . . .',
      '. 8 . . . . . . . .',
    ]);
    // The threads below a branch that is closed, or that shares a track, are in that.
    for (const own of [1, 2, 9]) {
      const all = tracksOf(text, happened, { tree: [], own }).tracks.flatMap(({ groups }) => [
        ...groups,
      ]);
      expect(all.reduce((sum, value) => sum + value, 0)).toBe(84);
    }
  });

  test('idle CPUs are apart from all threads', () => {
    const text = `
      comm    swapper/0  app   app
      tid     0          5     6
      period  900        10    5
              halt       main  main
    `;
    const { tracks } = tracksOf(text, { timeNs: ms(0, 1, 2) }, { own: 1 });
    expect(tracks.map(({ kind, weight }) => `${kind}: ${weight}`)).toEqual([
      'thread: 10',
      'thread: 5',
      'idle: 900',
    ]);
  });
});

describe('waits in tracks', () => {
  const TEXT = `
    tid     1        2         1
    event   cycles   off-cpu   off-cpu
    period  1000000  3500000   2000000
            main     read      read
  `;
  const happened = (): Happened => ({ timeNs: ms(1, 2.5, 3) });
  function recordingOf() {
    const page = pageOf(profileFromText(TEXT), happened());
    const events = page.profile.events.map((event) => ({
      ...event,
      ...(event.name === 'off-cpu' ? WAITS : CLOCK),
    }));
    const profile = { ...page.profile, events };
    return new LoadedRecording({
      ...page,
      profile,
      periodInput: { ...page.periodInput, events },
    });
  }

  test('the waits reach from their beginning to their end, also beside another event', () => {
    const { tracks, areWaits } = finish(computeTracks(openOf(recordingOf()), ASKED));
    expect(areWaits).toBe(false);
    expect(tracks.map(({ thread, waitNs }) => [thread, waitNs])).toEqual([
      [0, 2 * MS],
      [1, 3.5 * MS],
    ]);
    expect(drawCells(tracks[0].waits ?? [])).toBe('. . . 1000000 1000000 . . . . .');
    expect(drawCells(tracks[1].waits ?? [])).toBe('. . 500000 1000000 1000000 1000000 . . . .');
    expect(draw(tracks[0])).toBe('1000000 . . . . . . . . .');
  });

  test('a wait is none of the times that another profiler measured', () => {
    // As the event of a .cpuprofile: no rate, no period.
    const { tracks, areWaits } = tracksOf(
      `
        tid     1        1
        event   time     time
        period  1000000  2000000
                main     read
      `,
      { timeNs: ms(1, 3), event: { ...WAITS, name: 'time' } },
    );
    expect(areWaits).toBe(false);
    expect(tracks.map(({ waits }) => waits)).toEqual([null]);
    expect(draw(tracks[0])).toBe('1000000 1000000 1000000 . . . . . . .');
  });

  test('order the tracks by time waited where waits are shown', () => {
    const { tracks, areWaits } = finish(
      computeTracks(openOf(recordingOf()), { ...ASKED, event: 1 }),
    );
    expect(areWaits).toBe(true);
    expect(tracks.map(({ thread, weight }) => [thread, weight])).toEqual([
      [1, 3.5 * MS],
      [0, 2 * MS],
    ]);
    expect(tracks.map((track) => draw(track))).toEqual([
      '. . . . . . . . . .',
      '. . . . . . . . . .',
    ]);
  });
});

describe('tracks of functions', () => {
  const text = `
    tid     1     2     1     2
    period  10    40    20    30
            main  main  read  main
            work        work  work
  `;
  const happened = { timeNs: ms(0, 2.5, 5, 9.99) };
  const funcOf = (name: string) =>
    new LoadedRecording(pageOf(profileFromText(text), happened)).funcName.indexOf(name);

  test('the part with the lit function on its stacks is told apart', () => {
    const { tracks } = tracksOf(text, happened, { lit: funcOf('work') });
    expect(tracks.map((track) => draw(track))).toEqual([
      '. . 40 . . . . . . 30',
      '10 . . . . 20 . . . .',
    ]);
    expect(tracks.map((track) => draw({ ...track, groups: track.lit! }))).toEqual([
      '. . . . . . . . . 30',
      '10 . . . . 20 . . . .',
    ]);
  });

  test('tracks of one function have its samples alone, and the order of its weight', () => {
    const { tracks } = tracksOf(text, happened, { only: funcOf('read') });
    expect(tracks.map(({ thread, weight, lit }) => [thread, weight, lit])).toEqual([[0, 20, null]]);
    expect([tracks[0].busyFromNs, tracks[0].busyToNs]).toEqual(ms(5, 5));
  });

  test('tracks obey edits of stacks and the chosen kind of code', () => {
    const func = funcOf('read');
    const hidden = tracksOf(text, happened, { edits: [{ action: 'hide', of: 'func', func }] });
    expect(hidden.tracks.map(({ weight }) => weight)).toEqual([70, 10]);
    const focused = tracksOf(text, happened, { edits: [{ action: 'focus', of: 'func', func }] });
    expect(focused.tracks.map(({ weight }) => weight)).toEqual([20]);
    expect(tracksOf(text, happened, { group: 'kernel' }).tracks).toEqual([]);
  });
});

describe('what is missing in tracks', () => {
  test('nothing is marked where nothing was lost and nothing paused', () => {
    const { tracks, lost } = tracksOf(THREE, { timeNs: ms(0, 2.5, 9.99) });
    expect(lost).toBeNull();
    expect(tracks.map(({ paused }) => paused)).toEqual([null, null]);
  });

  test('losses have their cells, pauses those of their threads', () => {
    const { tracks, lost } = tracksOf(THREE, {
      timeNs: ms(0, 2.5, 6),
      cpu: [3, 3, 3],
      lossGaps: [{ event: 0, cpu: 3, timeNs: 7.5 * MS, samples: 4 }],
      throttles: [{ event: 0, stream: 0, startNs: 2.5 * MS, endNs: 4 * MS }],
    });
    expect(drawCells(lost ?? [])).toBe('. . . . . . 2.67 1.33 . .');
    expect(tracks.map(({ thread, paused }) => [thread, drawCells(paused ?? [])])).toEqual([
      [1, '. . 0.5 1 . . . . . .'],
      [0, '. . . . . . . . . .'],
    ]);
  });
});

test('a span has the samples from its first moment until before its last', () => {
  const page = pageOf(profileFromText(THREE), { timeNs: ms(0, 2.5, 9) });
  const open = openOf(new LoadedRecording(page));
  const spanOf = (fromMs: number, toMs: number, threads: number[] = []) => {
    const asked = { ...WHOLE, threads, fromNs: fromMs * MS, toNs: toMs * MS };
    const { samples, weight: sum } = finish(computeSpan(open, asked));
    return `${samples}: ${sum}`;
  };
  expect(spanOf(0, 9)).toBe('2: 50');
  expect(spanOf(0, 9.1)).toBe('3: 70');
  expect(spanOf(0, 10, [0])).toBe('2: 30');
  expect(spanOf(1, 2)).toBe('0: 0');
});
