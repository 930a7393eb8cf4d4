import { describe, expect, it } from 'vitest';
import { matchFunctions, matchRuns } from '../../../src/profile/analysis/match-functions.ts';
import type { Dso, Profile } from '../../../src/profile/types.ts';

type DrawnDso = Partial<Dso> & {
  readonly name: string;
  readonly functions: readonly string[];
  /** The file of all of them. */
  readonly file?: string;
};

/** A profile of nothing but these DSOs with these functions. */
function profileOf(...drawn: readonly DrawnDso[]): Profile {
  const strings: string[] = [];
  const name: number[] = [];
  const dso: number[] = [];
  const file: number[] = [];
  for (const [index, { functions, file: path }] of drawn.entries()) {
    for (const text of functions) {
      dso.push(index);
      name.push(strings.push(text) - 1);
      file.push(path === undefined ? -1 : strings.push(path) - 1);
    }
  }
  const dsos = drawn.map(({ functions: _, file: __, ...known }) => ({
    kind: 'user' as const,
    path: `/usr/bin/${known.name}`,
    buildId: null,
    ...known,
  }));
  const funcs = {
    length: name.length,
    name: Int32Array.from(name),
    dso: Int32Array.from(dso),
    file: Int32Array.from(file),
  };
  return { strings, dsos, funcs } as unknown as Profile;
}

/** `here = there` for functions that are the same, by name and DSO. */
function pairs(mine: Profile, other: Profile): string[] {
  const matched = matchFunctions(mine, other);
  const label = ({ strings, dsos, funcs }: Profile, func: number) =>
    `${strings[funcs.name[func]]}@${dsos[funcs.dso[func]].name}`;
  const found: string[] = [];
  for (let a = 0; a < mine.funcs.length; a++) {
    for (let b = 0; b < other.funcs.length; b++) {
      if (matched.mine[a] === matched.other[b])
        found.push(`${label(mine, a)} = ${label(other, b)}`);
    }
  }
  return found;
}

const JIT = { kind: 'jit' } as const;

