import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { describeDiagnostics } from '../../../src/findings/diagnostic-text.ts';
import { KernelFiles, type KernelFilesOptions } from '../../../src/read/files/kernel-files.ts';
import { readKernelBuildId } from '../../../src/system/kernel/host-info.ts';

const OTHER_BUILD = 'c0ffee00112233445566778899aabbccddeeff00';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernel-files-'));
  writeFileSync(join(folder, 'running'), 'ffffffff81000000 T running\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(buildId: string | null, options: Partial<KernelFilesOptions> = {}) {
  const diagnostics = new Diagnostics();
  const files = new KernelFiles({
    diagnostics,
    places: {
      debugDirectories: [],
      buildIdDirectory: join(folder, '.debug'),
      debuginfodDirectory: join(folder, 'debuginfod'),
    },
    roots: [],
    mayUseRunning: true,
    kallsymsPath: join(folder, 'running'),
    ...options,
  });
  const source = files.open(buildId);
  const text = source === null ? null : new TextDecoder().decode(source.read(0, source.size));
  source?.close?.();
  return {
    text,
    reasons: describeDiagnostics(diagnostics).map(({ reason, example }) => `${reason}: ${example}`),
  };
}

function store(path: string, symbol: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `ffffffff81000000 T ${symbol}\n`);
  return file;
}

describe('the list of kernel symbols', () => {
  const here = { hostname: hostname(), kernel: release() };

  test("kernel symbols of this machine's recording are its own", () => {
    expect(open(null, { recordedOn: here }).text).toContain('running');
    expect(open(null).text).toContain('running');
    const buildId = readKernelBuildId();
    if (buildId !== null) expect(open(buildId).text).toContain('running');
  });

  test('the running kernel stands in for one that the recording tells nothing of, and that is reported', () => {
    const none = { hostname: null, kernel: null };
    const { text, reasons } = open(null, { recordedOn: none });
    expect(text).toContain('running');
    expect(reasons).toEqual([expect.stringMatching(/^names of kernel code may be wrong/)]);
    expect(open(null, { recordedOn: { ...none, kernel: release() } }).reasons).toEqual([]);
    expect(open(null, { recordedOn: here }).reasons).toEqual([]);
  });

  test.each([
    ['host', { ...here, hostname: 'elsewhere' }, /another machine \(elsewhere, /],
    ['kernel', { ...here, kernel: '4.4.0' }, /another machine \(.*4\.4\.0\)/],
  ])(
    "kernel symbols of another %s are not this machine's, with advice",
    (_what, recordedOn, reason) => {
      const { text, reasons } = open(null, { recordedOn });
      expect(text).toBeNull();
      expect(reasons).toHaveLength(1);
      expect(reasons[0]).toMatch(reason);
      expect(reasons[0]).toContain(
        '--kallsyms (kallsyms) names it: a copy of its /proc/kallsyms, or its vmlinux',
      );
    },
  );

  test('kernel symbols come from the file that the user names', () => {
    const kallsyms = store('given', 'given');
    const recordedOn = { ...here, hostname: 'elsewhere' };
    expect(open(OTHER_BUILD, { kallsyms, recordedOn }).text).toContain('given');
    const { text, reasons } = open(null, { kallsyms: join(folder, 'gone') });
    expect(text).toBeNull();
    expect(reasons[0]).toContain('ENOENT');
  });

  test("kernel symbols come from the archive first, then from perf's cache", () => {
    const recordedOn = { ...here, hostname: 'elsewhere' };
    store(`.debug/.build-id/${OTHER_BUILD.slice(0, 2)}/${OTHER_BUILD.slice(2)}/kallsyms`, 'kept');
    if (readKernelBuildId() !== null) {
      expect(open(OTHER_BUILD, { recordedOn }).text).toContain('kept');
    }
    store('root/proc/kallsyms', 'archived');
    const roots = [join(folder, 'root')];
    expect(open(OTHER_BUILD, { recordedOn, roots }).text).toContain('archived');
  });

  test("this machine's kernel symbols are not used with --symfs", () => {
    expect(open(null, { mayUseRunning: false }).text).toBeNull();
  });
});
