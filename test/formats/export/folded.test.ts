import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  escapeComm,
  escapeFrameName,
  type FoldedOptions,
  tidyName,
  writeFolded,
} from '../../../src/formats/export/folded.ts';
import type { Profile, WeightKind } from '../../../src/profile/types.ts';
import { outdent } from '../../helpers/format-tree.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
import { collect } from '../../helpers/round-trip.ts';

function folded(profile: Profile, options: FoldedOptions = {}, kind: WeightKind = 'samples') {
  return collect((write) => writeFolded(profile, simpleWeights(profile, kind), options, write));
}

describe('folded', () => {
  test('one sorted line per stack, from the comm to the leaf', () => {
    const profile = profileFromText(`
      comm    node  node  gzip  node  node
      period  10    20    5     7     1
              main  main  main  main  -
              work  idle        work
    `);
    expect(folded(profile)).toBe(
      `${outdent(`
        gzip;main 1
        node 1
        node;main;idle 1
        node;main;work 2
      `)}\n`,
    );
    expect(folded(profile, {}, 'period')).toContain('node;main;work 17\n');
  });

  test('folded export takes the first event by default', () => {
    const profile = profileFromText(`
      event  cycles  page-faults  cycles
             main    main         main
             work    fault        work
    `);
    expect(folded(profile)).toBe('app;main;work 2\n');
    expect(folded(profile, { select: { event: 1 } })).toBe('app;main;fault 1\n');
  });

  test('folded names that differ behind a parenthesis stay apart unless --names tidy', () => {
    const profile = profileFromText(`
      main          main           main
      f(int)@a      f(char)@a      g<(h)(1)>::run@a
    `);
    const lines = (names?: 'tidy') =>
      folded(profile, names === undefined ? {} : { names })
        .trimEnd()
        .split('\n');
    expect(lines()).toEqual([
      'app;main;f(char) 1',
      'app;main;f(int) 1',
      'app;main;g<(h)(1)>::run 1',
    ]);
    expect(lines('tidy')).toEqual(['app;main;f 2', 'app;main;g< 1']);
  });

  test('code without a symbol is called by its DSO, without a mapping [unknown]', () => {
    const profile = profileFromText(`
      main                 main         main                         main
      [unknown]@libc.so.6  [unknown]@   [unknown]@[kernel.kallsyms]  [unknown]@[JIT] tid 12
    `);
    expect(folded(profile)).toBe(
      `${outdent(`
        app;main;[JIT] tid_12 1
        app;main;[[kernel.kallsyms]] 1
        app;main;[libc.so.6] 1
        app;main;[unknown] 1
      `)}\n`,
    );
  });

  test('folded frames of one name are one, whatever their DSO', () => {
    const profile = profileFromText(`
      main       main       main
      init@a     init@b     init(int)@a
      left       right      left
    `);
    expect(folded(profile, { names: 'tidy' })).toBe(
      'app;main;init;left 2\napp;main;init;right 1\n',
    );
    expect(folded(profile)).toContain('app;main;init(int);left 1\n');
  });

  test('lines are in order even where a name is the beginning of another', () => {
    const names = fc.constantFrom('a', 'a!', 'a b', 'a;', 'ab', 'a:', 'b', 'é', '\u{1f525}');
    const stacks = fc.array(fc.array(names, { minLength: 1, maxLength: 4 }), { maxLength: 20 });
    fc.assert(
      fc.property(stacks, (drawn) => {
        const deepest = Math.max(0, ...drawn.map((stack) => stack.length));
        const rows = Array.from({ length: deepest }, (_, depth) =>
          drawn.map((stack) => (stack[depth] ?? '').padEnd(6)).join(''),
        );
        const profile = profileFromText(rows.join('\n'));
        const lines = folded(profile).split('\n').slice(0, -1);
        const paths = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
        expect(paths).toEqual(paths.toSorted((a, b) => (a < b ? -1 : 1)));
        expect(new Set(paths).size).toBe(paths.length);
        const counted = lines.map((line) => Number(line.slice(line.lastIndexOf(' '))));
        expect(counted.reduce((sum, count) => sum + count, 0)).toBe(drawn.length);
      }),
    );
  });

  test('a stack of 20 000 frames is one line', () => {
    const profile = profileFromText(Array(20_000).fill('down').join('\n'));
    expect(folded(profile).split(';')).toHaveLength(20_001);
  });

  test('large outputs are handed over in parts', () => {
    const names = Array.from({ length: 40 }, (_, index) => `f${index}_${'x'.repeat(60_000)}`);
    const profile = profileFromText(names.join('  '));
    const parts: string[] = [];
    writeFolded(profile, simpleWeights(profile), {}, (part) => parts.push(part));
    expect(parts.length).toBeGreaterThan(1);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(2 ** 21);
    expect(parts.join('').split('\n')).toHaveLength(41);
  });

  test('an empty profile is an empty file', () => {
    expect(folded(profileFromText(''))).toBe('');
  });
});

describe('names in folded lines', () => {
  test.each([
    ['a;b', 'a:b'],
    ['f 12', 'f_12'],
    ['f 12.5', 'f_12.5'],
    ['f 1 2', 'f 1_2'],
    ['f 12 g', 'f 12 g'],
    ['JS:*handle /app/server.js:12:3', 'JS:*handle /app/server.js:12:3'],
    ['end  ', 'end_'],
    ['two\nlines', 'two\\x0alines'],
  ])('the folded name %j is written %j, and unchanged when read back', (name, written) => {
    expect(escapeFrameName(name)).toBe(written);
    expect(escapeFrameName(written)).toBe(written);
  });

  test('comms in folded lines have no spaces', () => {
    expect(escapeComm('V8 Worker;1')).toBe('V8_Worker:1');
  });

  test.each([
    ['std::sort(int*, int*)', 'std::sort'],
    ['(anonymous namespace)::run(int)', '(anonymous namespace)::run'],
    ['net/http.(*Client).Do', 'net/http.(*Client).Do'],
    ['RegExp:["\']', 'RegExp:[]'],
    ['(int)', '(int)'],
    ['plain', 'plain'],
  ])('%j is shortened to %j as stackcollapse-perf.pl does', (name, written) => {
    expect(tidyName(name)).toBe(written);
  });
});