describe('functions of two recordings', () => {
  it('functions of JIT code match in another process', () => {
    const mine = profileOf({ ...JIT, name: '[JIT] tid 7', functions: ['parse app.js:1'] });
    const other = profileOf({ ...JIT, name: '[JIT] tid 8', functions: ['parse app.js:1', 'x'] });
    expect(pairs(mine, other)).toEqual(['parse app.js:1@[JIT] tid 7 = parse app.js:1@[JIT] tid 8']);
    expect(matchFunctions(mine, other).renamed).toEqual([]);
  });

  it('functions of JavaScript match by the whole path, where one recording shows a part of it', () => {
    const file = '/srv/src/app.js';
    const mine = profileOf({
      ...JIT,
      name: '[JIT] tid 7',
      file,
      functions: ['parse src/app.js:1'],
    });
    const whole = ['parse /srv/src/app.js:1'];
    const other = profileOf({ ...JIT, name: '[JIT] scripts', file, functions: whole });
    expect(pairs(mine, other)).toEqual([
      'parse src/app.js:1@[JIT] tid 7 = parse /srv/src/app.js:1@[JIT] scripts',
    ]);
    const moved = ['parse /srv/src/app.js:5'];
    const later = profileOf({ ...JIT, name: '[JIT] scripts', file, functions: moved });
    expect(pairs(mine, later)).toHaveLength(1);
  });

  it('functions of JavaScript match after their lines moved, if the name is unique', () => {
    const names = ['parse app.js:1', 'get app.js:10', 'get app.js:20'];
    const mine = profileOf({ ...JIT, name: '[JIT] tid 7', functions: names });
    const moved = ['parse app.js:4', 'get app.js:14', 'get app.js:24'];
    const other = profileOf({ ...JIT, name: '[JIT] tid 8', functions: moved });
    expect(pairs(mine, other)).toEqual(['parse app.js:1@[JIT] tid 7 = parse app.js:4@[JIT] tid 8']);
  });

  it.each([
    ['app-v2', 'app-v1'],
    ['libfoo.so.1.3', 'libfoo.so.1.2'],
    ['python3.12', 'python3.11'],
    ['app', 'app.old'],
  ])('functions of %s match those of %s, with a note', (name, otherName) => {
    const mine = profileOf({ name, functions: ['run', 'added'] });
    const other = profileOf({ name: otherName, functions: ['run', 'gone'] });
    expect(pairs(mine, other)).toEqual([`run@${name} = run@${otherName}`]);
    expect(matchFunctions(mine, other).renamed).toEqual([{ name, otherName }]);
  });

  it('functions of a program in another folder match without a note', () => {
    const mine = profileOf({ name: 'app', path: '/opt/new/app', functions: ['run'] });
    const other = profileOf({ name: 'app', path: '/opt/old/app', functions: ['run'] });
    expect(pairs(mine, other)).toEqual(['run@app = run@app']);
    expect(matchFunctions(mine, other).renamed).toEqual([]);
  });

  it('functions of one build ID match under any file name', () => {
    const mine = profileOf({ name: 'service', buildId: 'ab12', functions: ['run'] });
    const other = profileOf({ name: 'a.out', buildId: 'ab12', functions: ['run'] });
    expect(pairs(mine, other)).toEqual(['run@service = run@a.out']);
    expect(matchFunctions(mine, other).renamed).toEqual([{ name: 'service', otherName: 'a.out' }]);
  });

  it('functions of other programs never match, however alike their names', () => {
    const mine = profileOf({ name: 'app-v2', functions: ['main', 'draw', 'paint'] });
    const other = profileOf({ name: 'app-v1', functions: ['main', 'sort', 'merge'] });
    expect(pairs(mine, other)).toEqual([]);
  });

  it('two versions of a program in one recording are not matched', () => {
    const mine = profileOf(
      { name: 'libfoo.so.1.2', functions: ['run'] },
      { name: 'libfoo.so.1.3', functions: ['run'] },
    );
    const other = profileOf({ name: 'libfoo.so.1.4', functions: ['run'] });
    expect(pairs(mine, other)).toEqual([]);
    const { mine: ids } = matchFunctions(mine, other);
    expect(ids[0]).not.toBe(ids[1]);
    expect(pairs(mine, mine)).toEqual([
      'run@libfoo.so.1.2 = run@libfoo.so.1.2',
      'run@libfoo.so.1.3 = run@libfoo.so.1.3',
    ]);
  });

  it('functions of one name in two files of one recording are not matched', () => {
    const mine = profileOf(
      { name: 'app', path: '/a/app', functions: ['run'] },
      { name: 'app', path: '/b/app', functions: ['run'] },
    );
    expect(pairs(mine, mine)).toHaveLength(2);
  });

  it('a program under two names is one if most of its functions are in both', () => {
    const mine = profileOf({ name: 'slow', functions: ['main', 'parse', 'render', 'fresh'] });
    const other = profileOf(
      { name: 'fast', functions: ['main', 'parse', 'render', 'gone'] },
      { name: 'tool', functions: ['main', 'sort'] },
    );
    expect(pairs(mine, other)).toEqual([
      'main@slow = main@fast',
      'parse@slow = parse@fast',
      'render@slow = render@fast',
    ]);
    // Two may be meant.
    const twice = profileOf(
      { name: 'fast', functions: ['main', 'parse', 'render'] },
      { name: 'faster', functions: ['main', 'parse', 'render'] },
    );
    expect(pairs(mine, twice)).toEqual([]);
  });

  it('functions that are called by where they begin match in the same build only', () => {
    const drawn = (buildId: string) =>
      profileOf({ name: 'app', buildId, functions: ['sub_1149', 'exported'] });
    expect(pairs(drawn('7f'), drawn('7f'))).toEqual([
      'sub_1149@app = sub_1149@app',
      'exported@app = exported@app',
    ]);
    expect(pairs(drawn('7f'), drawn('80'))).toEqual(['exported@app = exported@app']);
  });
});

describe('functions of several recordings', () => {
  it('functions have one number in all recordings, also those that the first does not have', () => {
    const first = profileOf({ name: 'app', functions: ['run', 'old'] });
    const second = profileOf({ name: 'app', functions: ['fresh', 'run'] });
    const third = profileOf({ name: 'app', functions: ['run', 'fresh'] });
    const { ids, renamed } = matchRuns([first], [second, third]);
    const numbers = [first, second, third].map((profile, run) =>
      Object.fromEntries(
        Array.from(ids[run], (id, func) => [profile.strings[profile.funcs.name[func]], id]),
      ),
    );
    const [{ run, old }, { fresh }] = numbers;
    expect(numbers).toEqual([
      { run, old },
      { run, fresh },
      { run, fresh },
    ]);
    expect(new Set([run, old, fresh]).size).toBe(3);
    expect(renamed).toEqual([]);
  });
});
