import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { StringTable } from '../../../src/base/string-table.ts';
import { ProcessTable } from '../../../src/code/process/process-table.ts';
import type { SymbolRequest, SymbolSource } from '../../../src/code/symbols/symbol-request.ts';
import { Symbolizer } from '../../../src/code/symbols/symbolizer.ts';
import { describeDiagnostics } from '../../../src/findings/diagnostic-text.ts';
import { SymbolFiles, type SymbolFilesOptions } from '../../../src/read/files/symbol-files.ts';
import type { FileMapping } from '../../../src/system/files/mapped-file.ts';
import { readVdso, readVdsoBuildId } from '../../../src/system/kernel/vdso.ts';
import { canMount, inMountNamespace } from '../../helpers/mount-namespace.ts';

const isRoot = process.geteuid?.() === 0;
const NOBODY = 65534;
const DOUBTFUL_NAMES = 'names may be wrong: file without a build ID, changed since it was recorded';
/** A pid above the kernel's highest: no process can have it. */
const NO_PID = 2 ** 22 + 1;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'symbol-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function files(options: Partial<SymbolFilesOptions> = {}) {
  const diagnostics = new Diagnostics();
  const { provide } = new SymbolFiles({
    diagnostics,
    perfMapDirectory: folder,
    places: {
      debugDirectories: [join(folder, 'debug')],
      buildIdDirectory: join(folder, 'build-ids'),
      debuginfodDirectory: join(folder, 'debuginfod'),
    },
    ...options,
  });
  /** The bytes that come back, as text; null if none do. */
  const ask = (request: SymbolRequest): string | null => textOf(provide(request));
  const reasons = () =>
    describeDiagnostics(diagnostics).map(({ reason, example }) => `${reason}: ${example}`);
  return { provide, ask, reasons };
}

/** Device and inode of a file, as mappings have them. */
function numbersOf(path: string): { readonly device: string; readonly ino: number } {
  const [device, ino] = execFileSync('stat', ['-c', '%Hd:%Ld %i', path], {
    encoding: 'utf8',
  }).split(' ');
  return { device, ino: Number(ino) };
}

function textOf(source: SymbolSource | null): string | null {
  if (source === null) return null;
  const text = new TextDecoder().decode(source.read(0, source.size));
  source.close?.();
  return text;
}

const elf = (path: string, fileId = ''): SymbolRequest => ({
  need: 'elf',
  dso: { kind: 'user-file', path, fileId },
  buildId: null,
});
const perfMap = (pid: number): SymbolRequest => ({
  need: 'perf-map',
  dso: { kind: 'jit', pid },
  buildId: null,
});

