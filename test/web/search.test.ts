import { describe, expect, test } from 'vitest';
import {
  deltaColour,
  FRAME_KINDS,
  frameColour,
  kindColour,
  tierColour,
} from '../../web/src/flame/frame-colours.ts';
import { formatCount, formatDuration, formatShare, formatWeight } from '../../web/src/format.ts';
import { parseQuery } from '../../web/src/search.ts';

const found = (typed: string, name: string): boolean | string =>
  parseQuery(typed)?.matches(name) ?? 'nothing sought';

describe('search', () => {
  test('text is found whatever its case, and means only itself', () => {
    expect(found('RENDER', 'Render')).toBe(true);
    expect(found('operator()[]', 'operator()[]')).toBe(true);
    expect(found('.', 'main')).toBe(false);
    expect(found('  ', 'main')).toBe('nothing sought');
  });

  test('a regular expression stands between slashes; an invalid one is text, with a notice', () => {
    expect(found('/^(idle|render)$/', 'idle')).toBe(true);
    expect(found('/^(idle|render)$/', 'idler')).toBe(false);
    expect(parseQuery('/(/')?.problem).toContain('not a regular expression');
    expect(parseQuery('/(/')?.matches('a/(/b')).toBe(true);
    expect(parseQuery('/usr/lib')?.problem).toBeNull();
  });
});

describe('figures', () => {
  test.each([
    [0, '0 %'],
    [0.00001, '< 0.01 %'],
    [0.00123, '0.12 %'],
    [0.5, '50.0 %'],
    [1, '100.0 %'],
  ])('a share of %d is %j', (share, text) => {
    expect(formatShare(share)).toBe(text);
  });

  test('counts, durations and weights name their unit', () => {
    expect(formatCount(1234567)).toBe('1,234,567');
    expect(formatCount(1234.5678)).toBe('1,234.568');
    expect([890, 1500, 2.5e6, 1.2345e9].map(formatDuration)).toEqual([
      '890 ns',
      '1.5 µs',
      '2.5 ms',
      '1.234 s',
    ]);
    expect(formatWeight(1, 'samples')).toBe('1 sample');
    expect(formatWeight(2000, 'events')).toBe('2,000 events');
  });
});

describe('colours', () => {
  const plain = {
    kind: 'native',
    dso: 'libstdc++.so',
    name: 'read',
    tier: 0,
    isInlined: false,
  } as const;

  test('names that begin alike do not all look alike, and one name always looks the same', () => {
    const names = ['push_back', 'sort', 'find', 'insert', 'erase'].map((name) => `std::${name}`);
    const colours = names.map((name) => frameColour({ ...plain, name }, false));
    expect(new Set(colours).size).toBeGreaterThan(2);
    expect(frameColour({ ...plain, name: 'std::sort' }, false)).toBe(colours[1]);
  });

  test('every kind and every tier of V8 has a colour of its own in the legend', () => {
    const colours = [...FRAME_KINDS.map(kindColour), ...[1, 2, 3, 4].map(tierColour)];
    expect(new Set(colours).size).toBe(colours.length);
  });

  test('frames that do not match are dimmed while something is sought', () => {
    expect(frameColour(plain, true)).not.toBe(frameColour(plain, false));
  });

  test('more is red, less is blue, and no change has no colour', () => {
    expect(deltaColour(0.2, 0.2)).toMatch(/^hsl\(6 85% /);
    expect(deltaColour(-0.2, 0.2)).toMatch(/^hsl\(214 85% /);
    expect(deltaColour(0, 0.2)).toMatch(/ 0% 92%\)$/);
  });
});
