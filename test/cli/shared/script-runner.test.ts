import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Programs, withRunner } from '../../../src/cli/shared/script-runner.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

const folder = scratchDirectory();
const script = (name: string): string => {
  const path = join(folder, name);
  writeFileSync(path, '');
  return path;
};
const NOTHING: Programs = { onPath: () => null, ownTsx: () => null, versionOf: () => null };
const nodeOf = (version: string): Programs => ({
  ...NOTHING,
  onPath: (name) => (name === 'node' ? '/usr/bin/node' : null),
  versionOf: () => version,
});

it.each(['app.js', 'app.mjs', 'app.cjs'])('%s is run by node', (name) => {
  const path = script(name);
  expect(withRunner([path, '--port', '1'], NOTHING)).toEqual(['node', path, '--port', '1']);
  expect(withRunner(['A=b', path], NOTHING)).toEqual(['A=b', 'node', path]);
});

it('other programs, absent files and folders are left as they are', () => {
  for (const words of [['node', script('b.js')], [join(folder, 'absent.js')], [folder], []]) {
    expect(withRunner(words, NOTHING)).toEqual(words);
  }
});

it('TypeScript is run by the tsx of its packages, else of the PATH, else by a Node that can', () => {
  const path = script('app.ts');
  const all = { ...nodeOf('v24.0.0'), onPath: (name: string) => `/usr/bin/${name}` };
  const own = '/app/node_modules/.bin/tsx';
  expect(withRunner([path], { ...all, ownTsx: () => own })).toEqual([own, path]);
  expect(withRunner([path], all)).toEqual(['tsx', path]);
  expect(withRunner([path], nodeOf('v24.0.0'))).toEqual(['node', path]);
  expect(withRunner([path], nodeOf('v22.18.0'))).toEqual(['node', path]);
  expect(withRunner([path], nodeOf('v23.6.1'))).toEqual(['node', path]);
  const tsx = script('app.tsx');
  for (const [file, programs] of [
    [path, NOTHING],
    [path, nodeOf('v22.17.9')],
    [path, nodeOf('v23.5.0')],
    [path, nodeOf('v20.20.2')],
    [tsx, nodeOf('v24.0.0')],
  ] as const) {
    expect(() => withRunner([file], programs)).toThrow(/no tsx is installed/);
  }
});
