// What a recording leaves behind where it fails, and where somebody else is at work in its folder.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { SIGNAL_DEBOUNCE_MS } from '../../src/cli/shared/ending-signals.ts';
import {
  CLI,
  cleanEnvironment,
  infoOf,
  perfTs,
  scratchDirectory,
  startPerfTs,
} from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLiveAsUser } from '../helpers/live.ts';
import { canMount, inMountNamespace } from '../helpers/mount-namespace.ts';
import { NOBODY } from '../helpers/nobody.ts';
import { stateOf, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const isRoot = process.geteuid?.() === 0;
const itAsRoot = it.skipIf(!isRoot);
const itWithMounts = it.skipIf(!canMount());

const sudo = {
  ...cleanEnvironment(),
  SUDO_UID: `${NOBODY}`,
  SUDO_GID: `${NOBODY}`,
  SUDO_USER: 'nobody',
};

/** A folder, of `uid` if it is said, with two earlier recordings. */
function place(uid?: number): { folder: string; file: string } {
  chmodSync(scratch, 0o755);
  const folder = mkdtempSync(join(scratch, 'place-'));
  const file = join(folder, 'perf.data');
  writeFileSync(file, 'the last');
  writeFileSync(`${file}.old`, 'the last but one');
  if (uid !== undefined) {
    for (const path of [folder, file, `${file}.old`]) chownSync(path, uid, uid);
  }
  return { folder, file };
}

function expectEarlierFiles({ folder, file }: ReturnType<typeof place>): void {
  expect(readdirSync(folder).sort()).toEqual(['perf.data', 'perf.data.old']);
  expect(readFileSync(file, 'utf8')).toBe('the last');
  expect(readFileSync(`${file}.old`, 'utf8')).toBe('the last but one');
}

const CLOCK = ['record', '-e', 'cpu-clock'];

describeLiveAsUser('a recording that can not begin', () => {
  it('a failed rename leaves both earlier ones where they were', () => {
    const { folder, file } = place();
    const script = join(scratch, 'no-interpreter');
    writeFileSync(script, '#!/nonexistent/interpreter\n', { mode: 0o755 });
    const { status, stderr } = perfTs([...CLOCK, '-o', file, '--', script]);
    expect(stderr).toContain('/nonexistent/interpreter');
    expect(status).toBe(126);
    expectEarlierFiles({ folder, file });
  });

  itWithMounts('a full disk leaves both earlier recordings where they were', () => {
    const mount = mkdtempSync(join(scratch, 'full-'));
    const after = mkdtempSync(join(scratch, 'after-'));
    // The machine's processes alone take more room than that.
    const script = `
      mount -t tmpfs -o size=24k tmpfs ${mount}
      printf 'the last' > ${mount}/perf.data
      printf 'the last but one' > ${mount}/perf.data.old
      "$@" && status=0 || status=$?
      cp -a ${mount}/. ${after}
      exit $status`;
    const under = ['unshare', '-m', 'sh', '-ec', script, 'sh'];
    const file = join(mount, 'perf.data');
    const { status, stderr } = perfTs([...CLOCK, '-a', '-o', file, '--', 'true'], { under });
    expect(stderr).toContain(`cannot write ${file}: no space left on the device\n`);
    expect(status).toBe(125);
    expectEarlierFiles({ folder: after, file: join(after, 'perf.data') });
  });

  itWithMounts(
    'a disk that is full meanwhile costs the last samples, not the names of the others',
    () => {
      const mount = mkdtempSync(join(scratch, 'full-'));
      const copy = join(scratch, 'copied.data');
      const program = join(scratch, 'until-full.cjs');
      // Two seconds of samples take more than is free then; those of Node's start, a part of what is kept.
      writeFileSync(
        program,
        `const { statfsSync } = require('node:fs');
       function parse(text) { let n = 0; for (let i = 0; i < text.length; i++) n = (n * 31 + text.charCodeAt(i)) | 0; return n; }
       function work() { for (let i = 0; i < 30_000; i++) parse('abcdefghijklmnop' + i); }
       const cpuMs = () => process.cpuUsage().user / 1000;
       const free = () => { const { bfree, blocks } = statfsSync('${mount}'); return bfree / blocks; };
       while (free() > 0.2) work();
       for (const end = cpuMs() + 2000; cpuMs() < end; ) work();`,
      );
      const script = `
      mount -t tmpfs -o size=3m tmpfs ${mount}
      "$@" && status=0 || status=$?
      cp ${mount}/perf.data ${copy}
      exit $status`;
      const under = ['unshare', '-m', 'sh', '-ec', script, 'sh'];
      const words = ['-g', '-o', join(mount, 'perf.data'), '--', process.execPath, program];
      const { status, stderr } = perfTs([...CLOCK, ...words], { under });
      expect(stderr).toMatch(/the last [\d ]+ samples have made room for names\n/);
      expect(status).toBe(125);
      expect(infoOf(copy)).toMatchObject({ truncatedAt: null });
      const [, samples] = stderr.match(/([\d ]+) samples of cpu-clock/) ?? [];
      const report = perfTs(['report', '--strict', '-i', copy]);
      expect(report.status).toBe(0);
      expect(report.stdout).toContain(`${samples} samples`);
      expect(report.stdout).toMatch(/until-full\.cjs:2 +parse\n/);
    },
  );
});

describeLiveAsUser('a recording under sudo', () => {
  itAsRoot('the output under sudo belongs to the caller where no file may be given away', () => {
    const { folder, file } = place(NOBODY);
    const under = ['setpriv', '--bounding-set=-chown'];
    const { status, stderr } = perfTs([...CLOCK, '-q', '-o', file, '--', 'true'], {
      under,
      env: sudo,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(statSync(file).uid).toBe(NOBODY);
    expect(readdirSync(folder).sort()).toEqual(['perf.data', 'perf.data.old']);
    expect(infoOf(file)).toMatchObject({ truncatedAt: null });
  });

  itAsRoot(
    "the output under sudo stays root's, and a notice says so, where the caller may not write and nothing is given away",
    () => {
      const { file } = place(0);
      const under = ['setpriv', '--bounding-set=-chown'];
      const { status, stderr } = perfTs([...CLOCK, '-o', file, '--', 'true'], { under, env: sudo });
      expect(status).toBe(0);
      expect(stderr).toContain(`${file} stays root's: it can't be given to another user (EPERM)`);
      expect(statSync(file).uid).toBe(0);
      expect(infoOf(file)).toMatchObject({ truncatedAt: null });
    },
  );

  itAsRoot(
    'a refused recording is unwound without touching what its program puts at the name of the new file',
    () => {
      const { folder, file } = place(NOBODY);
      const victim = join(mkdtempSync(join(scratch, 'closed-')), 'victim');
      writeFileSync(victim, 'of root', { mode: 0o600 });
      // Runs on beside the recorder when the command has ended, as the caller.
      const attack = join(scratch, 'attack.sh');
      // The checkout may lie in a folder that is closed to the caller.
      const program = join(folder, 'program');
      copyFileSync(compileWorkload(), program);
      const swapped = join(folder, 'swapped');
      writeFileSync(
        attack,
        `cd ${folder}
       (while :; do for f in *.unwound-*; do
          [ -e "$f" ] && mv "$f" taken && ln -s ${victim} "$f" && : > ${swapped} && exit
        done; done) > /dev/null 2>&1 < /dev/null &
       echo $! > attacker
       ./program pf 30000`,
      );
      const flags = ['-e', 'page-faults', '-c', '1', '--call-graph', 'auto,512'];
      const { status } = perfTs(['record', ...flags, '-o', file, '--', 'sh', attack], {
        env: sudo,
      });
      spawnSync('kill', ['-9', readFileSync(join(folder, 'attacker'), 'utf8').trim()]);
      expect(existsSync(swapped), 'the attack found the file').toBe(true);
      expect(status).toBe(0);
      const { uid, gid, mode } = statSync(victim);
      expect([uid, gid, mode & 0o777]).toEqual([0, 0, 0o600]);
      expect(readFileSync(victim, 'utf8')).toBe('of root');
      expect(infoOf(file)).toMatchObject({ truncatedAt: null });
    },
  );
});

describeLiveAsUser('stacks that are unwound at the end', () => {
  it('unwinding at the end keeps no signal waiting, and a process that quits leaves the recording whole', async () => {
    const { folder, file } = place();
    const flags = ['-e', 'page-faults', '-c', '1', '--call-graph', 'auto,1024', '-o', file];
    const command = [compileWorkload(), 'pf', '0', '60'];
    const { child, pid, ended, stderr } = startPerfTs(['record', ...flags, '--', ...command]);
    const hasEnded = () => child.exitCode !== null;
    const isUnwinding = () => readdirSync(folder).some((name) => name.includes('.unwound-'));
    await until(() => (existsSync(file) && statSync(file).size > 40_000_000) || hasEnded());
    child.kill('SIGINT');
    await until(() => isUnwinding() || hasEnded());
    const handledMs = performance.now();
    // The unwinding may take less time than it takes for a second interrupt to count as one.
    child.kill('SIGSTOP');
    await until(() => stateOf(pid) === 'T' || hasEnded());
    expect(isUnwinding(), 'the unwinding is under way').toBe(true);
    await until(() => performance.now() - handledMs > SIGNAL_DEBOUNCE_MS);
    child.kill('SIGINT');
    child.kill('SIGCONT');
    expect((await ended).status, stderr()).toBe(130);
    expect(readdirSync(folder).sort()).toEqual(['perf.data', 'perf.data.old']);
    expect(infoOf(file).events[0]?.sampleType).toContain('STACK_USER');
    expect(infoOf(file)).toMatchObject({ truncatedAt: null });
  });
});

describeLiveAsUser('a recording whose folder is removed while it is written', () => {
  it.each([
    ['as usual', []],
    ['with -q', ['-q']],
    ['with --archive', ['--archive']],
  ])('fails with one sentence %s', (_, options) => {
    const { folder, file } = place();
    const words = [...CLOCK, ...options, '-o', file, '--', 'rm', '-r', folder];
    const { status, stderr } = perfTs(words);
    expect(stderr).toMatch(
      /this recording is lost: \S+ was removed or replaced while it was written/,
    );
    expect(stderr).not.toContain(` in ${file}`);
    expect(existsSync(folder)).toBe(false);
    expect(status).toBe(125);
  });
});

describeLiveAsUser('perf-ts removed while it records', () => {
  it('perf-ts that is gone fails for the page that it can make no more, and names the recording, which is complete', () => {
    const folder = mkdtempSync(join(scratch, 'removed-'));
    const [from, copy] = [join(dirname(CLI), '../..'), join(folder, 'package')];
    for (const part of ['dist/bin', 'dist/register', 'build/Release', 'prebuilds', 'package.json'])
      if (existsSync(join(from, part)))
        cpSync(join(from, part), join(copy, part), { recursive: true });
    const packages = join(from, 'node_modules');
    symlinkSync(existsSync(packages) ? packages : dirname(from), join(folder, 'node_modules'));
    const main = join(copy, 'dist/bin/main.js');
    const words = [main, ...CLOCK, '-o', 'x.html', '--', 'rm', '-r', copy];
    const options = { cwd: folder, env: cleanEnvironment(), encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(process.execPath, words, options);
    expect(stderr).toMatch(
      /perf-ts was removed while it ran: .*\n {2}the recording is complete: perf.data\n$/,
    );
    expect(stderr).not.toContain('npm run');
    expect(status).toBe(125);
    expect(infoOf(join(folder, 'perf.data'))).toMatchObject({ truncatedAt: null });
  });
});

describeLiveAsUser('a recording over several files', () => {
  const workload = compileWorkload();
  const switching = ['-e', 'page-faults:u', '-c', '1', '--switch-output'];
  const command = ['sh', '-c', `while :; do '${workload}' pf 200 2> /dev/null; done`];

  it('a recording whose file was removed continues in a new one', async () => {
    const { folder, file } = place();
    const { child, ended, stderr } = startPerfTs([
      'record',
      ...switching,
      '-o',
      file,
      '--',
      ...command,
    ]);
    await until(() => existsSync(file) && statSync(file).size > 200_000);
    const { ino } = statSync(file);
    rmSync(file);
    child.kill('SIGUSR2');
    await until(() => stderr().includes('is gone') || child.exitCode !== null);
    await until(
      () => (existsSync(file) && statSync(file).size > 200_000) || child.exitCode !== null,
    );
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ status: 125 });
    expect(stderr()).toContain(`${file} is gone: others have replaced or removed it`);
    expect(stderr()).not.toContain('    at ');
    expect(statSync(file).ino).not.toBe(ino);
    expect(infoOf(file).records.SAMPLE).toBeGreaterThan(0);
    expect(readdirSync(folder).sort()).toEqual(['perf.data', 'perf.data.old']);
  });

  itWithMounts('a recording where /proc is not mounted is refused, and the reason given', () => {
    const { folder, file } = place();
    const before = readdirSync(folder);
    const under = inMountNamespace('umount -l /proc');
    const refused = (there: string) =>
      `perf-ts: cannot write to ${there}: /proc is not mounted, which files are made by\n` +
      '  mount it: mount -t proc proc /proc\n';
    const command = ['--', 'true'];
    const named = perfTs(['record', '-o', file, ...command], { under });
    expect([named.status, named.stderr]).toEqual([125, refused(folder)]);
    const unnamed = perfTs(['record', ...command], { under, cwd: folder });
    expect([unnamed.status, unnamed.stderr]).toEqual([125, refused('the working directory')]);
    expect(readdirSync(folder)).toEqual(before);
  });

  itWithMounts(
    'a recording in parts goes on in the one it has where there is no room for the next',
    async () => {
      const mount = mkdtempSync(join(scratch, 'small-'));
      const file = join(mount, 'perf.data');
      // The file may grow, and no other may be made beside it.
      const under = inMountNamespace(`mount -t tmpfs -o nr_inodes=3 tmpfs ${mount}`);
      const { child, ended, stderr } = startPerfTs(
        ['record', ...switching, '-o', file, '--', ...command],
        { under },
      );
      const there = `/proc/${child.pid}/root${mount}`;
      const inside = join(there, 'perf.data');
      const hasEnded = () => child.exitCode !== null;
      await until(() => (existsSync(inside) && statSync(inside).size > 200_000) || hasEnded());
      const { ino } = statSync(inside);
      writeFileSync(join(there, 'filler'), '');
      for (let n = 1; n <= 2; n++) child.kill('SIGUSR2');
      await until(() => stderr().includes('no new file') || hasEnded());
      const { size } = statSync(inside);
      await until(() => statSync(inside).size > size || hasEnded());
      rmSync(join(there, 'filler'));
      child.kill('SIGUSR2');
      await until(() => stderr().includes('recorded so far is in') || hasEnded());
      const files = readdirSync(there).map((name) => statSync(join(there, name)).ino);
      child.kill('SIGINT');
      await ended;
      expect(stderr()).toContain(
        `no new file was begun: cannot write ${file}: no space left on the device; the recording goes on\n`,
      );
      expect(files).toContain(ino);
      expect(files).toHaveLength(2);
      expect(stderr()).not.toContain('    at ');
    },
  );
});

describeLiveAsUser('a place for the output', () => {
  it('an output place is refused by the name of the directory that is in the way', () => {
    const { file } = place();
    rmSync(`${file}.old`);
    mkdirSync(`${file}.old`);
    const { status, stderr } = perfTs([...CLOCK, '-o', file, '--', 'true'], { cwd: dirname(file) });
    expect(status).toBe(125);
    expect(stderr).toContain(
      `cannot write ${file}: what is there would become ${file}.old, and that is a directory`,
    );
  });
});
