import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { readMapLog } from '../../../src/code/jit/map-log.ts';
import type { SamplerTarget } from '../../../src/native/types.ts';
import { type ClockPair, MapTail } from '../../../src/record/jit-maps/map-tail.ts';
import { MapWatch } from '../../../src/record/jit-maps/map-watch.ts';
import { NOBODY } from '../../helpers/nobody.ts';

let directory = '';
let watches: MapWatch[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'maps-'));
});
afterEach(() => {
  for (const watch of watches) watch.stop();
  watches = [];
  rmSync(directory, { recursive: true });
});

const COMMAND: SamplerTarget = { kind: 'command', command: { path: '', argv: [], env: [] } };
const US: SamplerTarget = { kind: 'processes', pids: [process.pid] };
const pathOf = (pid = process.pid) => join(directory, `perf-${pid}.map`);

/**
 * A clock that the test sets, in milliseconds. The wall clock stands still, so that what is written
 * is new however long the test takes to look.
 */
function watching(target: SamplerTarget = US) {
  const clock = { ms: 1000 };
  const wallNs = BigInt(Date.now()) * 1_000_000n;
  const readClock = (): ClockPair => ({
    wallNs,
    clockNs: BigInt(clock.ms) * 1_000_000n,
  });
  const watch = new MapWatch({ target, childPid: -1, readClock, directory });
  watches.push(watch);
  return {
    watch,
    start() {
      watch.start();
      // The test looks itself.
      watch.stop();
    },
    at(ms: number) {
      clock.ms = ms;
      watch.look();
    },
  };
}

/** Lines as `FROM-TO NAME`, times in milliseconds at which they may have come into force. */
function stored(watch: MapWatch) {
  const { attachments, notices } = watch.finish();
  const lines = attachments.flatMap(({ name, bytes, unpackedSize }) => {
    const log = inflateSync(bytes as Uint8Array);
    expect(log.length).toBe(unpackedSize);
    const table = readMapLog(log, { high: 0, low: 0 }, new Diagnostics());
    const pid = name.replace(`perf-map/${process.pid}`, 'ours').replace('perf-map/', '');
    return Array.from({ length: table.length }, (_, row) => {
      const ms = Math.ceil(table.timeNs[row] / 1e6);
      const restart = table.restarts.includes(row) ? 'anew ' : '';
      return `${pid} ${restart}${ms} ${table.name(row)}`;
    });
  });
  return { lines, notices };
}

describe('a perf map that grows', () => {
  test('lines of a growing perf map get the times of the scans around them', () => {
    const { watch, start, at } = watching();
    writeFileSync(pathOf(), '1000 10 before\n');
    start();
    at(2000);
    appendFileSync(pathOf(), '2000 10 a\n');
    at(3000);
    appendFileSync(pathOf(), '3000 10 b\n3000 10 c\n');
    at(4000);
    expect(stored(watch).lines).toEqual([
      'ours 0 before',
      'ours 3000 a',
      'ours 3500 b',
      'ours 4000 c',
    ]);
  });

  test('a perf map line is never dated before it was written', () => {
    let ms = 1000;
    let isWriting = false;
    const wallNs = BigInt(Date.now()) * 1_000_000n;
    const readClock = (): ClockPair => {
      const pair = { wallNs, clockNs: BigInt(ms) * 1_000_000n };
      // Right behind the reading, the program writes a second later.
      if (isWriting) {
        ms += 1000;
        appendFileSync(pathOf(), `${ms} 10 at ${ms}\n`);
      }
      return pair;
    };
    const watch = new MapWatch({ target: US, childPid: -1, readClock, directory });
    watches.push(watch);
    watch.start();
    watch.stop();
    writeFileSync(pathOf(), '1000 10 at 1000\n');
    watch.look();
    isWriting = true;
    watch.look();
    isWriting = false;
    ms += 1000;
    for (const line of stored(watch).lines) {
      const [, found = '', , written = ''] = /^ours (\d+) (at) (\d+)$/.exec(line) ?? [];
      expect(Number(found), line).toBeGreaterThanOrEqual(Number(written));
    }
  });

  test('a perf map is returned in part during the recording, and complete at the end', () => {
    const { watch, start, at } = watching();
    start();
    writeFileSync(pathOf(), '1000 10 a\n2000 10 unfini');
    at(2000);
    const soFar = watch.soFar().map(({ name, bytes }) => ({
      name,
      text: inflateSync(bytes as Uint8Array)
        .subarray(32)
        .toString(),
    }));
    expect(soFar).toEqual([{ name: `perf-map/${process.pid}`, text: '1000 10 a\n' }]);
    appendFileSync(pathOf(), 'shed\n');
    at(3000);
    expect(stored(watch).lines.map((line) => line.split(' ').at(-1))).toEqual(['a', 'unfinished']);
  });

  test('a growing map is read line by line, also where it is written in pieces', () => {
    const { watch, start, at } = watching();
    start();
    writeFileSync(pathOf(), '1000 10 wh');
    at(2000);
    appendFileSync(pathOf(), 'ole');
    at(3000);
    appendFileSync(pathOf(), '\n2000 10 without end');
    at(4000);
    expect(stored(watch).lines).toEqual(['ours 4000 whole', 'ours 4000 without end']);
  });

  test('a perf map that is truncated, overwritten or replaced starts a new list', () => {
    const { watch, start, at } = watching();
    start();
    writeFileSync(pathOf(), '1000 10 one\n1010 10 two\n');
    at(2000);
    writeFileSync(pathOf(), '1000 10 a\n');
    at(3000);
    writeFileSync(pathOf(), '1000 10 b, and longer than a was\n');
    at(4000);
    writeFileSync(`${pathOf()}.new`, '1000 10 c\n');
    renameSync(`${pathOf()}.new`, pathOf());
    at(5000);
    expect(stored(watch).lines.filter((line) => line.includes('anew'))).toEqual([
      'ours anew 3000 a',
      'ours anew 4000 b, and longer than a was',
      'ours anew 5000 c',
    ]);
  });
});

