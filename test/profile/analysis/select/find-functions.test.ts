import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/base/errors.ts';
import {
  findFunctions,
  functionsNamed,
  readFunctionPattern,
} from '../../../../src/profile/analysis/select/find-functions.ts';
import { funcLabel } from '../../../../src/profile/func-label.ts';
import { profileFromText } from '../../../helpers/profile-from-text.ts';
import { withScripts } from '../../../helpers/with-scripts.ts';

const JIT = '[JIT] tid 1';
const profile = withScripts(
  profileFromText(`
    main                                                        main                                                        main
    JS:~parse /srv/lib/app.js:4:10@${JIT}                  JS:~parse /srv/other.js:9:3@${JIT}                     sort<int*>(int*, int*)@libx.so
    JS:~parseAll /srv/lib/app.js:40:10@${JIT}              JS:~get path /srv/a b/c.js:1:3@${JIT}                  [unknown]@libc.so.6
    busy_part.constprop.0@app                                   busy_part.isra.1.cold@app                                   busy_partial@app
  `),
);

function named(text: string): string[] {
  return findFunctions(profile, text).map((func) => funcLabel(profile, func));
}

const PARSE = 'parse /srv/lib/app.js:4';
const OTHER = 'parse /srv/other.js:9';
const ALL = 'parseAll /srv/lib/app.js:40';
const PATH = 'get path /srv/a b/c.js:1';
const SORT = 'sort<int*>(int*, int*)';
const [COPIED, SPLIT] = ['busy_part.constprop.0', 'busy_part.isra.1.cold'];

describe('a text that names functions', () => {
  test.each([
    ['the whole label', PARSE, [PARSE]],
    ['a name that several have', 'parse', [PARSE, OTHER]],
    ['a name and a file', 'parse app.js', [PARSE]],
    ['a name and the end of a path', 'parse lib/app.js', [PARSE]],
    ['a name, a file and a line', 'parse app.js:4', [PARSE]],
    ['a name, a file, and a line of another function', 'parse app.js:5', []],
    ['a name and a part of a file name', 'parse pp.js', []],
    ['a name with a space', 'get path', [PATH]],
    ['a name and a file with spaces', 'get path a b/c.js', [PATH]],
    ['a name without template arguments and parameters', 'sort', [SORT]],
    ['a name without parameters', 'sort<int*>', [SORT]],
    ['a name without what a compiler made of it', 'busy_part', [COPIED, SPLIT]],
    ['a part of a name', 'pars', []],
    ['a glob over labels', 'parse*app.js:*', [PARSE, ALL]],
    ['a glob over names', '*All', [ALL]],
    ['a regular expression', '/^parse.*:\\d$/', [PARSE, OTHER]],
    ['a regular expression with a flag', '/PARSEALL/i', [ALL]],
    ['a DSO for code without a symbol', '[libc.so.6]', ['[libc.so.6]']],
    ['code without a symbol', '[unknown]', ['[libc.so.6]']],
  ])('fits by %s', (_, text, labels) => {
    expect(named(text)).toEqual(labels);
  });

  test('a name fits a label whose path is not known', () => {
    const pattern = readFunctionPattern('parse app.js');
    expect(pattern('parse app.js:4')).toBe('part');
    expect(pattern('parse lib/app.js:4:2')).toBe('part');
    expect(pattern('parse myapp.js:4')).toBe('none');
    expect(pattern('parse app.js')).toBe('whole');
  });

  test('a name is refused with the nearest labels where no function is called so', () => {
    expect(() => functionsNamed(profile, 'parze')).toThrow(UsageError);
    expect(() => functionsNamed(profile, 'parze')).toThrow(/parze: no function/);
    try {
      functionsNamed(profile, 'parzeAll');
    } catch (error) {
      expect((error as UsageError).hints.join()).toContain(ALL);
    }
    expect.assertions(3);
  });

  test('a name between slashes is refused where it is no regular expression', () => {
    expect(() => findFunctions(profile, '/(/')).toThrow(UsageError);
  });
});
