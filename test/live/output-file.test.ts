// Whose file it is, who may read it, and what happened to what stood at its path.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
import { AS_NOBODY, canRunAsNobody, NOBODY, openDirectory } from '../helpers/nobody.ts';
import { until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const isRoot = process.getuid?.() === 0;

function asNobody(...command: string[]): void {
  const words = [...AS_NOBODY, ...command];
  const run = spawnSync(words[0], words.slice(1), { encoding: 'utf8' });
  expect(run.status, run.stderr).toBe(0);
}

describeLiveAsUser('the output file', () => {
  const workload = compileWorkload();
  const itAsRoot = it.skipIf(!isRoot);
  const itWithNobody = it.skipIf(!isRoot || !canRunAsNobody(workload));

  function record(file: string): void {
    const outcome = perfTs(['record', '-q', '-e', 'cpu-clock', '-o', file, '--', 'true']);
    expect(outcome).toMatchObject({ status: 0, stderr: '' });
  }

  itAsRoot.each([
    ['nothing', null],
    ['an empty file', ''],
    ['a file with contents', 'precious'],
  ])('does not touch %s that another user’s link in an open folder points to', (name, contents) => {
    const closed = mkdtempSync(join(scratch, 'closed-'));
    const victim = join(closed, 'victim');
    if (contents !== null) writeFileSync(victim, contents);
    const file = join(openDirectory(scratch, `open-${name}`), 'perf.data');
    asNobody('ln', '-s', victim, file);
    record(file);
    expect(existsSync(victim) ? readFileSync(victim, 'utf8') : null).toBe(contents);
    const entry = lstatSync(file);
    expect([entry.isFile(), entry.mode & 0o777, entry.uid]).toEqual([true, 0o600, 0]);
  });

  itAsRoot('the output file is never one that another user has made for us to fill', () => {
    const file = join(openDirectory(scratch, 'pre-made'), 'perf.data');
    asNobody('sh', '-c', `umask 0; : > ${file}`);
    const planted = lstatSync(file);
    expect([planted.uid, planted.mode & 0o777]).toEqual([NOBODY, 0o666]);
    record(file);
    const entry = lstatSync(file);
    expect([entry.uid, entry.mode & 0o777]).toEqual([0, 0o600]);
    expect(entry.ino).not.toBe(planted.ino);
    expect(lstatSync(`${file}.old`).size).toBe(0);
  });

  it.each(['0', '777'])('the output file is closed to others whatever the umask (%s)', (mask) => {
    const file = join(scratch, `umask-${mask}.data`);
    const command = `umask ${mask}; exec '${process.execPath}' '${CLI}' record -q -o '${file}' -- true`;
    const shell = spawnSync('sh', ['-c', command], { env: cleanEnvironment(), encoding: 'utf8' });
    expect(shell.status, shell.stderr).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  itAsRoot(
    'the output file belongs under sudo to the user who called it, as the command does',
    () => {
      const file = join(scratch, 'sudo.data');
      const env = {
        ...process.env,
        SUDO_UID: `${NOBODY}`,
        SUDO_GID: `${NOBODY}`,
        SUDO_USER: 'nobody',
      };
      const outcome = perfTs(['record', '-o', file, '--', 'id', '-u'], { env });
      expect(outcome).toMatchObject({ status: 0, stdout: `${NOBODY}\n` });
      const { uid, gid, mode } = statSync(file);
      expect([uid, gid, mode & 0o777]).toEqual([NOBODY, NOBODY, 0o600]);
      expect(outcome.stderr).toContain('nobody');
    },
  );

  itWithNobody(
    'a recording of an unprivileged user cannot replace what that user may not rename',
    () => {
      const folder = mkdtempSync(join(scratch, 'read-only-'));
      chmodSync(folder, 0o755);
      const file = join(folder, 'perf.data');
      writeFileSync(file, 'an older recording');
      chownSync(file, 0, 0);
      chmodSync(scratch, 0o755);
      const flags = ['-e', 'cpu-clock:u', '-o', file];
      const outcome = perfTs(['record', ...flags, '--', 'true'], { under: AS_NOBODY });
      expect(outcome.status).toBe(125);
      expect(outcome.stderr).toContain(`cannot write ${file}: permission denied`);
      expect(readFileSync(file, 'utf8')).toBe('an older recording');
    },
  );

  it('two recorders at one path write two complete files', async () => {
    const file = join(mkdtempSync(join(scratch, 'shared-')), 'perf.data');
    const flags = ['-e', 'page-faults', '-c', '1', '-o', file];
    const first = startPerfTs(['record', ...flags, '--', workload, 'pf', '0', '60']);
    await until(() => existsSync(file) && statSync(file).size > 100_000);
    const second = perfTs(['record', '-q', ...flags, '--', workload, 'pf', '2000']);
    expect(second.status).toBe(0);
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ status: 130 });

    const [older, newer] = [infoOf(`${file}.old`), infoOf(file)];
    for (const info of [older, newer]) {
      expect(info).toMatchObject({ truncatedAt: null, skippedBytes: 0 });
      // The final values are the last that a recorder writes.
      expect(info.records.READ).toBeGreaterThan(0);
    }
    // The older one was interrupted: whether its program ended before sampling did is open.
    expect(newer.records.EXIT).toBe(1);
    expect(older.cmdline.slice(-3)).toEqual(['pf', '0', '60']);
    expect(newer.cmdline.slice(-2)).toEqual(['pf', '2000']);
    expect(Math.abs((newer.records.SAMPLE ?? 0) - 2000)).toBeLessThan(300);
  });

  it('a recording is unwound in its own file while the next one has its path', async () => {
    const file = join(mkdtempSync(join(scratch, 'shared-')), 'perf.data');
    const flags = ['-e', 'page-faults', '-c', '100', '--call-graph', 'auto,512', '-o', file];
    const start = () => startPerfTs(['record', ...flags, '--', workload, 'pf', '0', '60']);
    const grown = () => until(() => existsSync(file) && statSync(file).size > 20_000);
    const first = start();
    await grown();
    const { ino } = statSync(file);
    const second = start();
    await until(() => statSync(file, { throwIfNoEntry: false })?.ino !== ino);
    await grown();
    const { ino: taken } = statSync(file);
    first.child.kill('SIGINT');
    const { stderr } = await first.ended;
    expect(stderr).toContain(`has taken ${file} since: this one is ${file}.old`);
    expect(statSync(file).ino).toBe(taken);
    second.child.kill('SIGINT');
    await second.ended;
    for (const path of [file, `${file}.old`]) {
      const { truncatedAt, events, records } = infoOf(path);
      expect(truncatedAt).toBeNull();
      expect(events[0].sampleType).not.toContain('STACK_USER');
      expect(records.SAMPLE).toBeGreaterThan(0);
    }
  });
});
