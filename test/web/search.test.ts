import { describe, expect, test } from 'vitest';
import {
  deltaColour,
  FRAME_KINDS,
  frameColour,
  kindColour,
  tierColour,
} from '../../web/src/flame/frame-colours.ts';
import { formatWeight } from '../../web/src/format.ts';
import { parseQuery } from '../../web/src/worker/query.ts';

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

test('a weight names its unit', () => {
  expect(formatWeight(1, 'samples')).toBe('1 sample');
  expect(formatWeight(2000, 'events')).toBe('2 000 events');
  expect(formatWeight(1234.5678, 'events')).toBe('1 235 events');
  expect(formatWeight(1.2345e9, 'nanoseconds')).toBe('1.23 s');
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
