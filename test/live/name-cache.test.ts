import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readKernelImage } from '../../src/system/kernel/running-kernel.ts';
import {
  cleanEnvironment,
  keepingNames,
  perfTs,
  scratchDirectory,
  startPerfTs,
} from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { canMount, inMountNamespace } from '../helpers/mount-namespace.ts';
import { NOBODY } from '../helpers/nobody.ts';
import { until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const isRoot = process.geteuid?.() === 0;

/** A folder of caches, empty, with its environment. */
function emptyCache() {
  const home = mkdtempSync(join(scratch, 'cache-'));
  return { home, own: join(home, 'perf-ts'), env: { ...keepingNames(), XDG_CACHE_HOME: home } };
}

describeLiveAsUser('the cache of names', () => {
  const file = join(scratch, 'workload.data');
  const recorded = perfTs([
    ...['record', '-q', '-e', 'cpu-clock:u', '-F', '5000', '-g', '-o', file],
    ...['--', compileWorkload(), 'burn', '1', '0.5', '8'],
  ]);
  const words = ['report', '-v', file];
  const plain = perfTs(words, { env: { ...cleanEnvironment(), PERF_TS_NO_CACHE: '1' } });

  it('the report is the same without a cache, with an empty one and with a full one', () => {
    expect(recorded.status).toBe(0);
    expect(plain.stdout).toContain('leaf');
    const { own, env } = emptyCache();
    const outcomes = [perfTs(words, { env }), perfTs(words, { env })];
    for (const outcome of outcomes) expect(outcome).toEqual(plain);
    expect(readdirSync(own).length).toBeGreaterThan(1);
  });

  it('PERF_TS_NO_CACHE keeps the cache from being read and made', () => {
    const { home, env } = emptyCache();
    expect(perfTs(words, { env: { ...env, PERF_TS_NO_CACHE: '1' } })).toEqual(plain);
    expect(readdirSync(home)).toEqual([]);
  });

  it('several reports at once share a cache, and find it deleted', async () => {
    const { own, env } = emptyCache();
    const running = Array.from({ length: 4 }, () => startPerfTs(words, { env }));
    // At once, whatever they put into it meanwhile.
    await until(() => existsSync(own) && readdirSync(own).length > 0);
    renameSync(own, `${own}.deleted`);
    rmSync(`${own}.deleted`, { recursive: true });
    for (const outcome of await Promise.all(running.map(({ ended }) => ended))) {
      expect(outcome).toEqual(plain);
    }
    expect(perfTs(words, { env })).toEqual(plain);
    expect(readdirSync(own).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it.skipIf(!isRoot)('root leaves nothing in the home of another user, whatever HOME is', () => {
    const { home, env } = emptyCache();
    chownSync(home, NOBODY, NOBODY);
    const { XDG_CACHE_HOME: _, ...rest } = env;
    expect(perfTs(words, { env: { ...rest, HOME: home } })).toEqual(plain);
    expect(perfTs(words, { env })).toEqual(plain);
    expect(readdirSync(home)).toEqual([]);
  });

  it.skipIf(isRoot)('the report does without a cache that it may not write', () => {
    const { home, env } = emptyCache();
    chmodSync(home, 0o500);
    expect(perfTs(words, { env })).toEqual(plain);
  });

  it.skipIf(!canMount())('the report does without a cache on a full or a read-only disk', () => {
    const { home, own, env } = emptyCache();
    mkdirSync(own, { mode: 0o700 });
    const mounts = [
      `mount -t tmpfs -o size=4k,mode=700 tmpfs ${home}`,
      `mount -t tmpfs -o size=64k,mode=700 tmpfs ${home}; mkdir -m 700 ${own}; head -c 65536 /dev/zero > ${home}/zeros || true`,
      `mount --bind ${home} ${home}; mount -o remount,ro,bind ${home}`,
    ];
    for (const mount of mounts) {
      expect(perfTs(words, { env, under: inMountNamespace(mount) }), mount).toEqual(plain);
    }
  });
});

describeLiveAsUser('the cache of profiles', () => {
  const file = join(scratch, 'node.data');
  const script = join(scratch, 'busy.cjs');
  writeFileSync(
    script,
    `function own(n) { return n < 2 ? n : own(n - 1) + own(n - 2); }
    while (process.cpuUsage().user < 1.5e6) JSON.parse(JSON.stringify([own(15), 'a', {}]));`,
  );
  const recorded = perfTs([
    ...['record', '-q', '-e', 'cpu-clock:u', '-F', '20000', '-o', file],
    ...['--', process.execPath, script],
  ]);

  it.each([
    ['report', '--json'],
    ['export', '--format', 'folded', '-o', '-'],
    ['diff', file, '--json'],
  ])(
    '%s prints of a profile of Node that was kept what it prints of the recording',
    async (...words) => {
      expect(recorded.status).toBe(0);
      const { own, env } = emptyCache();
      const asked = [...words, file];
      const plain = perfTs(asked, { env: { ...cleanEnvironment(), PERF_TS_NO_CACHE: '1' } });
      expect(plain.stdout).toContain('own');
      // A file that has just been written could change without a sign of it.
      await until(() => Date.now() - lstatSync(file).ctimeMs > 3000);
      const kept = () => readdirSync(own).filter((name) => name.startsWith('profile-'));
      expect(perfTs(asked, { env })).toEqual(plain);
      expect(kept()).toHaveLength(1);
      const outcome = perfTs(asked, { env: { ...env, PERF_TS_DEBUG: 'read' } });
      expect(outcome.stdout).toBe(plain.stdout);
      expect(outcome.stderr).toContain('an earlier run has read it');
      expect(perfTs(asked, { env: { ...env, PERF_TS_NO_CACHE: 'profiles' } })).toEqual(plain);
    },
  );
});

describeLiveAsUser("the cache of the kernel's symbols", () => {
  // A thread that sleeps is switched out at least once, in the kernel.
  const record = (env: NodeJS.ProcessEnv) =>
    perfTs(
      [
        ...['record', '-q', '-e', 'context-switches', '-c', '1', '-g'],
        ...['-o', join(scratch, 'switches.data'), '--', 'sleep', '0.01'],
      ],
      { env },
    );

  // Not in a container without CAP_SYSLOG.
  const isShown = isRoot && process.arch === 'x64' && readKernelImage().text !== null;

  it.runIf(isShown)('a recording of the kernel makes the cache, and the next keeps it', () => {
    const { own, env } = emptyCache();
    const inode = () => lstatSync(join(own, 'kernel')).ino;
    expect(record(env)).toMatchObject({ status: 0, stderr: '' });
    const made = inode();
    expect(record(env)).toMatchObject({ status: 0, stderr: '' });
    expect(inode()).toBe(made);
    expect(perfTs(['report', join(scratch, 'switches.data')], { env }).stdout).toContain(
      'schedule',
    );
  });

  it.each(['1', 'kernel'])('the cache is not made with PERF_TS_NO_CACHE=%s', (value) => {
    const { own, env } = emptyCache();
    expect(record({ ...env, PERF_TS_NO_CACHE: value })).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(join(own, 'kernel'))).toBe(false);
  });
});
