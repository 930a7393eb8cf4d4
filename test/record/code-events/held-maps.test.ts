import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { HeldMaps } from '../../../src/record/code-events/held-maps.ts';
import { scratchDirectory } from '../../helpers/cli.ts';

const scratch = scratchDirectory();

function meet(maps: HeldMaps, pid: number, ...names: readonly string[]): void {
  for (const name of names) maps.meet(pid, Buffer.from(name));
}

function file(name: string, text: string): string {
  const path = join(scratch, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const mapOf = (source: string) => ({ version: 3, sources: [source], names: [], mappings: 'AAAA' });

function built(name: string, source: string): string {
  file(`${name}.map`, JSON.stringify({ ...mapOf(source), sourcesContent: ['f()'] }));
  return file(name, `f();\n//# sourceMappingURL=${name.split('/').at(-1)}.map\n`);
}

const notesOf = (maps: HeldMaps, pid: number) =>
  Buffer.from(maps.notes(pid))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

test('the map of a script that was removed is kept as it was, without sources; one that is there is not', () => {
  const maps = new HeldMaps([]);
  const [gone, kept] = [built('gone.mjs', 'gone.ts'), built('kept.mjs', 'kept.ts')];
  meet(maps, 7, `JS:*f file://${gone}:1:10`, `Script:~ ${kept}:1:1`);
  for (const path of [gone, `${gone}.map`]) rmSync(path);
  expect(notesOf(maps, 7)).toEqual([{ kind: 'sourceMap', url: gone, map: mapOf('gone.ts') }]);
  expect(notesOf(maps, 8)).toEqual([]);
});

test('each process has the map with which it ran a script that is written again meanwhile', () => {
  const maps = new HeldMaps([]);
  const script = built('again.js', 'first.ts');
  meet(maps, 1, `JS:~f ${script}:1:10`);
  built('again.js', 'second version.ts');
  meet(maps, 2, `JS:~f ${script}:1:10`);
  expect(notesOf(maps, 1).map(({ map }) => map.sources)).toEqual([['first.ts']]);
  expect(notesOf(maps, 2).map(({ map }) => map.sources)).toEqual([['second version.ts']]);
});

test('scripts of one path that a process compiles after a build have a version for each map', () => {
  const maps = new HeldMaps([]);
  const script = join(scratch, 'rebuilt.js');
  const compiled = (...sources: readonly (string | null)[]) =>
    sources.map((source) => {
      if (source !== null) built('rebuilt.js', source);
      const name = `JS:~f file://${script}?update=1:1:10`;
      meet(maps, 5, name);
      return maps.meetScript(5, Buffer.from(name));
    });
  expect(compiled('one.ts', null, 'the second.ts', null, 'and the third.ts')).toEqual([
    0, 0, 1, 1, 2,
  ]);
  expect(notesOf(maps, 5).map(({ url, map }) => [url, map.sources[0]])).toEqual([
    [script, 'one.ts'],
    [`${script}?perf-ts-version=1`, 'the second.ts'],
    [`${script}?perf-ts-version=2`, 'and the third.ts'],
  ]);
  expect(maps.meetScript(6, Buffer.from('JS:~f /app/other.js:1:1'))).toBe(0);
});

test('a map in another folder keeps its sources, and dependencies, foreign schemes and large maps are left out', () => {
  const maps = new HeldMaps([]);
  file('maps/far.js.map', JSON.stringify(mapOf('../src/far.ts')));
  const far = file('out/far.js', '//# sourceMappingURL=../maps/far.js.map');
  const others = [
    built('node_modules/dep/index.js', 'index.ts'),
    file('web.js', '//# sourceMappingURL=https://example.org/web.js.map'),
    file('large.js', '//# sourceMappingURL=large.js.map'),
  ];
  file('large.js.map', 'x'.repeat((16 << 20) + 1));
  meet(maps, 1, ...[far, ...others].map((path) => `JS:~f ${path}:1:10`));
  for (const path of [far, ...others]) rmSync(path);
  expect(notesOf(maps, 1)).toEqual([
    {
      kind: 'sourceMap',
      url: far,
      map: { ...mapOf('../src/far.ts'), sourceRoot: `${join(scratch, 'maps')}/` },
    },
  ]);
});
