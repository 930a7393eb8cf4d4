// Exit statuses, signals, and what is left on disk.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  findPerf,
  infoOf,
  perfStats,
  perfTs,
  scratchDirectory,
  startPerfTs,
} from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { childrenOf, isAlive, until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();

/** Starts a recording; resolves when its file has grown past its head, so that it is under way. */
async function startedRecording(file: string, bytes: number, args: readonly string[]) {
  // An earlier try's would be taken for it.
  rmSync(file, { force: true });
  const running = startPerfTs(['record', '-e', 'page-faults', '-c', '1', '-o', file, ...args]);
  await until(() => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > bytes);
  return running;
}

describeLive('life and death', () => {
  const workload = compileWorkload();

  it('record ends with the command’s own status, 128 + n for signal n', () => {
    const status = (command: string[]): number | null =>
      perfTs(['record', '-q', '-o', join(scratch, 'status.data'), '--', ...command]).status;
    expect(status(['sh', '-c', 'exit 42'])).toBe(42);
    expect(status([workload, 'segv', '1', '0.1'])).toBe(128 + 11);
    expect(status([workload, 'kill9', '1', '0.1'])).toBe(128 + 9);
    expect(infoOf(join(scratch, 'status.data')).records.EXIT).toBe(1);
  });

  it('a missing command ends with 127, one that cannot be run with 126; no file is left', () => {
    const file = join(scratch, 'untouched.data');
    writeFileSync(file, 'an older recording');
    const record = (command: string) => perfTs(['record', '-o', file, '--', command]);
    expect(record('/nonexistent/app').status).toBe(127);
    expect(record('no-such-command-anywhere').status).toBe(127);
    expect(record('/etc/passwd').status).toBe(126);
    expect(record(scratch).status).toBe(126);
    expect(readFileSync(file, 'utf8')).toBe('an older recording');
    expect(existsSync(`${file}.old`)).toBe(false);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    'record finishes the file on %s and passes the signal on',
    async (signal) => {
      const file = join(scratch, `${signal}.data`);
      const running = await startedRecording(file, 100_000, ['--', workload, 'pf', '0', '60']);
      running.child.kill(signal);
      const outcome = await running.ended;
      const number = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1, SIGQUIT: 3 }[signal];
      expect(outcome.status).toBe(128 + number);
      const info = infoOf(file);
      expect(info.truncatedAt).toBeNull();
      expect(info.records.SAMPLE).toBeGreaterThan(0);
    },
  );

  it('a recording is readable after kill -9, by us and by perf', async () => {
    const file = join(scratch, 'killed.data');
    const running = await startedRecording(file, 3_000_000, ['--', workload, 'pf', '0', '60']);
    const command = childrenOf(running.pid)[0];
    running.child.kill('SIGKILL');
    await running.ended;
    expect(isAlive(command)).toBe(true);
    process.kill(command, 'SIGKILL');
    const info = infoOf(file);
    const bytesOfSamples = statSync(file).size;
    expect(info.records.SAMPLE).toBeGreaterThan((0.9 * bytesOfSamples) / 80);
    if (findPerf()) expect(perfStats(file).SAMPLE).toBe(info.records.SAMPLE);
    const report = perfTs(['report', file]);
    expect([report.status, report.stderr]).toEqual([0, expect.stringContaining('was cut off')]);
    expect(perfTs(['report', '--strict', file]).status).toBe(125);
  });

  it('record writes a file of its own where something is planted at the output path', () => {
    const victim = join(scratch, 'victim');
    writeFileSync(victim, 'precious');
    // Nothing of an earlier try is at these paths.
    const place = mkdtempSync(join(scratch, 'planted-'));
    const link = join(place, 'link.data');
    symlinkSync(victim, link);
    const foreign = join(place, 'foreign.data');
    writeFileSync(foreign, 'not a recording', { mode: 0o666 });
    for (const path of [link, foreign]) {
      expect(perfTs(['record', '-q', '-o', path, '--', 'true']).status).toBe(0);
      const entry = lstatSync(path);
      expect(entry.isFile()).toBe(true);
      expect(entry.mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(lstatSync(`${link}.old`).isSymbolicLink()).toBe(true);
    expect(readFileSync(`${foreign}.old`, 'utf8')).toBe('not a recording');
  });

  it('record refuses an output that cannot be written, before the command is started', () => {
    const witness = join(scratch, 'started');
    const directory = join(scratch, 'directory');
    mkdirSync(directory, { recursive: true });
    for (const output of ['/dev/full', join(scratch, 'missing/perf.data'), directory]) {
      const outcome = perfTs(['record', '-o', output, '--', 'touch', witness]);
      expect(outcome.status).toBe(125);
      expect(outcome.stderr).toContain(`cannot write ${output}`);
    }
    expect(existsSync(witness)).toBe(false);
  });

  it('record stops at a file-size limit with a readable file while the command runs on', () => {
    const file = join(scratch, 'fsize.data');
    const flags = ['-e', 'page-faults', '-c', '1', '-o', file];
    const witness = join(scratch, 'ran-on');
    rmSync(witness, { force: true });
    const script = `'${workload}' pf 200000; touch ${witness}`;
    // Only the recorder's own file is above the limit.
    const outcome = perfTs(['record', ...flags, '--', 'sh', '-c', script], {
      under: ['prlimit', '--fsize=1000000'],
    });
    expect(outcome.status).toBe(125);
    expect(outcome.stderr).toContain('EFBIG');
    expect(existsSync(witness)).toBe(true);
    const info = infoOf(file);
    expect(info.records.SAMPLE).toBeGreaterThan(10_000);
    if (findPerf()) expect(perfStats(file).SAMPLE).toBe(info.records.SAMPLE);
  });

  it('record stops on a full disk with a readable file while the command runs on', () => {
    const mount = mkdtempSync(join(scratch, 'small-'));
    const witness = join(scratch, 'ran-on-full');
    rmSync(witness, { force: true });
    const script = [
      `mount -t tmpfs -o size=4m tmpfs ${mount}`,
      `${process.execPath} dist/bin/main.js record -e page-faults -c 1 -o ${mount}/perf.data -- ` +
        `sh -c '"${workload}" pf 200000; touch ${witness}'`,
      'status=$?',
      `${process.execPath} dist/bin/main.js info --json ${mount}/perf.data`,
      'exit $status',
    ].join('\n');
    const outcome = spawnSync('unshare', ['-m', 'bash', '-c', script], { encoding: 'utf8' });
    expect(outcome.stderr).toContain('ENOSPC');
    expect(outcome.status).toBe(125);
    expect(existsSync(witness)).toBe(true);
    const info = JSON.parse(outcome.stdout) as { records: { SAMPLE: number } };
    // Two rounds may be missing, that for which there was no room and that which made room for names: 1 MiB each on two busy CPUs.
    expect(info.records.SAMPLE).toBeGreaterThan((0.45 * 4 * 2 ** 20) / 80);
  });
});
