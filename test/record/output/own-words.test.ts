import { describe, expect, it } from 'vitest';
import { ownWords } from '../../../src/record/output/feature-data.ts';

describe('the words of a recorder', () => {
  it.each([
    ['record -q node app.js', 'node app.js', 'record -q -- node app.js'],
    ['record -q -- node app.js', 'node app.js', 'record -q -- node app.js'],
    ['-F 99 app.js', 'node app.js', '-F 99 -- app.js'],
    ['app.js', 'node app.js', '-- app.js'],
    ['profile.mjs node', 'node app.js', '-- node app.js'],
    ['record -p 12', undefined, 'record -p 12'],
  ])('%s of the program %s is kept as %s', (words, command, kept) => {
    expect(ownWords(words.split(' '), command?.split(' ')).join(' ')).toBe(kept);
  });
});