describe('a perf map that several threads write, as in Node 18', () => {
  test('a perf map that was looked at while it was empty is read on', () => {
    const { watch, start, at } = watching();
    start();
    writeFileSync(pathOf(), `1000 10 ${'x'.repeat(100)}\n`);
    at(2000);
    writeFileSync(pathOf(), '');
    at(3000);
    writeFileSync(pathOf(), '2000 10 after\n');
    at(4000);
    const { lines, notices } = stored(watch);
    expect(lines.at(-1)).toBe('ours anew 4000 after');
    expect(notices).toEqual([]);
  });

  test('lines are found wherever they are written, each once', () => {
    const { watch, start, at } = watching();
    const written = (seconds: number, text: string) => {
      writeFileSync(pathOf(), text);
      // Two writes in one tick of the kernel's clock have the same time.
      utimesSync(pathOf(), seconds, seconds);
    };
    start();
    const first = '1000 10 one\n';
    const behind = '2000 10 two\n';
    written(100, `${'\0'.repeat(first.length)}${behind}`);
    at(2000);
    written(101, `${first}${behind}`);
    at(3000);
    written(102, `${first}${behind.replace('two', 'new')}`);
    at(4000);
    at(5000);
    const { lines, notices } = stored(watch);
    expect(lines.map((line) => line.split(' ').at(-1))).toEqual(['one', 'two', 'new']);
    expect(notices).toEqual([]);
  });
});

