import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { fromPerfWords } from '../../../src/cli/habits/perf-words.ts';
import { asPerfMeans } from '../../../src/cli/report/perf-flags.ts';

const top = new Command('top').option('-n [n]').option('-s <keys>').option('-F <hz>').option('-a');

describe('fromPerfWords', () => {
  it.each([
    ['top -ns comm', 'top -n -s comm'],
    ['top -F 99 -nas comm', 'top -F 99 -n -as comm'],
    ['top -n 5', 'top -n 5'],
    ['top -n5', 'top -n5'],
    ['top -a find . -name x', 'top -a find . -name x'],
    ['top -s -nx', 'top -s -nx'],
    ['top -- grep -nr x', 'top -- grep -nr x'],
  ])('%s', (line, expected) => {
    expect(fromPerfWords(line.split(' '), top).join(' ')).toBe(expected);
  });

  it('the words of a command stay as they are where its -n takes no value, or must have one', () => {
    const record = new Command('record').option('-n', 'no samples');
    expect(fromPerfWords(['record', '-nq'], record)).toEqual(['record', '-nq']);
    expect(fromPerfWords(['-nq'], undefined)).toEqual(['-nq']);
  });
});

describe('an option with a value that is attached', () => {
  const record = new Command('record')
    .option('-z, --compression-level [=n]')
    .option('--off-cpu [=only]')
    .option('-g')
    .option('-F, --freq <hz>');

  it.each([
    ['record -z ./app 1', 'record -z -- ./app 1'],
    ['record -gz ./app', 'record -gz -- ./app'],
    ['record -F 99 --off-cpu ./app -z', 'record -F 99 --off-cpu -- ./app -z'],
    ['record -gF 99 -z ./app', 'record -gF 99 -z -- ./app'],
    ['record -z3 ./app', 'record -z3 ./app'],
    ['record --off-cpu=only ./app', 'record --off-cpu=only ./app'],
    ['record -z -g ./app', 'record -z -g ./app'],
    ['record -z -- ./app', 'record -z -- ./app'],
    ['record -z 3 -- ./app', 'record -z 3 -- ./app'],
    ['record -F -z ./app', 'record -F -z ./app'],
    ['record ./app -z x y', 'record ./app -z x y'],
  ])('%s', (line, expected) => {
    expect(fromPerfWords(line.split(' '), record).join(' ')).toBe(expected);
  });
});

describe('the flags of report as perf means them', () => {
  const given = { sort: 'sym' };
  const read = (flags: object, word?: string) => asPerfMeans(word, { ...given, ...flags });

  it.each([
    ['caller', 'caller', { tree: true }],
    ['graph,0.5,caller', 'caller', { tree: true, percentLimit: '0.5' }],
    ['graph,0.5,0,callee,function,percent', 'callee', { tree: true, percentLimit: '0.5' }],
  ])('-g %s is a tree', (callGraph, treeOrder, flags) => {
    expect(read({ callGraph })).toMatchObject({ treeOrder, flags });
  });

  it('the word behind -n and -g is the recording where it is no value', () => {
    const file = import.meta.filename;
    expect(read({ limit: file })).toMatchObject({ file, flags: { limit: true } });
    expect(read({ callGraph: file })).toMatchObject({ file, flags: { tree: true } });
    expect(() => read({ limit: 'no.data' })).toThrow('-n takes a number of rows');
    expect(read({ limit: '5' }, 'a.data')).toMatchObject({
      file: 'a.data',
      flags: { limit: '5' },
    });
    expect(() => read({ callGraph: 'b.data' }, 'a.data')).toThrow(UsageError);
  });

  it('a word that is no number and no file is kept for the check of the number', () => {
    expect(read({ limit: '-5' })).toMatchObject({ file: undefined, flags: { limit: '-5' } });
    expect(read({ limit: '5x' })).toMatchObject({ file: undefined, flags: { limit: '5x' } });
  });

  it('-g none is the flat table, and a kind of graph that does not exist is refused', () => {
    expect(read({ callGraph: 'none' }).flags.tree).toBeUndefined();
    expect(() => read({ callGraph: 'fractal,0.5' })).toThrow(/no fractal/);
  });
});
