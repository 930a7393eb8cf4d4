import { describe, expect, test } from 'vitest';
import { nameScripts } from '../../../src/code/javascript/name-scripts.ts';
import { ScriptFunctions } from '../../../src/code/javascript/script-functions.ts';
import { SourceMap } from '../../../src/code/javascript/source-map.ts';
import type { GroupKey } from '../../../src/profile/analysis/group-keys.ts';
import { computeGroupedReport } from '../../../src/profile/analysis/grouped-report.ts';
import { findFunctions } from '../../../src/profile/analysis/select/find-functions.ts';
import { FUNC_CATEGORIES, type Profile, TIERS } from '../../../src/profile/types.ts';
import { parseScript } from '../../../src/read/jit/parse-script.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

const JIT = '[JIT] tid 1';

/** Functions in order, each with its category and where it begins. */
function funcs({ funcs: table, strings }: Profile): string[] {
  return Array.from({ length: table.length }, (_, func) => {
    const file = table.file[func];
    const place = file < 0 ? '-' : `${strings[file]}:${table.line[func]}:${table.column[func]}`;
    const category = FUNC_CATEGORIES[table.category[func]];
    return `${strings[table.name[func]]} | ${category} | ${place}`;
  });
}

function tiers({ frames }: Profile): string[] {
  return Array.from(frames.tier, (tier) => TIERS[tier] as string);
}

