import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findInheritedFds, type OpenFd } from '../../../src/system/processes/inherited-fds.ts';
import { projectRoot } from '../../helpers/cli.ts';

const START_MS = 1_000_000;

function open(fd: number, link: string, more: Partial<OpenFd> = {}): OpenFd {
  return { fd, link, isCloseOnExec: true, flags: 0, pipeTimeMs: 0, ...more };
}

const STDIO = [0, 1, 2].map((fd) => open(fd, '/dev/pts/0'));

/** What Node 20 opens at its start, at these numbers. */
function nodeFds([epoll, read, write, event, nothing]: readonly number[]): OpenFd[] {
  return [
    open(epoll, 'anon_inode:[eventpoll]'),
    open(read, 'pipe:[77]', { pipeTimeMs: START_MS + 5 }),
    open(write, 'pipe:[77]', { pipeTimeMs: START_MS + 5, flags: 1 }),
    open(event, 'anon_inode:[eventfd]'),
    open(nothing, '/dev/null'),
  ];
}

const inherited = (...fds: OpenFd[]) => findInheritedFds([...STDIO, ...fds], START_MS);

test('a process without inherited descriptors finds none', () => {
  expect(inherited(...nodeFds([3, 4, 5, 6, 7]))).toEqual([]);
});

test("descriptors before Node's first are inherited", () => {
  const before = [
    open(3, 'pipe:[9]', { pipeTimeMs: START_MS + 1 }),
    open(4, 'pipe:[9]', { pipeTimeMs: START_MS + 1, flags: 1 }),
    open(5, '/dev/null'),
    open(6, 'anon_inode:[eventfd]'),
  ];
  expect(inherited(...before, ...nodeFds([7, 8, 9, 10, 11]))).toEqual([3, 4, 5, 6]);
});

test("descriptors between Node's, of a kind that Node does not open, are inherited", () => {
  const between = [
    open(8, '/home/me/log'),
    open(9, 'socket:[5]'),
    open(11, 'pipe:[12]'),
    open(12, '/dev/null', { flags: 1 }),
    // A jobserver's: both ends, made by make before us.
    open(13, 'pipe:[13]', { pipeTimeMs: START_MS - 20 }),
    open(14, 'pipe:[13]', { pipeTimeMs: START_MS - 20, flags: 1 }),
  ];
  expect(inherited(...nodeFds([3, 4, 5, 6, 7]), ...between)).toEqual([8, 9, 11, 12, 13, 14]);
});

test('descriptors without the close-on-exec mark are inherited', () => {
  const high = [
    open(20, '/home/me/ours'),
    open(63, 'pipe:[63]', { isCloseOnExec: false }),
    open(64, '/opened/by/us'),
  ];
  expect(inherited(...nodeFds([3, 4, 5, 6, 7]), ...high)).toEqual([63]);
});

test('this Node finds exactly the descriptors that it was started with', () => {
  const script = `
    import { findInheritedFds, readOpenFds, nodeStartMs } from '${join(projectRoot, 'dist/system/processes/inherited-fds.js')}';
    console.log(JSON.stringify(findInheritedFds(readOpenFds(), nodeStartMs())));`;
  const words = [process.execPath, '--input-type=module', '-e', script];
  const found = (stdio: (number | 'ignore' | 'pipe')[]): unknown => {
    const { stdout, stderr } = spawnSync(words[0], words.slice(1), {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe', ...stdio],
    });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  const file = openSync('/etc/passwd', 'r');
  // libuv gives 'ignore' above stdio no descriptor.
  const others = found([]) as number[];
  expect(found([file, 'ignore', file, 'pipe', 'ignore', 'ignore', 'ignore', file])).toEqual(
    expect.arrayContaining([3, 5, 6, 10]),
  );
  expect(found(['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', file])).toEqual(
    expect.arrayContaining([9]),
  );
  // Those that everything on this machine inherits are there in each run, and no other.
  const extra = found(['ignore', file]) as number[];
  expect(extra.filter((fd) => !others.includes(fd))).toEqual([4]);
  closeSync(file);
});

test("this Node's own pipes are younger than its start", () => {
  const script = `
    import { readOpenFds, nodeStartMs } from '${join(projectRoot, 'dist/system/processes/inherited-fds.js')}';
    const own = readOpenFds().filter(({ link, isCloseOnExec }) => link.startsWith('pipe:') && isCloseOnExec);
    console.log(own.length, own.every(({ pipeTimeMs }) => pipeTimeMs >= nodeStartMs()));`;
  const words = ['--input-type=module', '-e', script];
  const starts = Array.from({ length: 10 }, () =>
    spawnSync(process.execPath, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  for (const { stdout } of starts) expect(stdout).toMatch(/^[1-9]\d* true$/m);
});