describe('a mapped file', () => {
  test('a mapped file is read at any offset, and closed once', () => {
    const path = join(folder, 'app');
    writeFileSync(path, '0123456789');
    const before = readdirSync('/proc/self/fd').length;
    const source = files().provide(elf(path));
    expect(new TextDecoder().decode(source?.read(3, 4))).toBe('3456');
    expect(source?.read(8, 100)).toHaveLength(2);
    expect(source?.read(50, 10)).toHaveLength(0);
    source?.close?.();
    source?.close?.();
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  });

  test('a mapped file may be a symbolic link', () => {
    writeFileSync(join(folder, 'libx.so.1.2'), 'library');
    symlinkSync('libx.so.1.2', join(folder, 'libx.so'));
    expect(files().ask(elf(join(folder, 'libx.so')))).toBe('library');
  });

  test('a deleted file is looked for under its old name', () => {
    writeFileSync(join(folder, 'app'), 'new');
    expect(files().ask(elf(`${join(folder, 'app')} (deleted)`))).toBe('new');
  });

  test('a mapped file that is a FIFO, a folder or a device is refused without waiting', () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const { ask, reasons } = files();
    expect([fifo, folder, '/dev/zero'].map((path) => ask(elf(path)))).toEqual([null, null, null]);
    expect(reasons()).toEqual([
      `no names for ${fifo}: file can not be read (not a regular file): `,
      `no names for ${folder}: file can not be read (not a regular file): `,
      'no names for /dev/zero: file can not be read (not a regular file): ',
    ]);
  });

  test('a missing file, or a relative path, is refused', () => {
    const { ask, reasons } = files();
    expect(ask(elf(join(folder, 'gone')))).toBeNull();
    expect(ask(elf('app'))).toBeNull();
    expect(reasons()).toEqual([`no names for ${folder}/gone: file can not be read (ENOENT): `]);
  });

  test('a file of another device or inode than recorded is doubted', () => {
    const path = join(folder, 'app');
    writeFileSync(path, 'bytes');
    const { device, ino } = numbersOf(path);
    const same = files();
    expect(same.ask(elf(path, `${device}:${ino}`))).toBe('bytes');
    expect(same.reasons()).toEqual([]);
    for (const fileId of [`${device}:${ino + 1}`, `77:77:${ino}`]) {
      const other = files();
      expect(other.ask(elf(path, fileId))).toBe('bytes');
      expect(other.reasons()[0]).toMatch(/^file may have been replaced/);
      const strict = files({ mustBeRecorded: true });
      expect(strict.ask(elf(path, fileId))).toBeNull();
      expect(strict.reasons()[0]).toContain('nothing proves that the file there is the mapped one');
    }
  });

  test('a mapped file without a build ID that changed since the recording is doubted', () => {
    const path = join(folder, 'app');
    writeFileSync(path, 'bytes');
    const { device, ino } = numbersOf(path);
    const { mtimeMs } = statSync(path);
    const recorded = elf(path, `${device}:${ino}`);
    const doubts = (options: Partial<SymbolFilesOptions>, request = recorded) => {
      const { ask, reasons } = files(options);
      ask(request);
      return reasons().filter((reason) => reason.startsWith('names may be wrong'));
    };
    expect(doubts({ recordedUntilMs: mtimeMs })).toEqual([]);
    expect(doubts({ recordedUntilMs: mtimeMs - 1 })).toEqual([`${DOUBTFUL_NAMES}: ${path}`]);
    const ofOtherInode = elf(path, `${device}:${ino + 1}`);
    expect(doubts({ recordedUntilMs: mtimeMs - 1 }, ofOtherInode)).toHaveLength(1);
    // Of copies the time says nothing, and without a time nothing is known.
    expect(doubts({ recordedUntilMs: mtimeMs - 1, symfs: '/' })).toEqual([]);
    expect(doubts({ recordedUntilMs: mtimeMs - 1, archive: '/' })).toEqual([]);
    expect(doubts({ recordedUntilMs: null })).toEqual([]);
    expect(doubts({})).toEqual([]);
  });

  test.skipIf(!canMount())('a file is that of the process that has mapped it', async () => {
    const path = join(folder, 'app');
    copyFileSync('/bin/sleep', path);
    const [before, ...words] = inMountNamespace(
      `mount -t tmpfs tmpfs ${folder}; cp /bin/cat ${path}`,
    );
    const inside = spawn(before, [...words, path], { stdio: ['pipe', 'ignore', 'ignore'] });
    const pid = inside.pid as number;
    try {
      // Paths of other mounts begin outside of a root of our own.
      await expect.poll(() => readlinkSync(`/proc/${pid}/exe`).endsWith(path)).toBe(true);
      const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
      const [, start, end, major, minor, inode] =
        new RegExp(`^(\\w+)-(\\w+) r-xp \\w+ (\\w+):(\\w+) (\\d+) +\\S*${path}$`, 'm').exec(maps) ??
        [];
      const [first, last] = [parseInt(start, 16), parseInt(end, 16)];
      const request = elf(path, `${parseInt(major, 16)}:${parseInt(minor, 16)}:${inode}`);
      const cat = readFileSync('/bin/cat', 'latin1');
      const asked = (mapping: FileMapping) => {
        const { provide, reasons } = files({ mappingsOf: () => [mapping], mustBeRecorded: true });
        const source = provide(request);
        const bytes = source && Buffer.from(source.read(0, source.size)).toString('latin1');
        source?.close?.();
        return { isCat: bytes === cat, isNothing: bytes === null, reasons: reasons() };
      };
      const found = { isCat: true, isNothing: false, reasons: [] };
      expect(asked({ pid, start: first, end: last })).toEqual(found);
      // In our root is another program at that path.
      const mapping = { pid: process.pid, start: first, end: last };
      expect(asked(mapping)).toMatchObject({ isCat: false, isNothing: true });
      rmSync(`/proc/${pid}/root${path}`);
      expect(asked({ pid, start: first, end: last })).toEqual(found);
    } finally {
      inside.kill('SIGKILL');
    }
  });
});

describe('a debug file', () => {
  test('debug files are offered by build ID first, then where the debuglink may be', () => {
    const app = join(folder, 'app');
    const places = [
      join(folder, 'debug/.build-id/ab/cdef.debug'),
      join(folder, 'app.debug'),
      join(folder, '.debug/app.debug'),
      join(folder, 'debug', folder, 'app.debug'),
    ];
    for (const place of places) {
      mkdirSync(join(place, '..'), { recursive: true });
      writeFileSync(place, place);
    }
    rmSync(places[1]);
    const { ask } = files();
    const request = (attempt: number): SymbolRequest => ({
      need: 'debug-elf',
      dso: { kind: 'user-file', path: app, fileId: '' },
      buildId: 'abcdef',
      debuglink: { name: 'app.debug', crc: 0 },
      attempt,
    });
    expect([0, 1, 2, 3].map((attempt) => ask(request(attempt)))).toEqual([
      places[0],
      places[2],
      places[3],
      null,
    ]);
  });
});