describe('functions of JavaScript', () => {
  test("one function in several tiers is one; the tier is the frame's", () => {
    const profile = withScripts(
      profileFromText(`
        main                                     main
        JS:~work /srv/app.js:3:14@[JIT] tid 1    JS:*work /srv/app.js:3:14@[JIT] tid 1
      `),
    );
    checkProfile(profile);
    expect(funcs(profile)).toEqual([
      'main | native | -',
      'work /srv/app.js:3 | user code | /srv/app.js:3:14',
    ]);
    expect(tiers(profile)).toEqual(['none', 'interpreter', 'TurboFan']);
  });

  test('a regular expression is one function for letters of both widths, by its source and flags', () => {
    const named = new Map([
      ['narrow', "RegExp.> src: '(\\w+) '(?=x)' flags: 'gu'"],
      ['wide', "RegExp.< src: '(\\w+) '(?=x)' flags: 'gu'"],
      ['older', 'RegExp:a+'],
    ]);
    const drawn = profileFromText(`
      narrow@${JIT}    wide@${JIT}    older@${JIT}
    `);
    const profile = withScripts({
      ...drawn,
      strings: drawn.strings.map((text) => named.get(text) ?? text),
    });
    checkProfile(profile);
    expect(funcs(profile)).toEqual(["RegExp:/(\\w+) '(?=x)/gu | V8 | -", 'RegExp:a+ | V8 | -']);
  });

  test('a function of JavaScriptCore is one in all tiers, and has its hash where names are equal', () => {
    const profile = withScripts(
      profileFromText(`
        JSC-Baseline: area#Bd7NeX@${JIT}    JSC-FTL: area#Bd7NeX@${JIT}    JSC-DFG: parse#Aa8eyN@${JIT}    JSC-DFG: parse#BKpqQ1@${JIT}
      `),
    );
    checkProfile(profile);
    expect(funcs(profile)).toEqual([
      'area | user code | -',
      'parse #Aa8eyN | user code | -',
      'parse #BKpqQ1 | user code | -',
    ]);
    expect(tiers(profile)).toEqual(['baseline', 'FTL', 'DFG', 'DFG']);
  });

  test('scripts that Deno made of a file have the lines of its map in the cache, or none', () => {
    const profile = () =>
      profileFromText(`
        JS:*once file:///srv/app.ts:1:11@${JIT}    JS:*other file:///srv/b.tsx:1:11@${JIT}    JS:*plain file:///srv/c.js:1:11@${JIT}
      `);
    const map = SourceMap.from(
      { version: 3, sources: ['/srv/app.ts'], names: [], mappings: 'AAMA' },
      '/srv/app.ts',
    );
    const sourceMaps = {
      find: () => null,
      findEmitted: (script: string) => (script.endsWith('/app.ts') ? map : null),
    };
    const options = { sourceMaps, directory: '/srv', simplify: 'none' } as const;
    expect(funcs(nameScripts(profile(), { ...options, isOfDeno: () => true }))).toEqual([
      'once app.ts:7 | user code | /srv/app.ts:7:1',
      'other b.tsx | user code | /srv/b.tsx:0:0',
      'plain c.js:1 | user code | /srv/c.js:1:11',
    ]);
    expect(funcs(nameScripts(profile(), { ...options, isOfDeno: () => false }))[0]).toBe(
      'once app.ts:1 | user code | /srv/app.ts:1:11',
    );
  });

  test('functions of copies of a package are as many rows, by their whole paths', () => {
    const place = 'node_modules/p/i.js:3:1@[JIT] tid 1';
    const text = `JS:*f /srv/${place}    JS:*f /opt/${place}    JS:*g /opt/${place}`;
    const profile = nameScripts(profileFromText(text), {
      sourceMaps: null,
      directory: '/srv',
      simplify: 'none',
    });
    expect(funcs(profile).map((name) => name.split(' |')[0])).toEqual([
      'f /srv/node_modules/p/i.js:3',
      'f /opt/node_modules/p/i.js:3',
      'g p/i.js:3',
    ]);
  });

  test('functions of evaluated code that share a name are told apart by their places', () => {
    const [one, other] = ['JS:*handler :1:18@[JIT] tid 1', 'JS:*handler :3:18@[JIT] tid 1'];
    const profile = withScripts(profileFromText(`${one}    ${other}    JS:*only :3:9@[JIT] tid 1`));
    const names = funcs(profile).map((name) => name.split(' |')[0]);
    expect(names).toEqual(['handler :1:18', 'handler :3:18', 'only']);
  });

  test('an evaluated function is where it was asked for, and of whoever asked', () => {
    const lib = '/srv/node_modules/ajv/lib.js';
    const profile = withScripts(
      profileFromText(`
        JS:*new Function in compile ${lib}:120:7@${JIT}    JS:*new Function in compile ${lib}:120:7@${JIT}
        JS:~check evaluated in compile ${lib}:120:7@${JIT}    JS:~function at 3:4 evaluated in compile ${lib}:120:7@${JIT}
      `),
      { find: () => null, mayBegin: () => false },
    );
    checkProfile(profile);
    const place = `ajv/lib.js:120 | dependency | ${lib}:120:7`;
    expect(funcs(profile)).toEqual([
      `new Function in compile ${place}`,
      `check evaluated in compile ${place}`,
      `function at 3:4 evaluated in compile ${place}`,
    ]);
    const { strings, funcs: table } = profile;
    const v8Names = Array.from(table.v8Name ?? [], (name) => strings[name]);
    expect(v8Names).toEqual(['(anonymous)', 'check', '(anonymous)']);
  });

  test('a script has the lines that it had in each process', () => {
    const mapTo = (line: string) =>
      SourceMap.from({ version: 3, sources: ['w.ts'], names: [], mappings: `AA${line}A` }, '/w.js');
    const find = (_script: string, pid: number | null = null) => mapTo(pid === 2 ? 'Y' : 'C');
    const text = 'JS:*f /w.js:1:9@[JIT] tid 1    JS:*f /w.js:1:9@[JIT] tid 2';
    const options = { sourceMaps: { find }, directory: '/', simplify: 'none' } as const;
    const names = funcs(nameScripts(profileFromText(text), options));
    expect(names).toEqual([
      'f /w.ts:2 | user code | /w.ts:2:1',
      'f /w.ts:13 | user code | /w.ts:13:1',
    ]);
  });

  test('a report by tier or category has a row for each', () => {
    const text = `
      period  5                                        3                                        2
              main                                     main                                     main
              JS:~work /srv/app.js:3:14@[JIT] tid 1    JS:*work /srv/app.js:3:14@[JIT] tid 1
    `;
    const profile = withScripts(profileFromText(text));
    const weights = simpleWeights(profile, 'period');
    const rowsBy = (...keys: GroupKey[]) =>
      computeGroupedReport(profile, weights, Int32Array.of(0, 1, 2), keys).rows.map(
        ({ names, self, total }) => `${names.join(' | ')}: ${self}/${total}`,
      );
    expect(rowsBy('sym', 'tier')).toEqual([
      'work /srv/app.js:3 | interpreter: 5/5',
      'work /srv/app.js:3 | TurboFan: 3/3',
      'main | none: 2/10',
    ]);
    expect(rowsBy('category')).toEqual(['user code: 8/8', 'native: 2/10']);
  });

  test('functions of JavaScript have a category by the owner of their code', () => {
    const profile = withScripts(
      profileFromText(`
        JS:~main file:///srv/a%20b/app.mjs:3:14@${JIT}
        JS:^get /srv/node_modules/express/lib/router.js:7:3@${JIT}
        JS:*emit node:events:471:44@${JIT}
        Builtins_ArrayMap
        v8::internal::Invoke(int)
        node::Start(int)
        read@libc.so.6
        sys_read@[kernel.kallsyms]
      `),
    );
    expect(funcs(profile).map((line) => line.split(' | ').slice(0, 2))).toEqual([
      ['main /srv/a b/app.mjs:3', 'user code'],
      ['get express/lib/router.js:7', 'dependency'],
      ['emit node:events:471', 'node internal'],
      ['Builtins_ArrayMap', 'V8'],
      ['v8::internal::Invoke(int)', 'V8'],
      ['node::Start(int)', 'node internal'],
      ['read', 'libc'],
      ['sys_read', 'kernel'],
    ]);
  });

  test('anonymous functions of one line differ by column; names stay short below a directory', () => {
    const text = `
      JS:~ /srv/app.js:3:14@${JIT}
      JS:~ /srv/app.js:3:40@${JIT}
      JS:~f /srv/lib/f.js:5:2@${JIT}
      Script:~ /srv/app.js:1:1@${JIT}
    `;
    const options = { sourceMaps: null, directory: '/srv', simplify: 'interpreter' } as const;
    const { strings, funcs: table } = nameScripts(profileFromText(text), options);
    expect(Array.from(table.name, (name) => strings[name])).toEqual([
      '(anonymous) app.js:3:14',
      '(anonymous) app.js:3:40',
      'f lib/f.js:5',
      '(module) app.js:1',
    ]);
  });

  test('names of ahead-of-time code stay, whatever they look like', () => {
    const profile = withScripts(profileFromText('JS:~work /srv/app.js:3:14@/srv/app'));
    expect(funcs(profile)).toEqual(['JS:~work /srv/app.js:3:14 | user code | -']);
  });
});

