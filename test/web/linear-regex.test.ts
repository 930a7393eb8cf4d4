import { describe, expect, test } from 'vitest';
import { compileLinear } from '../../web/src/worker/recording/linear-regex.ts';

const NAMES = [
  '',
  'main',
  'aaaaaaaa!',
  'v8::internal::Heap::Scavenge(int, char const*)',
  'score /srv/app/work.ts:39',
  'operator()[]',
  'ABBA abba 0x1f',
  'foo.bar+baz',
];

describe('an expression without backtracking', () => {
  test.each([
    '^(idle|ma(in|ke)|)$',
    '(a+)+$',
    '(a|a)*b',
    'v8::.*::Sc\\w+\\(',
    '^[^:]+(::[a-z]+)*',
    '\\bwork\\.(ts|js):\\d{2}$',
    'a{3,}.?!',
    '(ab|b){2}a',
    '(?:x|)y*?z??$',
    '[\\[\\]()]{2,4}',
    '\\Bain',
    'o{2}\\.(?<tail>bar\\+b)',
    '\\x30x[\\da-f]+',
    '^$',
    'a|b|c|',
    '(?:){10000000000}ma(i+)+n',
  ])('matches what RegExp matches: %s', (source) => {
    const own = compileLinear(source);
    const expected = new RegExp(source, 'i');
    expect(NAMES.map((name) => own?.(name))).toStrictEqual(
      NAMES.map((name) => expected.test(name)),
    );
  });

  test('the search reads every char once, whatever it is', () => {
    const own = compileLinear('^(([a-z])+.)+[A-Z]([a-z])+!$');
    expect(own?.(`${'a'.repeat(20_000)}?`)).toBe(false);
  });

  test.each(['a(?=b)', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>', '(a{50}){50}', '\\p{L}'])(
    'the search gives up what needs more: %s',
    (source) => {
      expect(compileLinear(source)).toBeNull();
    },
  );
});
