import { describe, expect, test } from 'vitest';
import { shadeOf } from '../../src/formats/export/frame-shades.ts';
import { formatWeight } from '../../web/src/ask/format.ts';
import { deltaColour } from '../../web/src/flame-graph/frame-colours.ts';
import { matchAll, parseQuery } from '../../web/src/worker/recording/query.ts';

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

  test('no expression takes for ever on a name', () => {
    const long = `${'a'.repeat(5000)}!`;
    expect(found('/(a+)+$/', long)).toBe(false);
    expect(found('/(a|a)*$b/', long)).toBe(false);
    expect(found('/a.*a.*a.*a.*b/', long)).toBe(false);
    expect(parseQuery('/(a+)+(?=b)/')).toMatchObject({
      problem: expect.stringMatching(/not searched/),
    });
    // An expression that repeats nothing, or one character, may look around as ever.
    expect(found('/^render(?!ed)/', 'renders')).toBe(true);
    expect(found('/^ren\\w+(?<!ed)$/', 'rendered')).toBe(false);
  });

  test('a search that takes too long finds nothing and says so', () => {
    const query = parseQuery('/a/');
    const clock = (msPerLook: number) => {
      let at = 0;
      return () => (at += msPerLook);
    };
    const names = Array.from({ length: 1000 }, () => 'a');
    const match = (ms: number) =>
      matchAll(query!, names.length, (i) => query!.matches(names[i]), clock(ms));
    expect(match(10)).toMatchObject({ problem: null, flags: new Uint8Array(1000).fill(1) });
    expect(match(100)).toMatchObject({
      problem: 'stopped after 200 ms',
      flags: new Uint8Array(1000),
    });
  });
});

test('a weight names its unit', () => {
  expect(formatWeight(1, 'samples')).toBe('1 sample');
  expect(formatWeight(2000, 'events')).toBe('2 000 events');
  expect(formatWeight(1234.5678, 'events')).toBe('1 235 events');
  expect(formatWeight(1.2345e9, 'nanoseconds')).toBe('1.23 s');
});

describe('colours', () => {
  const plain = { name: 'read', isLighter: false, isDimmed: false };
  const shade = (changes: Partial<typeof plain>) => shadeOf('#e3ceb5', { ...plain, ...changes });

  test('names that begin alike do not all look alike, and one name always looks the same', () => {
    const names = ['push_back', 'sort', 'find', 'insert', 'erase'].map((name) => `std::${name}`);
    const colours = names.map((name) => shade({ name }));
    expect(new Set(colours).size).toBeGreaterThan(1);
    expect(shade({ name: 'std::sort' })).toBe(colours[1]);
  });

  test('inlined frames are paler, and frames that do not match are dimmed', () => {
    expect(shade({ isLighter: true })).toBe('#eadac8');
    expect(new Set([shade({}), shade({ isDimmed: true }), shade({ isLighter: true })]).size).toBe(
      3,
    );
  });

  test('more is red, less is blue, and no change has no colour', () => {
    expect(deltaColour(0.2, 0.2)).toMatch(/^hsl\(6 85% /);
    expect(deltaColour(-0.2, 0.2)).toMatch(/^hsl\(214 85% /);
    expect(deltaColour(0, 0.2)).toMatch(/ 0% 92%\)$/);
  });
});
