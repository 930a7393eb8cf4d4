import { describe, expect, test } from 'vitest';
import { computeFlameGraphData } from '../../src/export/flame-graph-data.ts';
import { frameColour, kindColour, LABEL_KINDS } from '../../web/src/colours.ts';
import { formatCount, formatDuration, formatShare, formatWeight } from '../../web/src/format.ts';
import { matchLabels, parseQuery, sumMatches } from '../../web/src/search.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';

const data = computeFlameGraphData(
  profileFromText(`
    main          main          main      idle
    parse         parse         Render
    operator()[]  parse         parse
  `),
  { kind: 'period', unit: 'events', values: Float64Array.of(10, 20, 30, 40) },
);

function matched(typed: string): [weight: number, rows: number] | string {
  const query = parseQuery(typed);
  if (query === null) return 'nothing sought';
  const { weight, rows } = sumMatches(
    data.events[0]!.views[0]!.callees,
    matchLabels(data.labels.name, query),
  );
  return [weight, rows];
}

describe('search', () => {
  test('weight counts once per stack, however many frames of it match', () => {
    expect(matched('parse')).toEqual([60, 3]);
    expect(matched('main')).toEqual([60, 1]);
    expect(matched('idle')).toEqual([40, 1]);
    expect(matched('nowhere')).toEqual([0, 0]);
  });

  test('text is found whatever its case, and means only itself', () => {
    expect(matched('RENDER')).toEqual([30, 1]);
    expect(matched('operator()[]')).toEqual([10, 1]);
    expect(matched('.')).toEqual([0, 0]);
    expect(matched('  ')).toBe('nothing sought');
  });

  test('an expression stands between slashes; one that does not compile is text, and said', () => {
    expect(matched('/^(idle|render)$/')).toEqual([70, 2]);
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
  test('names that begin alike do not all look alike, and one name always looks the same', () => {
    const names = ['push_back', 'sort', 'find', 'insert', 'erase'].map((name) => `std::${name}`);
    const colours = names.map((name) => frameColour('user', 'libstdc++.so', name, false));
    expect(new Set(colours).size).toBeGreaterThan(2);
    expect(frameColour('user', 'libstdc++.so', 'std::sort', false)).toBe(colours[1]);
  });

  test('every kind has a colour of its own in the legend', () => {
    expect(new Set(LABEL_KINDS.map(kindColour)).size).toBe(LABEL_KINDS.length);
  });

  test('frames that do not match are dimmed while something is sought', () => {
    expect(frameColour('kernel', '', 'read', true)).not.toBe(
      frameColour('kernel', '', 'read', false),
    );
  });
});
