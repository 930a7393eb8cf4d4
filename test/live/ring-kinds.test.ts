// Rings that are written over, rings of single threads, and events of one control group.

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { cgroupRoot } from '../../src/system/kernel/containers.ts';
import { infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

function record(name: string, options: readonly string[], command: readonly string[]) {
  const file = join(scratch, `${name}.data`);
  return { file, ...perfTs(['record', '-q', '-o', file, ...options, '--', ...command]) };
}

type Sample = { readonly tid: number; readonly timeNs: number };

/** Whose samples there are and when, in the order of script. */
function samplesOf(file: string): Sample[] {
  const { stdout } = perfTs(['script', '-F', 'tid,time', '--ns', file]);
  return [...stdout.matchAll(/^\s*(\d+)\s+(\d+\.\d+):/gm)].map(([, tid, time]) => ({
    tid: Number(tid),
    timeNs: Math.round(Number(time) * 1e9),
  }));
}

describeLive('a recording that is overwritten', () => {
  const workload = compileWorkload();
  // Each fault is a sample of 80 bytes: two pages hold the last hundred of a CPU.
  const faults = [workload, 'faults-pinned', '20000'];
  const each = ['-e', 'page-faults:u', '-c', '1'];

  it('--overwrite has the last samples of each CPU, nothing counted as lost', () => {
    const { file, status } = record('last', [...each, '--overwrite', '-m', '2'], faults);
    expect(status).toBe(0);
    const samples = samplesOf(file);
    expect(samples.length).toBeGreaterThan(50);
    expect(samples.length).toBeLessThan(500);
    const times = samples.map(({ timeNs }) => timeNs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const { records, loss } = infoOf(file);
    expect(loss.best).toBe(0);
    expect(records).toMatchObject({ SAMPLE: samples.length, EXIT: 1 });
    expect(records.FINISHED_ROUND).toBeUndefined();
  });

  it('--overwrite has all samples where they fit', () => {
    const few = [workload, 'faults-pinned', '300'];
    const whole = record('whole', each, few);
    const { file } = record('fits', [...each, '--overwrite'], few);
    const counted = infoOf(file).records.SAMPLE ?? 0;
    expect(counted).toBeGreaterThanOrEqual(300);
    expect(Math.abs(counted - (infoOf(whole.file).records.SAMPLE ?? 0))).toBeLessThan(10);
  });
});

describeLive('a recording per thread', () => {
  it('--per-thread records the target thread on every CPU, and no child', () => {
    // By faults, of which its start has many: at 2000 Hz its time is one sample, or less.
    const options = ['-e', 'page-faults', '-c', '1', '--per-thread'];
    const { file, status } = record('thread', options, [compileWorkload(), 'burn', '2', '0.1']);
    expect(status).toBe(0);
    expect(new Set(samplesOf(file).map(({ tid }) => tid)).size).toBe(1);
    expect(infoOf(file).records).toMatchObject({ FORK: 2 });
  });

  it('--per-thread is refused with CPUs', () => {
    const { status, stderr } = record('never', ['--per-thread', '-a'], ['true']);
    expect(status).toBe(2);
    expect(stderr).toContain('--per-thread and -a exclude each other');
  });
});

describeLive('a recording of a control group', () => {
  const root = cgroupRoot();
  const name = `perf-ts-test-${process.pid}`;
  const directory = join(root ?? '/none', name);

  /** Whether a group can be made here. */
  function made(): boolean {
    try {
      mkdirSync(directory);
      return existsSync(join(directory, 'cgroup.procs'));
    } catch {
      return false;
    }
  }
  const isMade = root !== null && made();

  afterAll(() => {
    if (isMade) rmdirSync(directory);
  });

  it.skipIf(!isMade)('-G records the control group only', () => {
    const workload = compileWorkload();
    // One of the two enters the group before it becomes the program.
    const inside = `echo $$ > ${directory}/cgroup.procs; exec '${workload}' burn 1 0.3`;
    const script = join(scratch, 'inside.sh');
    writeFileSync(script, inside);
    const both = `sh ${script} & '${workload}' burn 1 0.3; wait`;
    const options = ['-a', '-G', name, '-e', 'cpu-clock', '-F', '2000'];
    const { file, status } = record('group', options, ['sh', '-c', both]);
    expect(status).toBe(0);
    const tids = new Set(samplesOf(file).map(({ tid }) => tid));
    // The shell that becomes the program, and the thread that it starts.
    expect(tids.size).toBeGreaterThanOrEqual(1);
    expect(tids.size).toBeLessThanOrEqual(2);
  });

  it('-G of a missing control group ends with 2', () => {
    const { status, stderr } = record('none', ['-a', '-G', 'no/such/group'], ['true']);
    expect(status).toBe(2);
    expect(stderr).toContain('-G no/such/group: no such control group');
  });

  it('-G needs whole CPUs', () => {
    const { status, stderr } = record('cpus', ['-G', '/'], ['true']);
    expect(status).toBe(2);
    expect(stderr).toContain('add -a');
  });
});
