import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ByteWriter } from '../../../src/base/byte-writer.ts';
import { MAX_STORED_JITDUMP_BYTES } from '../../../src/read/jit/dump-name.ts';
import { JitDumps, type JitDumpsOptions } from '../../../src/record/jit-maps/jit-dumps.ts';

/** A process that has ended, whose number nobody has got since. */
const ended = spawnSync(process.execPath, ['-e', '']).pid;

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dumps-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function dumps(dumpsIn: JitDumpsOptions['dumpsIn'], startedMs = 0): JitDumps {
  return new JitDumps({
    dumpsIn,
    target: { kind: 'command', command: { path: '', argv: [], env: [] } },
    childPid: ended,
    commandUid: null,
    startedMs,
  });
}

function header(pid: number): Uint8Array {
  const out = new ByteWriter().u32(0x4a695444).u32(1).u32(40).u32(62).u32(0).u32(pid);
  return out.u64(0).u64(0).finish();
}

function dump(name: string, pid = ended): string {
  const path = join(directory, name);
  writeFileSync(path, header(pid));
  return path;
}

function take(from: JitDumps, directories = new Map([[ended, directory]])) {
  const reported: string[] = [];
  const attachments = from.take(directories, (notice) => reported.push(notice));
  return { attachments, names: attachments.map(({ name }) => name), reported };
}

describe('jitdumps that were asked for', () => {
  test('the dump in the directory of a process is stored, and removed when it has ended', () => {
    const path = dump(`jit-${ended}.dump`);
    const from = dumps('.');
    const { attachments, names, reported } = take(from);
    expect(names).toEqual([`jitdump/${ended}/jit-${ended}.dump`]);
    const bytes = attachments[0]?.bytes ?? new Uint8Array();
    expect(new Uint8Array(inflateSync(bytes))).toEqual(header(ended));
    expect(reported).toEqual([
      expect.stringMatching(/^a jitdump of 40 B: \d+ B in the recording$/),
    ]);
    expect(existsSync(path)).toBe(true);
    from.remove();
    expect(existsSync(path)).toBe(false);
  });

  test('the dump of a process that runs on stays', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
    const pid = child.pid as number;
    try {
      const path = dump(`jit-${pid}.dump`, pid);
      const from = dumps('.');
      expect(take(from, new Map([[pid, directory]])).reported[0]).toContain(
        `process ${pid} runs on`,
      );
      from.remove();
      expect(existsSync(path)).toBe(true);
      const isGone = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await isGone;
      from.remove();
      expect(existsSync(path)).toBe(false);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('a dump of JavaScriptCore is known by its process', () => {
    const ours = dump(`jit-77-${ended}-a1B2c3`);
    const others = [
      dump(`jit-77-${ended}.dump`),
      dump(`jit-${ended}-${process.pid}-a1B2c3`, process.pid),
      dump(`jit-77-${ended}-a1B2c3d`),
    ];
    const from = dumps(directory);
    expect(take(from).names).toEqual([`jitdump/${ended}/jit-77-${ended}-a1B2c3`]);
    from.remove();
    expect(existsSync(ours)).toBe(false);
    expect(others.map((path) => existsSync(path))).toEqual([true, true, true]);
  });

  test('a file from before the recording is neither stored nor removed', () => {
    const path = dump(`jit-77-${ended}-a1B2c3`);
    utimesSync(path, 1000, 1000);
    const from = dumps(directory, 2_000_000);
    expect(take(from).names).toEqual([]);
    from.remove();
    expect(existsSync(path)).toBe(true);
  });

  test('a link, a dump of another process and no dump at all are left alone', () => {
    const path = join(directory, `jit-${ended}.dump`);
    symlinkSync('/etc/hostname', path);
    const from = dumps('.');
    expect(take(from)).toMatchObject({
      names: [],
      reported: [`jitdump not used: ${path}: a symbolic link`],
    });
    rmSync(path);
    dump(`jit-${ended}.dump`, ended + 1);
    expect(take(from)).toMatchObject({ names: [], reported: [] });
    writeFileSync(path, 'text');
    expect(take(from)).toMatchObject({ names: [], reported: [] });
    from.remove();
    expect(existsSync(path)).toBe(true);
  });

  test('a dump larger than what is stored is cut, and that is reported', () => {
    const path = dump(`jit-${ended}.dump`);
    truncateSync(path, MAX_STORED_JITDUMP_BYTES + 1);
    const { attachments, reported } = take(dumps('.'));
    expect(attachments[0]?.unpackedSize).toBe(MAX_STORED_JITDUMP_BYTES);
    expect(reported[0]).toContain('code behind them will have no names');
  });

  test('jitdumps are not looked for without a request', () => {
    dump(`jit-${ended}.dump`);
    expect(take(dumps(null))).toMatchObject({ names: [], reported: [] });
  });
});