describe('source maps', () => {
  // One line of code that was `function first` on line 2 and `export function second` on line 7.
  //   function a(){}function b(){}
  //   0        9    14       23
  const map = SourceMap.from(
    {
      version: 3,
      sources: ['../src/app.ts'],
      names: ['first', 'second'],
      // columns 0, 9 (first), 10; 14, 23 (second), 24
      mappings: 'AACA,SAASA,CAAI,IAKN,SAASC,CAAM',
    },
    '/srv/dist/app.js.map',
  )!;

  test('a source map gives the original name and line', () => {
    expect(map.find(1, 11, 'a')).toMatchObject({
      source: '/srv/src/app.ts',
      line: 2,
      name: 'first',
    });
    expect(map.find(1, 25, 'b')).toMatchObject({ line: 7, name: 'second' });
    // Nothing is known of an anonymous function's name.
    expect(map.find(1, 11, '')?.name).toBeNull();
    expect(map.find(9, 1, 'a')).toBeNull();
  });

  test('a source of an evaluated module that is an absolute path is that file', () => {
    const url = 'webpack-internal:///(rsc)/./app/page.tsx';
    const map = { version: 3, sources: ['/srv/app/page.tsx', './cart.ts'], names: [] };
    const found = SourceMap.from({ ...map, mappings: 'AAAA;ACAA' }, url)!;
    expect(found.findPlace(1, 1)?.source).toBe('/srv/app/page.tsx');
    expect(found.findPlace(2, 1)?.source).toBe('webpack-internal:///(rsc)/app/cart.ts');
  });

  test("a constructor keeps the name of its class where the map's is `constructor`", () => {
    const ofClass = SourceMap.from(
      // class B{constructor(){}}: columns 8 (constructor), 19
      { version: 3, sources: ['b.ts'], names: ['constructor'], mappings: 'QAEEA,WAAW' },
      '/srv/dist/b.js',
    )!;
    expect(ofClass.find(1, 20, 'B')).toMatchObject({ line: 3, name: null });
  });

  test("the name in the source's text comes before those of the bundler", () => {
    // var n=e=>e,s={onTick:function(){}}; columns 4 (n), 6 (e), 11 (s), 21 (function)
    const text =
      'export const work = (a: number) => a;\nconst h = { onTick() {} };\nexport default h;';
    const ofText = SourceMap.from(
      {
        version: 3,
        sources: ['c.ts'],
        sourcesContent: [text],
        names: ['made_up'],
        mappings: 'IAAaA,EAAQ,KACf,UAAM',
      },
      '/srv/dist/c.js',
      { locate: (_, resolved) => resolved, read: () => null },
    )!;
    expect(ofText.find(1, 7, 'n')).toMatchObject({ line: 1, name: 'work' });
    expect(ofText.find(1, 30, '')).toMatchObject({ line: 2, name: 'onTick' });
    expect(ofText.find(1, 30, 'h.onTick')?.name).toBeNull();
    // Code without a place of its own has that of what stands before it.
    expect(ofText.find(1, 300, '')?.name).toBeNull();
  });

  test('a line of code without columns, as in Node 18, has a place where all of it has one', () => {
    const lines = SourceMap.from(
      // Line 2 is of line 5 of the source alone; line 1 is of lines 2 and 7.
      { version: 3, sources: ['a.ts'], names: [], mappings: 'AACA,SAKA;AAFA,SAAA' },
      '/srv/dist/a.js',
    )!;
    expect(lines.findOnLine(2, 'f')).toEqual({
      source: '/srv/dist/a.ts',
      line: 5,
      column: 0,
      name: null,
    });
    expect(lines.findOnLine(1, 'f')).toBeNull();
    expect(lines.findOnLine(9, 'f')).toBeNull();
    // A name that the map has once on the line.
    expect(map.findOnLine(1, 'second')).toMatchObject({ line: 7 });
  });

  test('source maps give functions the names in their source', () => {
    const profile = withScripts(
      profileFromText(`
        JS:*a /srv/dist/app.js:1:11@${JIT}
        JS:~b /srv/dist/app.js:1:25@${JIT}
        JS:~b /srv/dist/other.js:1:25@${JIT}
      `),
      { find: (script) => (script === '/srv/dist/app.js' ? map : null) },
    );
    checkProfile(profile);
    expect(funcs(profile).map((line) => line.split(' | ')[0])).toEqual([
      'first /srv/src/app.ts:2',
      'second /srv/src/app.ts:7',
      'b /srv/dist/other.js:1',
    ]);
  });

  test('one function at an impossible place takes the lines of its whole script', () => {
    const profile = withScripts(
      profileFromText(`
        JS:*a /srv/made.ts:1:11@${JIT}
        JS:~b /srv/made.ts:90:1@${JIT}
        JS:~c /srv/made.ts:7:5@${JIT}
        JS:~c /srv/made.ts:8:9@${JIT}
        JS:~ /srv/lost.ts:1:1@${JIT}
        JS:~e /srv/lost.ts:99:1@${JIT}
        JS:~d /srv/other.ts:7:5@${JIT}
      `),
      {
        find: (script) => (script === '/srv/made.ts' ? map : null),
        mayBegin: (_, line) => line < 90,
      },
    );
    checkProfile(profile);
    expect(funcs(profile).map((line) => line.split(' | ')[0])).toEqual([
      'first /srv/src/app.ts:2',
      'b /srv/made.ts',
      'c /srv/made.ts',
      '(module) /srv/lost.ts:1',
      'e /srv/lost.ts',
      'd /srv/other.ts:7',
    ]);
  });

  test.each(['', '{', '[]', 'null', '{"version":3}', '{"version":3,"mappings":7,"sources":[]}'])(
    'an invalid source map is refused or has no answer: %s',
    (text) => {
      expect(SourceMap.parse(text, '/a.js')?.find(1, 1, 'f') ?? null).toBeNull();
    },
  );
});

