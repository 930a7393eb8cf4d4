import { expect, test } from 'vitest';
import { toAscii } from '../../../src/cli/render/ascii.ts';
import { describeTerminal } from '../../../src/cli/render/terminal.ts';
import { wrapText } from '../../../src/cli/render/wrap.ts';

const unicodeWith = (env: NodeJS.ProcessEnv) => describeTerminal({}, env).hasUnicode;

test('the terminal has Unicode if the locale is UTF-8 and TERM is not dumb', () => {
  expect(unicodeWith({ LANG: 'en_GB.UTF-8' })).toBe(true);
  expect(unicodeWith({ LANG: 'C.utf8' })).toBe(true);
  expect(unicodeWith({ LANG: 'C' })).toBe(false);
  expect(unicodeWith({})).toBe(false);
  expect(unicodeWith({ LANG: 'C.UTF-8', TERM: 'dumb' })).toBe(false);
  expect(unicodeWith({ LANG: 'C.UTF-8', LC_ALL: 'POSIX' })).toBe(false);
  expect(unicodeWith({ LANG: 'C', LC_CTYPE: 'C.UTF-8' })).toBe(true);
});

test('text is as wide as the terminal, within limits', () => {
  const columns = (width?: number) => describeTerminal(width ? { columns: width } : {}, {}).columns;
  expect([columns(), columns(80), columns(300), columns(20)]).toEqual([100, 80, 100, 40]);
});

test('every character of the reports has an ASCII replacement', () => {
  expect(toAscii('±5 µs – Δt × λ → Σ ≥ 1 …')).toBe('+-5 us - dt x lambda -> sum >= 1 ...');
  expect(toAscii('\u001b[1mß\u001b[22m')).toBe('\u001b[1m?\u001b[22m');
});

test('text is broken at spaces, not within a number', () => {
  expect(wrapText('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapText('counted 1 234 567 events', 12)).toEqual(['counted', '1 234 567', 'events']);
  expect(wrapText('incomprehensibilities abc', 5)).toEqual(['incomprehensibilities', 'abc']);
  expect(wrapText('', 5)).toEqual(['']);
});
