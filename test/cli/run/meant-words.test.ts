import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { declareProgram } from '../../../src/cli/declare-program.ts';
import { findDefault } from '../../../src/cli/defaults/find-default.ts';
import { meantWords, type Named, nameFile } from '../../../src/cli/run/meant-words.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

const { commands } = declareProgram();
const FILES: Readonly<Record<string, Named>> = {
  'app.js': 'program',
  node: 'program',
  test: 'program',
  'out.data': 'recording',
};
const meantBy = (line: string): string =>
  meantWords(line.split(' '), commands, (word) => FILES[word] ?? null).join(' ');

it.each([
  ['app.js --port 1', 'run -- app.js --port 1'],
  ['node app.js', 'run -- node app.js'],
  ['NODE_ENV=test node app.js', 'run -- NODE_ENV=test node app.js'],
  ['-- node app.js', 'run -- node app.js'],
  ['-p 1234', 'run -p 1234'],
  ['-F999 app.js', 'run -F999 app.js'],
  ['--freq=999 app.js', 'run --freq=999 app.js'],
  ['--off-cpu -- node app.js', 'run --off-cpu -- node app.js'],
  ['-o out.html app.js', 'run -o out.html app.js'],
  ['out.data', 'view out.data'],
  ['out.data --port 80', 'view out.data --port 80'],
  ['open out.data', 'view out.data'],
  ['open', 'view'],
])('%s means %s', (line, meant) => {
  expect(meantBy(line)).toBe(meant);
});

it.each([
  'report app.js',
  'record -- app.js',
  'help',
  '--help',
  '-V',
  '-v',
  '--nonsense app.js',
  'reprot',
])('%s is left as it is', (line) => {
  expect(meantBy(line)).toBe(line);
});

it('a command of perf that perf-ts does not have is answered, though a program has its name', () => {
  expect(meantBy('test')).toBe('test');
});

it('a file is named by its first bytes, its name and its rights', () => {
  const folder = scratchDirectory();
  const file = (name: string, text: string, mode = 0o644): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  expect(nameFile(file('plain.data', 'PERFILE2 and more'))).toBe('recording');
  // As on file systems without rights.
  expect(nameFile(file('all.data', 'PERFILE2 and more', 0o755))).toBe('recording');
  expect(nameFile(file('other.data', '2ELIFREP and more'))).toBe('recording');
  expect(nameFile(file('p.cpuprofile', '{}'))).toBe('recording');
  expect(nameFile(file('app.ts', ''))).toBe('program');
  expect(nameFile(file('tool', '#!/bin/sh\n', 0o755))).toBe('program');
  mkdirSync(join(folder, 'src'));
  expect(nameFile(join(folder, 'src'))).toBeNull();
  expect(nameFile(join(folder, 'absent'))).toBeNull();
  expect(nameFile('sh')).toBe('program');
  expect(nameFile('no-such-program-anywhere')).toBeNull();
});

it('a default of record is that of run, too', () => {
  const run = commands.find((command) => command.name() === 'run');
  const freq = run?.options.find(({ long }) => long === '--freq');
  if (freq === undefined) throw new Error('run has no --freq');
  const config = {
    path: 'config.json',
    all: new Map(),
    ofCommand: new Map([['record', new Map([['freq', 99]])]]),
  };
  expect(findDefault('run', freq, {}, config)).toEqual({
    value: 99,
    from: 'config.json',
    key: 'record.freq',
  });
  const variable = { PERF_TS_RECORD_FREQ: '999' };
  expect(findDefault('run', freq, variable, config)?.value).toBe('999');
  expect(findDefault('stat', freq, variable, config)).toBeNull();
});
