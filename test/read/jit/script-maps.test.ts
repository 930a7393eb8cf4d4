import { chmodSync, chownSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import type { ScriptName } from '../../../src/code/javascript/jsc-name.ts';
import { describeDiagnostics } from '../../../src/findings/diagnostic-text.ts';
import { ScriptMaps, type ScriptMapsOptions } from '../../../src/read/jit/script-maps.ts';
import { scratchDirectory } from '../../helpers/cli.ts';
import { NOBODY } from '../../helpers/nobody.ts';

const root = scratchDirectory();

/** `f` of line 1, column 11 was written on line 7 of `app.ts`. */
const MAP = { version: 3, sources: ['app.ts'], names: [], mappings: 'AAMA' };
const BASE64 = Buffer.from(JSON.stringify(MAP)).toString('base64');

function file(name: string, text: string): string {
  const path = join(root, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Where the function of a script was written, and what was counted. */
function find(script: string, options: Partial<ScriptMapsOptions> = {}) {
  const diagnostics = new Diagnostics();
  const maps = new ScriptMaps({ diagnostics, ...options });
  const place = maps.find(script)?.find(1, 11, 'f') ?? null;
  return {
    place: place === null ? null : `${place.source}:${place.line}`,
    counted: describeDiagnostics(diagnostics).map(({ reason }) => reason),
  };
}

test('a script of more than 4 MiB is counted as one that is not parsed for the names of its functions', () => {
  const diagnostics = new Diagnostics();
  const script = file('large.js', `setTimeout(() => 1);\n//${' '.repeat(4 << 20)}`);
  expect(new ScriptMaps({ diagnostics }).functionsOf(script)).toBeNull();
  expect(describeDiagnostics(diagnostics).map(({ reason }) => reason)).toEqual([
    'script too large, or one too many, to be parsed for the names of its functions',
  ]);
});

test('looking maps up, of scripts older or newer than the recording, leaves room to parse for names', () => {
  const last = file('many/last.js', `setTimeout(() => 1);\n//${' '.repeat(3 << 20)}`);
  const scripts = ['a', 'b', 'c'].map((name) =>
    file(`many/${name}.js`, `function f(){}\n//${' '.repeat(3 << 20)}${name}`),
  );
  const functionsOf = (script: string): ScriptName[] => {
    const place = script === last ? { name: '', column: 12 } : { name: 'f', column: 11 };
    return [{ kind: 'function', tier: 'none', file: script, line: 1, hash: '', ...place }];
  };
  for (const writtenS of [1000, 3000]) {
    const options = { diagnostics: new Diagnostics(), recordedMs: 2_000_000, functionsOf };
    const maps = new ScriptMaps(options);
    utimesSync(last, 1000, 1000);
    for (const script of scripts) {
      utimesSync(script, writtenS, writtenS);
      maps.find(script);
    }
    expect(maps.functionsOf(last)?.find(1, 12)?.name).toBe('setTimeout callback');
  }
});

describe('the source map of a script', () => {
  test('a script below a file, as Yarn names those in its zips, has no map', () => {
    const zip = file('cache/a.zip', 'PK');
    expect(find(`${zip}/node_modules/a/index.js`)).toEqual({ place: null, counted: [] });
  });

  test('a source map next to the script is found by path and by URL', () => {
    file('beside/app.js.map', JSON.stringify(MAP));
    const script = file('beside/app.js', 'function f(){}\n//# sourceMappingURL=app.js.map\n');
    const expected = { place: join(root, 'beside/app.ts:7'), counted: [] };
    expect(find(script)).toEqual(expected);
    expect(find(`file://${script}?v=1`)).toEqual(expected);
    expect(find(script.slice(root.length), { symfs: root }).place).toBe('/beside/app.ts:7');
  });

  test('an inline source map is read, however long', () => {
    const long = { ...MAP, sourcesContent: ['x'.repeat(100_000)] };
    const data = Buffer.from(JSON.stringify(long)).toString('base64');
    const url = `data:application/json;charset=utf-8;base64,${data}`;
    const script = file('inline.js', `function f(){}\n//# sourceMappingURL=${url}`);
    expect(find(script).place).toBe(join(root, 'app.ts:7'));
    const plain = `data:application/json,${encodeURIComponent(JSON.stringify(MAP))}`;
    expect(find(file('plain.js', `f()\n//# sourceMappingURL=${plain}\n`)).place).not.toBeNull();
  });

  test("a noted map has the sources' texts of the same map on disk, and of their files", () => {
    const map = { version: 3, sources: ['../src/t.ts'], names: [], mappings: 'UAAoB' };
    const onDisk = (mappings: string) => {
      const json = { ...map, mappings, sourcesContent: ['export const work = (a) => a;'] };
      const data = Buffer.from(JSON.stringify(json)).toString('base64');
      return `function n(){}\n//# sourceMappingURL=data:application/json;base64,${data}`;
    };
    const nameOf = (script: string) => {
      const maps = new ScriptMaps({ diagnostics: new Diagnostics() });
      maps.addNoted(script, map, 1);
      return maps.find(script)?.find(1, 11, 'n')?.name;
    };
    expect(nameOf(file('noted/a.js', onDisk('UAAoB')))).toBe('work');
    // Another map, of a script that was built again.
    expect(nameOf(file('noted/b.js', onDisk('UAAoB;AACA')))).toBeNull();
    file('src/t.ts', 'export const fill = (a) => a;');
    expect(nameOf(join(root, 'noted/gone.js'))).toBe('fill');
  });

  test('an earlier map of a script has no names of what its source has now', () => {
    const source = file(
      'edited/t.ts',
      'export const now = (a) => a;\n\nexport const new = (a) => a;',
    );
    const maps = new ScriptMaps({ diagnostics: new Diagnostics() });
    const map = { version: 3, sources: ['t.ts'], names: [], mappings: 'UAAmB' };
    const script = join(root, 'edited/t.js');
    maps.addNoted(script, { ...map, mappings: 'UAEmB' }, 1);
    maps.addNoted(`${script}?perf-ts-version=1`, map, 1);
    const found = (version: string) => maps.find(`${script}${version}`)?.find(1, 11, 'n');
    expect(found('')).toMatchObject({ source, line: 3, name: null });
    expect(found('?perf-ts-version=1')).toMatchObject({ source, line: 1, name: 'now' });
  });

  test('the source map of what Deno made of a file is in its cache', () => {
    const url = `data:application/json;base64,${BASE64}`;
    const end = '\n// denoCacheMetadata=1155,1375';
    const long = `//${'x'.repeat(10_000)}\n`;
    const text = `function f(){}\n${long}//# sourceMappingURL=${url}${end}`;
    file(`deno/gen/file${root}/app.ts.js`, text);
    const diagnostics = new Diagnostics();
    const maps = new ScriptMaps({ diagnostics, denoDirectory: join(root, 'deno') });
    expect(maps.findEmitted(`file://${root}/app.ts`)?.find(1, 11, 'f')?.line).toBe(7);
    expect(describeDiagnostics(diagnostics)).toEqual([]);
    expect(maps.findEmitted('https://example.org/app.ts')).toBeNull();
    expect(describeDiagnostics(diagnostics).length).toBe(1);
  });

  test('a source map noted by the process precedes the one on disk', () => {
    const script = file('noted.ts', 'function f(): void {}\n');
    const maps = new ScriptMaps({ diagnostics: new Diagnostics() });
    maps.addNoted(`file://${script}`, MAP, 1);
    expect(maps.find(script)?.find(1, 11, 'f')?.line).toBe(7);
  });

  test('a map in sections leads to the sources of each', () => {
    const section = (line: number, source: string) => ({
      offset: { line, column: 0 },
      map: { ...MAP, sources: [source] },
    });
    const map = { version: 3, sections: [section(0, 'one.ts'), section(4, '../two.ts')] };
    file('sections/app.js.map', JSON.stringify(map));
    const script = file('sections/app.js', 'f()\n//# sourceMappingURL=app.js.map\n');
    const found = new ScriptMaps({ diagnostics: new Diagnostics() }).find(script);
    const places = [1, 5].map((line) => found?.findPlace(line, 11));
    expect(places.map((place) => place?.source)).toEqual([
      join(root, 'sections/one.ts'),
      join(root, 'two.ts'),
    ]);
    const noted = new ScriptMaps({ diagnostics: new Diagnostics() });
    noted.addNoted('/gone/app.js', map, 1);
    expect(noted.find('/gone/app.js')?.findPlace(5, 11)?.source).toBe('/two.ts');
  });

  test.each([
    ['lines beyond all bounds', { offset: { line: 1e9, column: 0 }, map: MAP }],
    ['no lines', { offset: { line: -1, column: 0 }, map: MAP }],
    ['no offset', { map: MAP }],
    ['no map', { offset: { line: 0, column: 0 } }],
  ])('a map whose sections have %s is counted as invalid', (what, section) => {
    const name = `sections/${what}.js`;
    file(`${name}.map`, JSON.stringify({ version: 3, sections: [section] }));
    const counted = ['source map not understood'];
    expect(find(file(name, 'f()'))).toEqual({ place: null, counted });
  });

  test('a map of more places than memory has room for is counted as invalid', () => {
    file('large.js.map', JSON.stringify({ ...MAP, mappings: ';'.repeat((8 << 20) + 1) }));
    const counted = ['source map not understood'];
    expect(find(file('large.js', 'f()'))).toEqual({ place: null, counted });
  });

  test('a map that a script does not name lies beside it, or in the folder that is asked for', () => {
    const bundle = file('hidden/app.js', 'function f(){}\n');
    file('hidden/app.js.map', JSON.stringify(MAP));
    expect(find(bundle).place).toBe(join(root, 'hidden/app.ts:7'));
    const alone = file('alone/out/app.js', 'f()\n//# sourceMappingURL=gone.map\n');
    expect(find(alone).place).toBeNull();
    const mapFolder = join(root, 'maps');
    file('maps/app.js.map', JSON.stringify({ ...MAP, sources: ['far.ts'] }));
    expect(find(alone, { mapFolder }).place).toBe(join(root, 'alone/out/far.ts:7'));
    file('maps/out/app.js.map', JSON.stringify({ ...MAP, sources: ['../near.ts'] }));
    expect(find(alone, { mapFolder }).place).toBe(join(root, 'alone/near.ts:7'));
  });

  test('a map may be named by a file URL, and stand in a folder whose name ends URLs', () => {
    const folder = join(root, 'a#1?100%');
    file('a#1?100%/app.js.map', JSON.stringify(MAP));
    const url = `file://${encodeURI(folder).replace('#', '%23').replace('?', '%3F')}/app.js.map`;
    const script = file('a#1?100%/app.js', `f()\n//# sourceMappingURL=${url}\n`);
    expect(find(script).place).toBe(join(folder, 'app.ts:7'));
    const named = file('url.js', `f()\n//# sourceMappingURL=${url}\n`);
    expect(find(named).place).toBe(join(folder, 'app.ts:7'));
  });

  test('a place whose source the map does not name stays where V8 has it', () => {
    for (const sources of [[null], ['']]) {
      file('null.js.map', JSON.stringify({ ...MAP, sources }));
      expect(find(file('null.js', 'f()'))).toEqual({ place: null, counted: [] });
    }
  });

  test('a source that was made of another one is followed to that', () => {
    const inside = (sources: readonly string[]) =>
      `f()\n//# sourceMappingURL=data:application/json,${encodeURIComponent(JSON.stringify({ ...MAP, sources }))}`;
    file('chain/b.js.map', JSON.stringify({ ...MAP, sources: ['a.js'], mappings: 'AAAA' }));
    file('chain/a.js', inside(['a.ts']));
    const script = file('chain/b.js', 'f()');
    expect(find(script).place).toBe(join(root, 'chain/a.ts:7'));
    // A ring of maps has an end, and a source of another text is another file.
    file('chain/a.js', inside(['b.js']));
    expect(find(script).place).not.toBeNull();
    const sourcesContent = ['not what a.js has'];
    const map = { ...MAP, sources: ['a.js'], mappings: 'AAAA', sourcesContent };
    file('chain/b.js.map', JSON.stringify(map));
    expect(find(script).place).toBe(join(root, 'chain/a.js:1'));
  });

  test('processes that ran a script with different maps have each its own', () => {
    const diagnostics = new Diagnostics();
    const maps = new ScriptMaps({ diagnostics });
    const noted = (line: string) => ({ ...MAP, mappings: `AA${line}A` });
    maps.addNoted('/w.ts', noted('C'), 1);
    maps.addNoted('/w.ts', noted('C'), 2);
    expect([1, 2, 3].map((pid) => maps.hasOwnMaps(pid))).toEqual([false, false, false]);
    maps.addNoted('/w.ts', noted('M'), 3);
    expect([1, 2, 3].map((pid) => maps.hasOwnMaps(pid))).toEqual([true, true, true]);
    expect(diagnostics.entries()).toEqual([]);
    maps.addNoted('/w.ts', noted('E'), 3);
    const lineIn = (pid: number | null) => maps.find('/w.ts', pid)?.findPlace(1, 11)?.line;
    expect([1, 2, 3, null].map(lineIn)).toEqual([2, 2, 3, 3]);
    expect(describeDiagnostics(diagnostics).map(({ reason }) => reason)).toEqual([
      expect.stringContaining('compiled again in one process'),
    ]);
  });

  test.each([
    ['elsewhere', 'https://example.com/app.js.map'],
    ['not there', 'gone.js.map'],
    ['a directory', '.'],
  ])('no source map is read %s', (what, url) => {
    const script = file(`${what}.js`, `function f(){}\n//# sourceMappingURL=${url}\n`);
    expect(find(script)).toEqual({ place: null, counted: [] });
  });

  test('an invalid source map is counted, and the function keeps its place', () => {
    const script = file(
      'broken.js',
      `f()\n//# sourceMappingURL=data:application/json;base64,e30x\n`,
    );
    expect(find(script)).toEqual({ place: null, counted: ['source map not understood'] });
  });

  test('a source map changed since the recording is not used', () => {
    const script = file(
      'newer.js',
      `f()\n//# sourceMappingURL=data:application/json;base64,${BASE64}\n`,
    );
    utimesSync(script, 2000, 2000);
    expect(find(script, { recordedMs: 2_001_000 }).place).not.toBeNull();
    expect(find(script, { recordedMs: 1_999_000 })).toEqual({
      place: null,
      counted: ['script or source map changed since the recording, not used'],
    });
  });

  test('a script that is newer than the recording is believed if its functions begin where V8 saw them', () => {
    const text = '\nfunction f(a) {}\n//# sourceMappingURL=copied.js.map\n';
    const script = file('copied.js', text);
    file('copied.js.map', JSON.stringify(MAP));
    const name = { name: 'f', file: script, kind: 'function', tier: 'none', hash: '' } as const;
    const foundWith = (line: number, column: number) =>
      find(script, { recordedMs: 1_000, functionsOf: () => [{ ...name, line, column }] }).place;
    expect(foundWith(2, 11)).toBe(join(root, 'app.ts:7'));
    expect(foundWith(2, 12)).toBeNull();
    expect(find(script, { recordedMs: 1_000, functionsOf: () => [] }).place).toBeNull();
  });

  test('files that named something are reported, private ones if their script is what ran', () => {
    const script = file('kept/app.js', '\nfunction f(a) {}\n//# sourceMappingURL=app.js.map\n');
    const map = file('kept/app.js.map', JSON.stringify({ ...MAP, sources: ['../kept.ts'] }));
    const source = file('kept.ts', 'f');
    const plain = file('kept/plain.js', 'f()\n');
    const kept = (column: number): string[] => {
      const heard: string[] = [];
      const name = { name: 'f', file: script, kind: 'function', tier: 'none', hash: '' } as const;
      const maps = new ScriptMaps({
        diagnostics: new Diagnostics(),
        onFile: (path) => heard.push(path),
        functionsOf: () => [{ ...name, line: 2, column }],
      });
      for (const path of [script, plain]) maps.find(path)?.find(1, 11, 'f');
      return [...new Set(heard)].sort();
    };
    expect(kept(12)).toEqual([script, map, source].sort());
    for (const path of [script, map, source]) chmodSync(path, 0o600);
    expect(kept(12)).toEqual([]);
    expect(kept(11)).toEqual([script, map, source].sort());
  });

  test('an archived source map counts as it is, before the one that lies here', () => {
    const script = file('stored/app.js', 'f()\n');
    file('stored/app.js.map', JSON.stringify({ ...MAP, sources: ['here.ts'] }));
    const archive = join(root, 'r.data.symbols');
    file(`r.data.symbols${script}.map`, JSON.stringify({ ...MAP, sources: ['then.ts'] }));
    const found = find(script, { archive, recordedMs: 1_000 });
    expect(found.place).toBe(join(root, 'stored/then.ts:7'));
  });

  test('a device or a pipe in place of a script is left alone', () => {
    symlinkSync('/dev/zero', join(root, 'device.js'));
    expect(find(join(root, 'device.js'))).toEqual({ place: null, counted: [] });
  });
});

test('lines that a TypeScript file does not have are those of code made of it', () => {
  const script = file('made.ts', 'interface A {}\nexport function f(): void {}\n');
  const maps = new ScriptMaps({ diagnostics: new Diagnostics() });
  expect(maps.mayBegin(script, 2, 18)).toBe(true);
  expect(maps.mayBegin(script, 1, 250)).toBe(false);
  expect(maps.mayBegin(script, 40, 1)).toBe(false);
  expect(maps.mayBegin('/gone.ts', 40, 1)).toBe(true);
  // Profiles of others do not have the column.
  expect(maps.mayBegin(script, 40, 0)).toBe(true);
});

test('a function of a TypeScript file begins where a token does', () => {
  const script = file('tokens.ts', 'export const f = async (x: A): Promise<A> => g(x);\n');
  const diagnostics = new Diagnostics();
  const maps = new ScriptMaps({ diagnostics });
  const begins = [1, 18, 24].map((column) => maps.mayBegin(script, 1, column));
  expect(begins).toEqual([true, true, true]);
  // A space, the midst of a word, a closing parenthesis.
  const impossible = [17, 20, 29].map((column) => maps.mayBegin(script, 1, column));
  expect(impossible).toEqual([false, false, false]);
  expect(diagnostics.entries().map(({ count }) => count)).toEqual([1]);
});

test('helpers that a loader put into a file whose map is known are no reason to call it unknown', () => {
  const script = file('mapped.ts', 'const f = (x: A) => g(x);\n');
  const diagnostics = new Diagnostics();
  const maps = new ScriptMaps({ diagnostics });
  maps.addNoted(script, MAP, 1);
  expect(maps.mayBegin(script, 1, 250)).toBe(false);
  expect(diagnostics.entries()).toEqual([]);
});

describe.skipIf(process.geteuid?.() !== 0)('the source map of a script, read by root', () => {
  /** A script of a stranger's whose map names a source in a folder of root's alone. */
  function named(owner: number): string {
    chmodSync(root, 0o755);
    const map = { version: 3, sources: ['../closed/key.js'], names: [], mappings: 'AAMA' };
    file('theirs/app.js.map', JSON.stringify(map));
    file('closed/key.js', `${'\n'.repeat(6)}function TopSecretName() {}\n`);
    chmodSync(join(root, 'closed'), 0o700);
    const recording = file('theirs/x.data', '');
    chownSync(recording, owner, owner);
    const script = file('theirs/app.js', 'function a(){}\n//# sourceMappingURL=app.js.map\n');
    const maps = new ScriptMaps({ diagnostics: new Diagnostics(), recording });
    return maps.find(script)?.find(1, 11, 'a')?.name ?? '';
  }

  test("names of root's own files are not read for a recording of another user", () => {
    expect(named(NOBODY)).toBe('');
    expect(named(0)).toBe('TopSecretName');
  });

  test('a source map that the owner of a script may not read is not read for it', () => {
    const named = (owner: number): string | null => {
      const script = file('private/app.js', 'function f(){}\n//# sourceMappingURL=app.js.map\n');
      const map = file('private/app.js.map', JSON.stringify(MAP));
      for (const path of [script, map]) chmodSync(path, 0o600);
      chownSync(script, owner, owner);
      chownSync(map, NOBODY, NOBODY);
      return find(script).place;
    };
    chmodSync(root, 0o755);
    expect(named(NOBODY)).not.toBeNull();
    expect(named(NOBODY - 1)).toBeNull();
  });
});
