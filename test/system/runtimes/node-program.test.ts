import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHeldNode, identifyNode } from '../../../src/system/runtimes/node-program.ts';
import { CLI, perfTs, scratchDirectory } from '../../helpers/cli.ts';

const root = scratchDirectory();
const ELF = '\x7fELF';

function file(name: string, bytes: string | Buffer): string {
  const path = join(root, name);
  writeFileSync(path, bytes, 'latin1');
  chmodSync(path, 0o755);
  return path;
}

test('the running Node is known by its inode, also behind a link', () => {
  const link = join(root, 'node-link');
  symlinkSync(process.execPath, link);
  const expected = { kind: 'node', version: process.version };
  expect(identifyNode(process.execPath)).toEqual(expected);
  expect(identifyNode(link)).toEqual(expected);
});

test('a copy of Node is recognized by the version in its file', () => {
  const copy = join(root, 'node-copy');
  copyFileSync(process.execPath, copy);
  const { kind, ...rest } = identifyNode(copy);
  expect(kind).toBe('node');
  // A build without a release URL does not say it.
  expect([process.version, null]).toContain((rest as { version: string | null }).version);
});

test('the version is found across the border of two blocks', () => {
  const url = 'https://nodejs.org/download/release/v18.19.1/node-v18.19.1.tar.gz\0';
  for (const before of [4 << 20, (4 << 20) - 20, (4 << 20) - 40, (4 << 20) - 128]) {
    const bytes = Buffer.alloc(before + 4096);
    bytes.write(ELF, 'latin1');
    bytes.write(url, before, 'latin1');
    expect(identifyNode(file('blocks', bytes))).toEqual({ kind: 'node', version: 'v18.19.1' });
  }
});

test('Node without a version, a script and another program are distinguished', () => {
  expect(identifyNode(file('welcome', `${ELF}…Welcome to Node.js %s`))).toEqual({
    kind: 'node',
    version: null,
  });
  expect(identifyNode(file('debian', `${ELF}\0libnode.so.108\0`))).toEqual({
    kind: 'node',
    version: null,
  });
  expect(identifyNode(file('shim', '#!/bin/sh\nexec asdf exec node "$@"\n'))).toEqual({
    kind: 'script',
  });
  expect(identifyNode(file('blockchain', `${ELF} consensus`))).toEqual({ kind: 'other' });
  expect(identifyNode(join(root, 'absent'))).toEqual({ kind: 'other' });
});

test('a program called node is not started by a dry run', () => {
  const trace = join(root, 'trace');
  const fake = file('node', `#!/bin/sh\necho "$@" >> ${trace}\n`);
  const outcome = perfTs(['record', '--dry-run', '-e', 'cpu-clock', '--', fake, 'start']);
  expect(outcome.status, outcome.stderr).toBe(0);
  expect(existsSync(trace)).toBe(false);
  expect(existsSync(CLI)).toBe(true);
});

test('a Node of any name, with or without an application, is known by its mark', () => {
  const application = (text: string): string => {
    const path = file('application', '');
    truncateSync(path, 21 << 20);
    const fd = openSync(path, 'r+');
    writeSync(fd, text, 20 << 20);
    closeSync(fd);
    return path;
  };
  const fuse = `NODE_SEA_FUSE_${'0123456789abcdef'.repeat(2)}`;
  expect(findHeldNode(application(`${fuse}:1`))).toBe('application');
  expect(findHeldNode(application(`${fuse}:0`))).toBe('copy');
  expect(findHeldNode(application('NODE_SEA_FUSE_'))).toBeNull();
  // Debian's own is in a library, which has the mark.
  const { node_shared: isShared } = process.config.variables as { node_shared?: boolean };
  expect(findHeldNode(process.execPath)).toBe(isShared ? null : 'copy');
  expect(findHeldNode('/nonexistent')).toBeNull();
});

test('a mark is looked for in the first 512 MiB of a program, which may have holes without an end', () => {
  const path = file('holes', ELF);
  const mark = `NODE_SEA_FUSE_${'0123456789abcdef'.repeat(2)}:0`;
  const markAt = (at: number): void => {
    const fd = openSync(path, 'w');
    writeSync(fd, mark, at);
    closeSync(fd);
    truncateSync(path, 2 ** 36);
  };
  markAt(520 << 20);
  expect(findHeldNode(path)).toBeNull();
  markAt(400 << 20);
  expect(findHeldNode(path)).toBe('copy');
});