describe('functions that V8 has no name for', () => {
  const text =
    "api.get('/users', (req) => 1);\nfunction f() { return __awaiter(this, 0, 0, function* () {}); }\n";
  const sourceMaps = {
    find: () => null,
    functionsOf: () => new ScriptFunctions(text, parseScript(text, 'app.js')!),
  };

  test('a function has the name that the text of its script gives it, and keeps that of V8', () => {
    const profile = withScripts(
      profileFromText(`
        JS:~ /srv/app.js:1:19@${JIT}    JS:*f /srv/app.js:2:11@${JIT}    JS:~ /srv/app.js:2:55@${JIT}    JS:* /srv/app.js:1:1@${JIT}
      `),
      sourceMaps,
    );
    checkProfile(profile);
    expect(funcs(profile)).toEqual([
      "api.get('/users') /srv/app.js:1 | user code | /srv/app.js:1:19",
      'f /srv/app.js:2 | user code | /srv/app.js:2:11',
      '(module) /srv/app.js:1 | user code | /srv/app.js:1:1',
    ]);
    const ofV8 = Array.from(profile.funcs.v8Name, (name) => profile.strings[name] ?? null);
    expect(ofV8).toEqual(['(anonymous)', null, null]);
    for (const named of ["api.get('/users')", '(anonymous)', '(anonymous) /srv/app.js:1']) {
      expect(findFunctions(profile, named)).toEqual([0]);
    }
  });

  test('the first line is the body of the module where no function begins on it and V8 has no columns', () => {
    const named = (program: string) =>
      funcs(
        withScripts(profileFromText(`LazyCompile:* /srv/app.js:1@${JIT}`), {
          find: () => null,
          functionsOf: () => new ScriptFunctions(program, parseScript(program, 'app.js')!),
        }),
      )[0].split(' |')[0];
    expect(named('function f() {}\nlist.map((x) => x);')).toBe('(module) /srv/app.js:1');
    expect(named('list.map((x) => x);')).toBe('list.map callback /srv/app.js:1');
    expect(named('a((x) => x); b((x) => x);')).toBe('(anonymous) /srv/app.js:1');
  });

  test('a function has the name of its source where the map has its first parameter and not its parenthesis', () => {
    const source = 'rows.sort((a, b) => a - b); rows.map((c) => (d) => d);\n';
    const files = {
      ...{ locate: () => '/srv/src/app.ts', read: () => source },
      functionsOf: () => new ScriptFunctions(source, parseScript(source, 'app.ts')!),
    };
    // rows, sort, a; rows, map, d.
    const mappings = 'AAAA,KAAK,MAAM,iBAAiB,KAAK,YAAY';
    const map = SourceMap.from(
      { version: 3, sources: ['app.ts'], names: [], mappings },
      '/srv/app.js.map',
      files,
    );
    expect(map?.describe(1, 11)?.name).toBe('rows.sort callback');
    // Two functions begin between the places that the map has.
    expect(map?.describe(1, 38)?.name).toBeUndefined();
  });

  test('a function is the only one of its source between two places, however much a compiler wrote in front of it', () => {
    const source = 'const a = computed(() => 1);\n';
    const files = {
      ...{ locate: () => '/srv/src/app.ts', read: () => source },
      functionsOf: () => new ScriptFunctions(source, parseScript(source, 'app.ts')!),
    };
    // `const`, `computed`, and the arrow's body 50 columns further out.
    const mappings = 'AAAA,UAAU,kDAAe';
    const map = SourceMap.from(
      { version: 3, sources: ['app.ts'], names: [], mappings },
      '/srv/app.js.map',
      files,
    );
    expect(map?.describe(1, 55)?.name).toBe('computed callback of a');
  });

  test('code that a compiler made of a component beside its functions is called by it, and is own', () => {
    const source = '<script>\nconst f = () => 1;\nlist.map((x) => x);\n</script>\n<p>{f()}</p>\n';
    const path = '/srv/app.svelte';
    const files = {
      ...{ locate: () => path, read: () => source },
      functionsOf: () => new ScriptFunctions(source, parseScript(source, path)!),
    };
    // Line 3 is of the script's third, line 4 of the markup; the others lead nowhere.
    const mappings = ';;AAEA,SAAS;AAET';
    const map = SourceMap.from({ version: 3, sources: [path], names: [], mappings }, path, files);
    const profile = withScripts(
      profileFromText(`
        JS:~ ${path}:1:26@${JIT}    JS:~App ${path}:2:14@${JIT}    JS:~ ${path}:3:10@${JIT}    JS:~ ${path}:4:30@${JIT}
      `),
      { find: () => map },
    );
    expect(funcs(profile)).toEqual([
      `(component) ${path}:1 | user code | ${path}:1:1`,
      `App ${path} | user code | ${path}:0:0`,
      `list.map callback ${path}:3 | user code | ${path}:3:10`,
      `(component) ${path}:5 | user code | ${path}:5:1`,
    ]);
  });

  test('the function that a loader puts around a module in memory is the module, and others that it adds have no line', () => {
    const path = '/srv/app.ts';
    const map = SourceMap.from(
      { version: 3, sources: [path], names: [], mappings: ';;AAAA' },
      path,
    );
    const profile = withScripts(
      profileFromText(`
        JS:~ ${path}:1:26@${JIT}    JS:~__name ${path}:2:14@${JIT}
      `),
      { find: () => map },
    );
    expect(funcs(profile)).toEqual([
      `(module) ${path}:1 | user code | ${path}:1:1`,
      `__name ${path} | dependency | ${path}:0:0`,
    ]);
  });

  test('a text in which a function of the script does not begin where V8 says names none', () => {
    const profile = withScripts(
      profileFromText(`
        JS:~ /srv/app.js:1:19@${JIT}    JS:*g /srv/app.js:2:12@${JIT}
      `),
      sourceMaps,
    );
    expect(funcs(profile)[0]).toMatch(/^\(anonymous\)/);
  });
});