describe('a map', () => {
  test('a perf map of a process that is not recorded is left alone', () => {
    const { watch, start, at } = watching();
    start();
    writeFileSync(pathOf(1), '1000 10 init\n');
    at(2000);
    expect(stored(watch)).toEqual({ lines: [], notices: [] });
  });

  test('a perf map of an earlier process with the pid is not used', () => {
    const { watch, start, at } = watching();
    writeFileSync(pathOf(), '1000 10 old\n');
    utimesSync(pathOf(), 1000, 1000);
    start();
    at(2000);
    expect(stored(watch).lines).toEqual([]);
  });

  test('a perf map of a short-lived child is kept', () => {
    const { watch, start } = watching(COMMAND);
    start();
    const pid = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
    writeFileSync(pathOf(pid), '1000 10 gone\n');
    expect(stored(watch).lines.map((line) => line.replace(/\d+/g, 'N'))).toEqual(['N N gone']);
  });

  test('a perf map dated by the tick before the start is kept', () => {
    const tickBefore = (Date.now() - 10) / 1000;
    const { watch, start } = watching(COMMAND);
    start();
    const pid = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
    writeFileSync(pathOf(pid), '1000 10 gone\n');
    utimesSync(pathOf(pid), tickBefore, tickBefore);
    expect(stored(watch).lines).toHaveLength(1);
  });

  test('a perf map that is a link or a FIFO is not read, with a reason', () => {
    const { watch, start, at } = watching({ kind: 'system' });
    start();
    const target = join(directory, 'elsewhere');
    writeFileSync(target, '1000 10 linked\n');
    symlinkSync(target, pathOf());
    execFileSync('mkfifo', [pathOf(process.ppid)]);
    at(2000);
    const { lines, notices } = stored(watch);
    expect(lines).toEqual([]);
    expect(notices.sort()).toEqual(
      [
        `perf map not used: ${pathOf()}: a symbolic link`,
        `perf map not used: ${pathOf(process.ppid)}: not a regular file`,
      ].sort(),
    );
  });

  test('the first of many perf maps that are not read are named, and the others counted', () => {
    const { watch, start, at } = watching(COMMAND);
    start();
    // No process has such a number: they may have been of the command.
    for (let pid = 5_000_000; pid < 5_000_500; pid++) symlinkSync('elsewhere', pathOf(pid));
    at(2000);
    at(3000);
    const { notices } = stored(watch);
    expect(notices).toHaveLength(9);
    expect(notices[0]).toMatch(/^perf map not used: .*: a symbolic link$/);
    expect(notices[8]).toBe('492 other perf maps are not used, for such reasons');
  });

  test('lines of a perf map that is written in several places count with the memory that they take', () => {
    writeFileSync(pathOf(), '1 1 a\n\0\0');
    const fd = openSync(pathOf(), 'r+');
    const file = { path: pathOf(), pid: 1, inode: 1, fd, sinceNs: 1n, replaces: null };
    const tail = new MapTail(file);
    const readClock = () => ({ wallNs: 0n, clockNs: 2n });
    expect(tail.look(readClock, 1 << 20)).toBe(8);
    const lines = Array.from({ length: 1000 }, (_, line) => `${line} 1 a\n`).join('');
    writeSync(fd, lines, 0);
    utimesSync(pathOf(), 1, 1);
    expect(tail.look(readClock, 1 << 20)).toBeGreaterThan(1000 * 64);
    tail.finish();
  });

  test.skipIf(process.geteuid?.() !== 0)('a perf map of another user is not read', () => {
    const { watch, start, at } = watching();
    start();
    writeFileSync(pathOf(), '1000 10 planted\n');
    chownSync(pathOf(), NOBODY, NOBODY);
    at(2000);
    expect(stored(watch)).toEqual({
      lines: [],
      notices: [`perf map not used: ${pathOf()}: owned by uid ${NOBODY}`],
    });
  });

  test('a map is removed when its process has ended that the recording started', async () => {
    const { watch, start, at } = watching({ kind: 'system' });
    const [early, ours, other] = Array.from({ length: 3 }, () => spawn('sleep', ['600']));
    const pids = [early, ours, other].map((child) => child?.pid as number);
    const left = () => pids.map((pid) => existsSync(pathOf(pid)));
    writeFileSync(pathOf(pids[0]), '1000 10 there\n');
    start();
    for (const pid of pids.slice(1)) writeFileSync(pathOf(pid), '1000 10 new\n');
    at(2000);
    appendFileSync(pathOf(pids[0]), '2000 10 more\n');
    at(4000);
    expect(watch.finish().attachments.length).toBe(3);
    watch.removeMaps(pids.slice(0, 2));
    expect(left()).toEqual([true, true, true]);
    for (const child of [early, ours, other]) {
      child?.kill('SIGKILL');
      await new Promise((ended) => child?.once('exit', ended));
    }
    watch.removeMaps(pids.slice(0, 2));
    // The first was there before the recording, and the last is of a process that it did not start.
    expect(left()).toEqual([true, false, true]);
  });
});

test('a line without an end takes no more memory than the longest that is read', () => {
  const { watch, start, at } = watching();
  start();
  writeFileSync(pathOf(), '1000 10 first\n2000 10 ');
  at(1010);
  for (let i = 0; i < 8; i++) {
    appendFileSync(pathOf(), Buffer.alloc(1 << 20, 'x'));
    at(1020 + i);
  }
  appendFileSync(pathOf(), '\n3000 10 last\n');
  at(1040);
  const { attachments } = watch.finish();
  expect(attachments[0]?.unpackedSize).toBeLessThan(2 << 20);
  const log = inflateSync(attachments[0]?.bytes as Uint8Array);
  const diagnostics = new Diagnostics();
  const table = readMapLog(log, { high: 0, low: 0 }, diagnostics);
  expect([table.name(0), table.name(1)]).toEqual(['first', 'last']);
  expect(table.length).toBe(2);
  expect(diagnostics.entries()).toMatchObject([{ code: 'perf-map-line-too-long' }]);
});
