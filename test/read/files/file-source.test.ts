import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FailedError } from '../../../src/base/errors.ts';
import { openFileSource } from '../../../src/read/files/file-source.ts';
import { readPipe } from '../../../src/read/files/pipe-source.ts';
import { CLI, scratchDirectory } from '../../helpers/cli.ts';
import { builtRecordings } from '../../helpers/recordings.ts';

const scratch = scratchDirectory();

test("a directory is read as its data file, then the threads' files by number", () => {
  const path = mkdtempSync(join(scratch, 'directory-'));
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

test('a directory without a data file is refused', () => {
  const path = mkdtempSync(join(scratch, 'empty-'));
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

test('a pipe too long for memory is read from a nameless file', () => {
  const directory = mkdtempSync(join(scratch, 'tmp-'));
  const path = join(scratch, 'long');
  const bytes = Uint8Array.from({ length: 5_000_000 }, (_, i) => (i * 7) >> 3);
  writeFileSync(path, bytes);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = directory;
  try {
    for (const mostInMemory of [0, 3 << 20, 5_000_000, 8 << 20]) {
      const fd = openSync(path, 'r');
      const source = readPipe(fd, mostInMemory);
      closeSync(fd);
      expect(source.size).toBe(bytes.length);
      expect(Buffer.compare(source.read(0, source.size), bytes)).toBe(0);
      expect(Buffer.compare(source.read(4_000_000, 10), bytes.subarray(4_000_000, 4_000_010))).toBe(
        0,
      );
      expect(source.read(4_999_999, 10).length).toBe(1);
      expect(readdirSync(directory)).toEqual([]);
      source.close();
    }
    process.env.TMPDIR = join(scratch, 'absent');
    const fd = openSync(path, 'r');
    expect(() => readPipe(fd, 0)).toThrow(
      /^cannot keep what comes from standard input in .*absent/,
    );
    closeSync(fd);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});
