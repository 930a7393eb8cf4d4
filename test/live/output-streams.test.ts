// Outputs that are no files: nothing takes their place, and the recording goes through them.

import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, lstatSync, mkdtempSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  CLI,
  cleanEnvironment,
  infoOf,
  perfTs,
  scratchDirectory,
  startPerfTs,
} from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { canMount } from '../helpers/mount-namespace.ts';
import { NOBODY } from '../helpers/nobody.ts';
import { until } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
/** Each fault is a sample: the start of any command has some, however little time it takes. */
const FAULTS = ['record', '-e', 'page-faults', '-c', '1'];
const COMMAND = ['--', 'echo', 'of the command'];

function makeFifo(): string {
  const fifo = join(mkdtempSync(join(scratch, 'fifo-')), 'perf.data');
  expect(spawnSync('mkfifo', [fifo]).status).toBe(0);
  return fifo;
}

/** Whether it has set its handlers of signals: these two come first and last. */
function takesSignals(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const caught = BigInt(`0x${/SigCgt:\s*(\w+)/.exec(status)?.[1] ?? '0'}`);
  const { SIGUSR2, SIGQUIT } = constants.signals;
  return [SIGUSR2, SIGQUIT].every((signal) => ((caught >> BigInt(signal - 1)) & 1n) === 1n);
}

describeLive('a name of standard output', () => {
  /** A /dev of the test's own, in which its last words may do what they like. */
  function inOwnDev(script: string): string[] {
    const dev = mkdtempSync(join(scratch, 'dev-'));
    const prepare = `
      mount -t tmpfs tmpfs ${dev}
      cp -a /dev/null /dev/zero /dev/urandom ${dev}
      ln -s /proc/self/fd ${dev}/fd
      ln -s fd/1 ${dev}/stdout
      mount --move ${dev} /dev`;
    return ['unshare', '-m', 'sh', '-ec', `${prepare}\n${script}`, 'sh'];
  }

  it.skipIf(!canMount()).each(['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'])(
    'the output %s is standard output',
    (name) => {
      const out = join(mkdtempSync(join(scratch, 'out-')), 'out.data');
      const under = inOwnDev(`"$@" | cat > ${out}; readlink /dev/stdout; ls /dev | tr '\\n' ' '`);
      const recorded = perfTs([...FAULTS, '-o', name, ...COMMAND], { under });
      expect(recorded.stdout).toBe('fd/1\nfd null stdout urandom zero ');
      expect(recorded.stderr).toContain('written to standard output');
      expect(recorded.stderr).toContain('of the command\n');
      expect(infoOf(out)).toMatchObject({ truncatedAt: null });
      expect(infoOf(out).records.SAMPLE).toBeGreaterThan(0);

      const injected = `${out}.injected`;
      const again = inOwnDev(`"$@" | cat > ${injected}; readlink /dev/stdout`);
      expect(perfTs(['inject', '-i', out, '-o', name], { under: again }).stdout).toBe('fd/1\n');
      expect(infoOf(injected).records.SAMPLE).toBe(infoOf(out).records.SAMPLE);
    },
  );

  it.skipIf(!canMount())('a file of /dev is never replaced', () => {
    const under = inOwnDev(`ln -s null /dev/name; "$@" || status=$?; ls /dev | tr '\\n' ' '
      exit $status`);
    const { status, stdout, stderr } = perfTs([...FAULTS, '-o', '/dev/name', ...COMMAND], {
      under,
    });
    expect(stderr).toContain('cannot write /dev/name: nothing of the system is replaced');
    expect(stdout).toBe('fd name null stdout urandom zero ');
    expect(status).toBe(125);
  });
});

describeLive('an output that is no file', () => {
  it('the output may be a FIFO whose reader comes later', async () => {
    const fifo = makeFifo();
    const { pid, child, ended } = startPerfTs([...FAULTS, '-o', fifo, ...COMMAND]);
    await until(() => takesSignals(pid) || child.exitCode !== null);
    const copy = `${fifo}.copy`;
    const reader = spawn('sh', ['-c', `cat ${fifo} > ${copy}`]);
    onTestFinished(() => void reader.kill('SIGKILL'));
    const { status, stdout, stderr } = await ended;
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'of the command\n' });
    expect(stderr).toContain(`written to ${fifo}`);
    await until(() => reader.exitCode !== null);
    expect(lstatSync(fifo).isFIFO()).toBe(true);
    expect(existsSync(`${fifo}.old`)).toBe(false);
    expect(infoOf(copy)).toMatchObject({ truncatedAt: null });
    expect(infoOf(copy).records.SAMPLE).toBeGreaterThan(0);
  });

  it("an interrupt ends the wait for a FIFO's reader, and nothing has run", async () => {
    const fifo = makeFifo();
    const witness = `${fifo}.ran`;
    const { pid, child, ended } = startPerfTs([...FAULTS, '-o', fifo, '--', 'touch', witness]);
    await until(() => takesSignals(pid) || child.exitCode !== null);
    child.kill('SIGINT');
    const { status, stderr } = await ended;
    expect(stderr).toBe('perf-ts: SIGINT ended the recording before it began\n');
    expect(status).toBe(130);
    expect(existsSync(witness)).toBe(false);
  });

  it.skipIf(process.geteuid?.() !== 0)("another user's FIFO is moved aside, not opened", () => {
    const fifo = makeFifo();
    chownSync(fifo, NOBODY, NOBODY);
    expect(perfTs([...FAULTS, '-o', fifo, ...COMMAND]).status).toBe(0);
    expect(lstatSync(fifo).isFile()).toBe(true);
    expect(lstatSync(`${fifo}.old`).isFIFO()).toBe(true);
  });

  it('the output may be a character device', () => {
    const { status, stderr } = perfTs([...FAULTS, '-o', '/dev/null', ...COMMAND]);
    expect(stderr).toContain('written to /dev/null');
    expect(status).toBe(0);
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('the output may be a descriptor of the shell, and no other', () => {
    const copy = join(scratch, 'substituted.data');
    const words = [process.execPath, CLI, ...FAULTS, '-q'].map((word) => `'${word}'`).join(' ');
    const script = `
      ${words} -o >(cat > ${copy}.part; mv ${copy}.part ${copy}) -- true
      while [ ! -e ${copy} ]; do sleep 0.02; done
      ${words} -o /dev/fd/3 -- true; echo $?`;
    const run = spawnSync('bash', ['-c', script], { env: cleanEnvironment(), encoding: 'utf8' });
    expect(infoOf(copy)).toMatchObject({ truncatedAt: null });
    expect(run.stderr).toBe('perf-ts: cannot write /dev/fd/3: the descriptor is closed\n');
    expect(run.stdout).toBe('125\n');
  });

  it.each([
    [['--switch-output=1s'], '--switch-output changes files: a stream is one'],
    [['--archive'], '--archive needs a file'],
    [['--view'], '--view needs a file'],
  ])('an output stream is refused with %s', (flags, message) => {
    const { status, stderr } = perfTs([...FAULTS, ...flags, '-o', '/dev/null', ...COMMAND]);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});
