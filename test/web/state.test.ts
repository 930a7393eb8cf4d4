import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DEFAULT_STATE,
  decodeState,
  encodeState,
  isForeignLink,
  type ViewState,
} from '../../web/src/state/state.ts';

const row = fc.nat(1_000_000);
const states: fc.Arbitrary<ViewState> = fc
  .record({
    tab: fc.constantFrom('flame', 'time', 'period', 'diff'),
    event: row,
    weight: fc.constantFrom('samples', 'period', 'events', 'time'),
    threads: fc.array(row),
    range: fc.option(
      fc.tuple(row, row).map(([from, by]) => ({ fromNs: from, toNs: from + by + 1 })),
    ),
    zoom: fc.array(row, { maxLength: 4 }),
    search: fc.string(),
    focus: fc.option(row),
    hidden: fc.array(row, { maxLength: 4 }),
    foldRecursion: fc.boolean(),
    heatRows: fc.integer({ min: 2, max: 200 }),
    theme: fc.constantFrom('system', 'light', 'dark'),
  } as const)
  .map((changes) => ({ ...DEFAULT_STATE, ...changes }));

test('a state is the same after it went through an address', () => {
  fc.assert(
    fc.property(states, (state) => {
      const url = new URL(`file:///page.html#${encodeState(state)}`);
      expect(decodeState(url.hash)).toEqual(state);
    }),
  );
});

test('defaults are not in the address', () => {
  expect(encodeState(DEFAULT_STATE)).toBe('');
  expect(encodeState({ ...DEFAULT_STATE, tab: 'time', range: { fromNs: 5, toNs: 9 } })).toBe(
    'tab=time&range=5-9',
  );
});

test('rows of a link are left out where it is of another recording or version, and nothing else is', () => {
  const state: ViewState = { ...DEFAULT_STATE, tab: 'table', func: 7, hidden: [3], search: 'main' };
  const link = encodeState(state, DEFAULT_STATE, '1.0.0-5');
  expect(link).toContain('of=1.0.0-5');
  expect(isForeignLink(link, '1.0.0-5')).toBe(false);
  expect(decodeState(link, DEFAULT_STATE, '1.0.0-5')).toEqual(state);
  for (const other of ['1.0.0-6', '1.1.0-5']) {
    expect(isForeignLink(link, other)).toBe(true);
    expect(decodeState(link, DEFAULT_STATE, other)).toEqual({ ...state, func: null, hidden: [] });
  }
  expect(encodeState({ ...DEFAULT_STATE, search: 'main' }, DEFAULT_STATE, '1.0.0-5')).toBe(
    'search=main',
  );
});

test('an address of one thread, or of several', () => {
  expect(decodeState('#thread=3').threads).toEqual([3]);
  expect(decodeState('#thread=3.5').threads).toEqual([3, 5]);
  expect(encodeState({ ...DEFAULT_STATE, threads: [3, 5] })).toBe('thread=3.5');
});

test('a value that a page has by default is marked as removed in the address', () => {
  const defaults = { ...DEFAULT_STATE, search: 'main', threads: [3] };
  const state = { ...defaults, search: '', threads: [] };
  expect(decodeState(encodeState(state, defaults), defaults)).toEqual(state);
});

test.each([
  'tab=nothing',
  'event=-1&thread=x&ruler=3-1&range=9-5&heatRows=100000&weight=__proto__',
  'hidden=1.2.x&heatColumnNs=0&__proto__=1&unknown=2',
  '%E0%A4%A&=&&',
])('an address that says %s shows the default', (hash) => {
  expect(decodeState(`#${hash}`)).toEqual(DEFAULT_STATE);
});
