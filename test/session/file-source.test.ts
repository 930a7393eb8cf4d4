import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FailedError } from '../../src/base/errors.ts';
import { openFileSource } from '../../src/session/read/file-source.ts';
import { CLI, scratchDirectory } from '../helpers/cli.ts';
import { builtRecordings } from '../helpers/recordings.ts';

const scratch = scratchDirectory();

test('a directory is its file data, then those of the threads by number', () => {
  const path = join(scratch, 'directory');
  mkdirSync(path);
  for (const name of ['data', 'data.0', 'data.2', 'data.10', 'data.old', 'notes']) {
    writeFileSync(join(path, name), name);
  }
  const source = openFileSource(path);
  const text = (from: Pick<typeof source, 'read' | 'size'>) =>
    new TextDecoder().decode(from.read(0, from.size));
  expect(text(source)).toBe('data');
  expect(source.threadFiles.map(text)).toEqual(['data.0', 'data.2', 'data.10']);
  source.close();
});

test('a directory without that file is refused', () => {
  const path = join(scratch, 'empty');
  mkdirSync(path);
  expect(() => openFileSource(path)).toThrow(FailedError);
});

test('standard input is the same from a file and from a pipe', () => {
  const recordings = new Map(builtRecordings());
  for (const name of ['little-endian file', 'big-endian pipe, compressed']) {
    const path = join(scratch, 'input.data');
    writeFileSync(path, recordings.get(name)!);
    const run = (script: string) =>
      execFileSync('sh', ['-c', script, process.execPath, CLI, path], { encoding: 'utf8' });
    const named = run('"$0" "$1" info --json "$2"');
    expect(JSON.parse(named).records.SAMPLE).toBe(60);
    expect(run('"$0" "$1" info --json - < "$2"')).toBe(named);
    expect(run('cat "$2" | "$0" "$1" info --json -')).toBe(named);
  }
});
