import { describe, expect, test } from 'vitest';
import { findBrokenText } from '../check-text.mjs';

const broken = (name: string, text: string) => findBrokenText(name, Buffer.from(text));

describe('the check for whole text files', () => {
  test('the check for whole text files names each conflict marker with its line', () => {
    const merged = [
      '| a |',
      '<<<<<<< HEAD',
      '| b |',
      '=======',
      '| c |',
      '>>>>>>> 1234567 (x)',
      '',
    ];
    expect(broken('src/README.md', merged.join('\n'))).toEqual([
      'src/README.md:2: a conflict marker, <<<<<<< HEAD',
      'src/README.md:6: a conflict marker, >>>>>>> 1234567 (x)',
    ]);
  });

  test.each([
    ['an empty file', 'a.ts', '', 'a.ts:1: the file is empty'],
    [
      'a last line without its newline',
      'a.ts',
      'const a = 1;\nconst b',
      'a.ts:2: the last line has no newline: is the file cut short?',
    ],
    [
      'a fenced block without an end',
      'a.md',
      'Run:\n\n```console\n$ npm test\n',
      'a.md:5: a fenced block has no end',
    ],
  ])('finds %s', (_, name, text, problem) => {
    expect(broken(name, text)).toEqual([problem]);
  });

  test('the check for whole text files takes headings underlined by equals signs, bytes that are no text, and what other programs wrote', () => {
    expect(broken('a.md', 'Heading\n=======\n\n```\ncode\n```\n')).toEqual([]);
    expect(broken('a.png', '\x89PNG\0\n<<<<<<< HEAD\n')).toEqual([]);
    expect(broken('test/fixtures/a.cpuprofile', '{"nodes":[]}')).toEqual([]);
  });
});
