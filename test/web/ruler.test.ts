import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_STATE } from '../../web/src/state/state.ts';
import { TimeAxis, windowOf } from '../../web/src/state/time-axis.ts';
import { timeOption } from '../../web/src/tracks/clock-time.ts';
import { formatSpan } from '../../web/src/tracks/format-span.ts';
import { LABEL_GAP, rulerTicks } from '../../web/src/tracks/ruler-ticks.ts';
import { shortNames } from '../../web/src/tracks/track-names.ts';
import { moveBy, moveToShow, rulerOf, zoomAbout } from '../../web/src/tracks/window-moves.ts';

const END_NS = 9_999;
const widthOf = (text: string) => text.length * 7;
const windows = fc
  .tuple(fc.nat(1e12), fc.integer({ min: 1000, max: 1e12 }), fc.integer({ min: 20, max: 4000 }))
  .map(([fromNs, spanNs, width]) => new TimeAxis(0, width, { fromNs, toNs: fromNs + spanNs }));

test('labels of the ruler never overlap, at any width and zoom', () => {
  fc.assert(
    fc.property(windows, fc.double({ min: 0, max: 1, noNaN: true }), (axis, part) => {
      const until = axis.width * part;
      const ticks = rulerTicks(axis, until, widthOf);
      for (const [index, { x, text }] of ticks.entries()) {
        const end = x + LABEL_GAP + widthOf(text);
        if (text === '') continue;
        expect(end).toBeLessThanOrEqual(until);
        if (index + 1 < ticks.length) expect(end).toBeLessThan(ticks[index + 1].x);
      }
    }),
  );
});

test('the ticks of the ruler stand at round moments', () => {
  const axis = new TimeAxis(0, 700, { fromNs: 0, toNs: 3.5e9 });
  expect(rulerTicks(axis, 700, widthOf).map(({ x, text }) => `${text} ${x}`)).toEqual([
    '0.0 s 0',
    '0.5 s 100',
    '1.0 s 200',
    '1.5 s 300',
    '2.0 s 400',
    '2.5 s 500',
    '3.0 s 600',
    ' 700',
  ]);
});

test('an axis leads from moments to pixels and back', () => {
  const axis = new TimeAxis(150, 1000, { fromNs: 2e9, toNs: 4e9 });
  expect([axis.xOf(2e9), axis.xOf(3e9), axis.xOf(4e9)]).toEqual([150, 650, 1150]);
  expect(axis.nsAt(400)).toBe(2.5e9);
});

test('a window is that of the state, inside of the recording', () => {
  const of = (ruler: { fromNs: number; toNs: number } | null) =>
    windowOf({ endNs: END_NS }, { ...DEFAULT_STATE, ruler });
  expect(of(null)).toEqual({ fromNs: 0, toNs: 10_000 });
  expect(of({ fromNs: 2_000, toNs: 5_000 })).toEqual({ fromNs: 2_000, toNs: 5_000 });
  expect(of({ fromNs: 2_000, toNs: 50_000 })).toEqual({ fromNs: 2_000, toNs: 10_000 });
  // A link may come from a longer recording.
  expect(of({ fromNs: 20_000, toNs: 50_000 })).toEqual({ fromNs: 0, toNs: 10_000 });
});

test('zooming keeps the moment under the pointer, and ends at the whole recording', () => {
  const zoomed = zoomAbout({ fromNs: 0, toNs: 10_000 }, 2_500, 0.5, END_NS);
  expect(zoomed).toEqual({ fromNs: 1_250, toNs: 6_250 });
  expect(rulerOf(zoomed, END_NS)).toEqual(zoomed);
  expect(rulerOf(zoomAbout(zoomed, 2_500, 9, END_NS), END_NS)).toBeNull();
  // A microsecond is the least.
  expect(zoomAbout(zoomed, 1_250, 1e-9, END_NS)).toEqual({ fromNs: 1_250, toNs: 2_250 });
});

test('a window moves no farther than the recording goes', () => {
  const window = { fromNs: 1_000, toNs: 3_000 };
  expect(moveBy(window, 500, END_NS)).toEqual({ fromNs: 1_500, toNs: 3_500 });
  expect(moveBy(window, 1e6, END_NS)).toEqual({ fromNs: 8_000, toNs: 10_000 });
  expect(moveBy(window, -1e6, END_NS)).toEqual({ fromNs: 0, toNs: 2_000 });
  expect(moveToShow(window, 3_500, END_NS)).toEqual({ fromNs: 1_500, toNs: 3_500 });
  expect(moveToShow(window, 2_000, END_NS)).toBe(window);
});

test('a range is named as report takes it: seconds of the clock, both ends inside', () => {
  const range = { fromNs: 500_000_000, toNs: 1_500_000_000 };
  expect(timeOption(range, '282818002945')).toBe('--time 283.318002945,284.318002944');
  // More than a double holds.
  expect(timeOption({ fromNs: 0, toNs: 1 }, '1795457564388984216')).toBe(
    '--time 1795457564.388984216,1795457564.388984216',
  );
});

test('the ends of a range are told apart, however close they are', () => {
  expect(formatSpan({ fromNs: 2.3351e9, toNs: 2.5744e9 })).toBe('2.335–2.574 s');
  expect(formatSpan({ fromNs: 2.3351e9, toNs: 2.3351e9 + 2_000 })).toBe('2.33510000–2.33510200 s');
});

test('threads are called by their names, and by their tid where others have the same', () => {
  const thread = (name: string, tid: number, samples = 1) => ({
    comm: name,
    name,
    pid: 7,
    tid,
    samples,
  });
  const names = shortNames([
    thread('node main thread', 7),
    thread('V8 worker', 8),
    thread('V8 worker', 9),
    thread('esbuild', 10),
    thread('esbuild', 11, 0),
  ]).map(({ name, which }) => `${name}${which}`);
  expect(names).toEqual(['node main', 'V8 worker 8', 'V8 worker 9', 'esbuild', 'esbuild']);
});