describe('a perf map', () => {
  const path = (pid: number) => join(folder, `perf-${pid}.map`);

  test('our own perf map is read', () => {
    writeFileSync(path(NO_PID), '1000 10 f\n', { mode: 0o644 });
    const { ask, reasons } = files();
    expect(ask(perfMap(NO_PID))).toBe('1000 10 f\n');
    expect(reasons()).toEqual([]);
  });

  test('a world-writable perf map is read, with a note', () => {
    writeFileSync(path(NO_PID), 'map');
    chmodSync(path(NO_PID), 0o666);
    const { ask, reasons } = files();
    expect(ask(perfMap(NO_PID))).toBe('map');
    expect(reasons()).toEqual([`perf map is writable by all: ${path(NO_PID)}`]);
  });

  test('a perf map that is a link is ignored', () => {
    writeFileSync(join(folder, 'real'), 'map');
    symlinkSync(join(folder, 'real'), path(NO_PID));
    const { ask, reasons } = files();
    expect(ask(perfMap(NO_PID))).toBeNull();
    expect(reasons()).toEqual([`perf map not used: ${path(NO_PID)}: a symbolic link`]);
  });

  test('a perf map that is a FIFO or a folder is ignored without waiting', () => {
    execFileSync('mkfifo', [path(NO_PID)]);
    mkdirSync(path(NO_PID + 1));
    const { ask, reasons } = files();
    expect([ask(perfMap(NO_PID)), ask(perfMap(NO_PID + 1))]).toEqual([null, null]);
    expect(reasons()[0]).toBe(`perf map not used: ${path(NO_PID)}: not a regular file`);
  });

  test.skipIf(!isRoot)(
    "a third user's perf map is ignored, and the warning names the owner",
    () => {
      writeFileSync(path(NO_PID), 'planted');
      chownSync(path(NO_PID), NOBODY, NOBODY);
      const { ask, reasons } = files();
      expect(ask(perfMap(NO_PID))).toBeNull();
      expect(reasons()).toEqual([`perf map not used: ${path(NO_PID)}: owned by uid ${NOBODY}`]);
      expect(files({ trustedUids: [NOBODY] }).ask(perfMap(NO_PID))).toBe('planted');
    },
  );

  test.skipIf(!isRoot)("a perf map of the target's user is read", async () => {
    const target = spawn('sleep', ['60'], { uid: NOBODY, gid: NOBODY, stdio: 'ignore' });
    try {
      await new Promise((resolve) => target.once('spawn', resolve));
      const pid = target.pid as number;
      writeFileSync(path(pid), 'map');
      chownSync(path(pid), NOBODY, NOBODY);
      expect(files().ask(perfMap(pid))).toBe('map');
    } finally {
      target.kill();
    }
  });

  describe('that was found here after the recording', () => {
    const SECOND = 1000;
    const ended = Date.now() - 60 * SECOND;
    const leave = (pid: number, modifiedMs: number): void => {
      writeFileSync(path(pid), '1000 10 f\n', { mode: 0o644 });
      // Every file is born now: what matters is which end of a recording it is compared with.
      utimesSync(path(pid), modifiedMs / SECOND, modifiedMs / SECOND);
    };
    const asked = (pid: number, options: Partial<SymbolFilesOptions>) => {
      const { ask, reasons } = files(options);
      return { text: ask(perfMap(pid)), reasons: reasons() };
    };

    test.each([
      [{ hostname: 'other-host', kernel: release() }, /recorded on another machine \(other-host/],
      [{ hostname: hostname(), kernel: '5.10.0-1' }, /recorded on another machine .*5\.10\.0-1/],
    ])('a perf map is not used for a recording of another machine: %o', (recordedOn, why) => {
      leave(NO_PID, ended - SECOND);
      const { text, reasons } = asked(NO_PID, { recordedOn, recordedUntilMs: ended });
      expect(text).toBeNull();
      expect(reasons).toEqual([expect.stringMatching(/^perf map not used: .*of this machine/)]);
      expect(reasons[0]).toMatch(why);
      const copy = join(folder, 'copy');
      mkdirSync(join(copy, folder), { recursive: true });
      renameSync(path(NO_PID), join(copy, path(NO_PID)));
      const copied = asked(NO_PID, { recordedOn, recordedUntilMs: ended, archive: copy });
      expect(copied).toEqual({ text: '1000 10 f\n', reasons: [] });
    });

    test('a perf map not written since the recording is used', () => {
      leave(NO_PID, ended - SECOND);
      const { text, reasons } = asked(NO_PID, { recordedUntilMs: ended });
      expect([text, reasons]).toEqual(['1000 10 f\n', []]);
    });

    test('a perf map made after the recording by a process that is gone is not used', ({
      skip,
    }) => {
      skip(statSync(folder).birthtimeMs === 0, 'this file system keeps no times of birth');
      leave(NO_PID, Date.now());
      const { text, reasons } = asked(NO_PID, { recordedUntilMs: ended });
      expect(text).toBeNull();
      expect(reasons[0]).toContain('it was made after the recording had ended');
    });

    test('a perf map changed since the recording is used with a doubt', () => {
      leave(NO_PID, Date.now() + 60 * SECOND);
      const { text, reasons } = asked(NO_PID, { recordedUntilMs: Date.now() + 30 * SECOND });
      expect([text, reasons]).toEqual(['1000 10 f\n', [`${DOUBTFUL_NAMES}: ${path(NO_PID)}`]]);
    });

    test('a perf map of a process that runs on is used with a doubt', () => {
      leave(process.pid, Date.now() + 60 * SECOND);
      const { text, reasons } = asked(process.pid, { recordedUntilMs: Date.now() });
      expect(text).toBe('1000 10 f\n');
      expect(reasons).toEqual([expect.stringContaining(DOUBTFUL_NAMES)]);
    });

    test('a perf map is not used once another process has the pid', () => {
      const before = Date.now() - process.uptime() * SECOND - 60 * SECOND;
      leave(process.pid, Date.now());
      const { text, reasons } = asked(process.pid, { recordedUntilMs: before });
      expect(text).toBeNull();
      expect(reasons[0]).toContain(`another process, which has the number ${process.pid} now`);
    });
  });

  test('a missing perf map is reported with advice', () => {
    const { ask, reasons } = files();
    expect(ask(perfMap(NO_PID))).toBeNull();
    expect(reasons()).toEqual([
      expect.stringMatching(new RegExp(`^no perf map for JIT code .*: ${path(NO_PID)}$`)),
    ]);
  });
});

describe('the kernel', () => {
  test('kallsyms are read from the given path', () => {
    const kallsymsPath = join(folder, 'kallsyms');
    writeFileSync(kallsymsPath, 'ffffffff81000000 T _text\n');
    const request: SymbolRequest = { need: 'kallsyms', dso: { kind: 'kernel' }, buildId: null };
    expect(files({ kallsymsPath }).ask(request)).toBe('ffffffff81000000 T _text\n');
    expect(files({ kallsymsPath: join(folder, 'gone') }).ask(request)).toBeNull();
  });

  test('kallsyms of the running kernel are not used for another', () => {
    const { ask, reasons } = files({ kallsymsPath: '/proc/version' });
    const request: SymbolRequest = { need: 'kallsyms', dso: { kind: 'kernel' }, buildId: 'c0ffee' };
    const canReport = readFileSync('/sys/kernel/notes').includes('GNU\0');
    expect(ask(request) === null).toBe(canReport);
    expect(reasons()).toHaveLength(canReport ? 1 : 0);
  });

  test("a vDSO of another kernel comes from perf's cache, if it has the build ID that it is kept by", () => {
    const bytes = readVdso() as Uint8Array;
    const buildId = readVdsoBuildId() as string;
    const keep = (id: string) => {
      const place = join(folder, 'build-ids', '.build-id', id.slice(0, 2), id.slice(2));
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, 'vdso'), bytes);
    };
    const { provide } = files({ symfs: join(folder, 'nothing') });
    const askFor = (id: string) => {
      const source = provide({ need: 'vdso', dso: { kind: 'vdso' }, buildId: id });
      const size = source?.size ?? null;
      source?.close?.();
      return size;
    };
    expect(askFor(buildId)).toBeNull();
    keep(buildId);
    expect(askFor(buildId)).toBe(bytes.length);
    const other = buildId.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    keep(other);
    expect(askFor(other)).toBeNull();
  });

  test('vDSO comes from our own memory and names the clock calls', () => {
    const diagnostics = new Diagnostics();
    const { dsos } = new ProcessTable(new StringTable());
    const { provide } = new SymbolFiles({ diagnostics });
    const source = provide({ need: 'vdso', dso: { kind: 'vdso' }, buildId: null });
    const symbolizer = new Symbolizer({
      dsos,
      diagnostics,
      provider: provide,
      demangleCpp: null,
      kernelReference: null,
    });
    const vdso = dsos.intern({ kind: 'vdso' });
    const names = new Set<string | undefined>();
    for (let offset = 0; offset < (source?.size ?? 0); offset += 16) {
      names.add(symbolizer.resolve(vdso, offset)?.name);
    }
    expect([...names].filter((name) => name?.includes('clock_gettime'))).not.toEqual([]);
  });
});
