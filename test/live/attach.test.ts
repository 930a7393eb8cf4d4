import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { infoOf, perfTs, scratchDirectory, startPerfTs } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { canMount } from '../helpers/mount-namespace.ts';
import { commOf, hasForeignRoots, stateOf, until, usableCpus } from '../helpers/tasks.ts';

const scratch = scratchDirectory();
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function start(command: readonly string[]): number {
  const child = spawn(command[0], command.slice(1), { stdio: 'ignore' });
  running.push(child);
  return child.pid as number;
}

function threadsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).length;
}

describeLive('attaching', () => {
  const workload = compileWorkload();

  it('records all threads of a running process and leaves it running', async () => {
    const pid = start([workload, 'threads', '100', '300']);
    await until(() => threadsOf(pid) === 101);
    const file = join(scratch, 'attach.data');
    const flags = ['-e', 'cpu-clock', '-F', '10000', '-p', String(pid), '--duration', '1'];
    const outcome = perfTs(['record', '-q', '-o', file, ...flags]);
    expect(outcome).toMatchObject({ status: 0, stderr: '' });
    const info = infoOf(file);
    expect(info.records.SAMPLE).toBeGreaterThan(100);
    expect(info.records.COMM).toBeGreaterThanOrEqual(101);
    expect(info.records.MMAP2).toBeGreaterThan(2);
    expect(readFileSync(`/proc/${pid}/comm`, 'utf8')).toMatch(/^workload/);
  });

  it('records a target once that is named twice, or by another of its threads', async () => {
    const pid = start([workload, 'threads', '3', '300']);
    await until(() => threadsOf(pid) === 4);
    const other = readdirSync(`/proc/${pid}/task`).find((tid) => tid !== String(pid)) as string;
    const file = join(scratch, 'twice.data');
    const recordedBy = (...whom: readonly string[]) => {
      const flags = ['-e', 'cpu-clock', ...whom, '--duration', '0.2', '-o', file];
      expect(perfTs(['record', '-q', ...flags]).status).toBe(0);
      const { events, records } = infoOf(file);
      return [events[0]?.instances, records.MMAP2];
    };
    const once = recordedBy('-p', `${pid}`);
    expect(once[0]).toBeGreaterThanOrEqual(4);
    expect(recordedBy('-p', `${pid},${pid}`)).toEqual(once);
    expect(recordedBy('-p', `${pid},${other}`)).toEqual(once);
    expect(recordedBy('-t', `${other},${other}`)).toEqual(recordedBy('-t', other));
  });

  it('an attached recording names the code of a process whose first thread has ended', async () => {
    const pid = start([workload, 'leaderless', '1', '60']);
    await until(() => stateOf(pid) === 'Z');
    const file = join(scratch, 'leaderless.data');
    const flags = ['-e', 'cpu-clock:u', '-F', '1000', '-p', String(pid), '--duration', '0.3'];
    expect(perfTs(['record', '-q', '-o', file, ...flags])).toMatchObject({ status: 0, stderr: '' });
    expect(infoOf(file).records.MMAP2).toBeGreaterThan(2);
    expect(perfTs(['report', file]).stdout).toMatch(/workload-\S+ +leaf/);
  });

  // From within a chroot the paths of other mount namespaces look different.
  const itSeesMounts = it.skipIf(!canMount() || hasForeignRoots());

  itSeesMounts.for(['burn', 'leaderless'])(
    'an attached recording names what only the target can see: %s',
    async (mode) => {
      const hidden = mkdtempSync(join(scratch, 'hidden-'));
      const program = join(hidden, 'inside');
      const enter = `mount -t tmpfs none ${hidden} && cp '${workload}' ${program} && exec ${program} ${mode} 1 60`;
      const pid = start(['unshare', '-m', 'sh', '-c', enter]);
      await until(() => commOf(pid) === 'inside' && (mode === 'burn' || stateOf(pid) === 'Z'));
      expect(existsSync(program)).toBe(false);
      const file = join(scratch, 'hidden.data');
      const flags = ['-e', 'cpu-clock:u', '-F', '1000', '-p', String(pid), '--duration', '0.3'];
      expect(perfTs(['record', '-q', '-o', file, ...flags]).status).toBe(0);
      for (const command of ['report', 'script']) {
        const { stdout } = perfTs([command, file]);
        expect([command, /burn_thread|leaf|deep/.test(stdout)]).toEqual([command, true]);
      }
    },
  );

  it.each([
    ['ticks', []],
    // Anybody may wake a thread: that event is of all tasks.
    ['ticks, waits and wake-ups', ['--off-cpu']],
  ])('ends by itself when the target ends, with status 0: %s', async (_, flags) => {
    const pid = start([workload, 'burn', '2', '300']);
    const file = join(scratch, 'ends.data');
    rmSync(file, { force: true });
    const words = ['record', '-q', '-e', 'cpu-clock', ...flags, '-p', String(pid), '-o', file];
    const recorder = startPerfTs(words);
    running.push(recorder.child);
    await until(() => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 100_000);
    process.kill(pid, 'SIGTERM');
    expect((await recorder.ended).status).toBe(0);
    expect(infoOf(file).records.SAMPLE).toBeGreaterThan(0);
  });

  it('record raises the soft limit of open files up to the hard one, and names it where that is short', async () => {
    // More that compute would take the machine from the other tests.
    const pid = start([workload, 'waiting', '1000', '300']);
    await until(() => threadsOf(pid) === 1001);
    const file = join(scratch, 'limit.data');
    const flags = ['-e', 'cpu-clock', '-F', '2000', '-p', String(pid), '--duration', '0.5'];
    const command = ['record', '-q', '-o', file, ...flags];
    const refused = perfTs(command, { under: ['prlimit', '--nofile=256:256'] });
    expect(refused.status).toBe(125);
    expect(refused.stderr).toContain('RLIMIT_NOFILE');
    expect(refused.stderr).toMatch(/256/);
    const raised = perfTs(command, { under: ['prlimit', '--nofile=256:20000'] });
    expect(raised).toMatchObject({ status: 0, stderr: '' });
    expect(infoOf(file).records.SAMPLE).toBeGreaterThan(0);
  });

  it('attaching names the process that does not exist', () => {
    const outcome = perfTs(['record', '-p', '4194303', '-o', join(scratch, 'none.data')]);
    expect(outcome.status).toBe(125);
    expect(outcome.stderr).toContain('no such process: 4194303');
  });

  it('attaching survives processes that end meanwhile', () => {
    for (let attempt = 0; attempt < 20; attempt++) {
      const pid = start(['/bin/true']);
      const outcome = perfTs(['record', '-q', '-p', String(pid), '-o', join(scratch, 'gone.data')]);
      expect([0, 125]).toContain(outcome.status);
      expect(outcome.signal).toBeNull();
    }
  });

  it('a recording of a process orders the records of all CPUs by time', () => {
    const file = join(scratch, 'system.data');
    // Idle CPUs of some virtual machines send no samples.
    const cpus = usableCpus().slice(0, 2);
    const busy = cpus.map((cpu) => `taskset -c ${cpu} '${workload}' burn 1 1`);
    const onEach = `${busy.join(' & ')}; wait`;
    const flags = ['-a', '-e', 'cpu-clock', '-F', '20000', '-o', file];
    const outcome = perfTs(['record', '-q', ...flags, '--', 'sh', '-c', onEach]);
    expect(outcome.status, outcome.stderr).toBe(0);
    const lines = perfTs(['script', '--json', '--samples', file]).stdout.trim().split('\n');
    const samples = lines.map((line) => JSON.parse(line) as { timeNs: string; cpu: number });
    expect(samples.length).toBe(infoOf(file).records.SAMPLE);
    let last = 0n;
    let disorder = 0;
    for (const sample of samples) {
      const time = BigInt(sample.timeNs);
      if (time < last) disorder++;
      last = time;
    }
    expect(disorder).toBe(0);
    expect(samples.map((sample) => sample.cpu)).toEqual(expect.arrayContaining(cpus));
  });
});
