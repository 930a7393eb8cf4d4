// FORK, EXIT, COMM and MMAP2 have rings of their own: a flood of samples may cost samples, never a
// thread or a mapping.

import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { CLI, cleanEnvironment, infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { usableCpus } from '../helpers/tasks.ts';

const scratch = scratchDirectory();

function recordsOf(
  name: string,
  flags: readonly string[],
  command: readonly string[],
  env = cleanEnvironment(),
) {
  const file = join(scratch, `${name}.data`);
  const outcome = perfTs(['record', '-q', '-o', file, ...flags, '--', ...command], { env });
  expect(outcome.status).toBe(0);
  return infoOf(file);
}

/** The tids that FORK records name, duplicates (the kernel writes some) once. */
function forkedTids(file: string): Set<number> {
  const command = `"${process.execPath}" "${CLI}" script --json "${file}" | grep '"type":"FORK"'`;
  const lines = execFileSync('sh', ['-c', command], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return new Set(
    lines
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { tid: number }).tid),
  );
}

describeLive('side-band records', () => {
  const workload = compileWorkload();
  const clock = ['-e', 'cpu-clock', '-g'];

  it('the side-band loses no FORK and no EXIT while one-page rings lose samples', () => {
    const info = recordsOf(
      'r10',
      [...clock, '-F', '49999', '-m', '1'],
      [workload, 'forks', '1000'],
      // A page holds some 30 samples, and so long a time 250 of them.
      { ...cleanEnvironment(), PERF_TS_DRAIN_HOLD_MS: '5' },
    );
    expect(info.loss.best).toBeGreaterThan(0);
    expect(info.loss.lostSideband).toBe(0);
    expect(forkedTids(join(scratch, 'r10.data')).size).toBe(1000);
    expect(info.records.EXIT).toBe(1001);
  });

  /** The records of these fit a side-band ring of root's 512 KiB, however late it is emptied. */
  it('the side-band sees every fork, exec and short-lived thread', () => {
    const flags = [...clock, '-F', '30000'];
    const forks = recordsOf('forks', flags, [workload, 'forks', '2500']);
    expect(forkedTids(join(scratch, 'forks.data')).size).toBe(2500);
    expect(forks.records.EXIT).toBe(2501);
    const execs = recordsOf('execs', flags, [workload, 'execs', '400']);
    expect(execs.records.EXIT).toBe(401);
    expect(execs.records.COMM).toBeGreaterThanOrEqual(401);
    expect(execs.records.MMAP2).toBeGreaterThanOrEqual(1604);
    const threads = recordsOf('shortthr', flags, [workload, 'shortthr', '2500']);
    expect(threads.records.FORK).toBeGreaterThanOrEqual(2500);
    expect(threads.records.EXIT).toBe(2501);
    for (const { loss } of [forks, execs, threads]) expect(loss.lostSideband).toBe(0);
  });

  it('each fork and exit of 20 000 threads is in the file or counted as lost', () => {
    const flags = [...clock, '-F', '30000'];
    const { records, loss } = recordsOf('storm', flags, [workload, 'shortthr', '20000']);
    const { FORK = 0, EXIT = 0 } = records;
    expect(FORK + EXIT + loss.lostSideband).toBeGreaterThanOrEqual(40_001);
  });

  it.skipIf(usableCpus().length < 2).each([
    ['a command', []],
    ['the whole system', ['-a']],
  ])('tasks on CPUs that are not recorded are followed, recording %s', (_whom, target) => {
    const [there, here] = usableCpus() as [number, number];
    const file = join(scratch, 'elsewhere.data');
    const flags = ['-e', 'page-faults', '-c', '10', '-C', String(here), ...target, '-o', file];
    // It becomes the workload on one CPU, and works on the other.
    const program = ['taskset', '-c', String(there), workload, 'faults-pinned', '20000'];
    const outcome = perfTs(['record', '-q', ...flags, '--', ...program, String(here)]);
    expect(outcome.status, outcome.stderr).toBe(0);
    const comm = basename(workload).slice(0, 15);
    const { stdout } = perfTs(['report', '--json', '--sort', 'sym', '--comm', comm, file]);
    const rows = JSON.parse(stdout).events[0].rows as { name: string; samples: number }[];
    const own = rows.find(({ name }) => name === 'page_faults');
    expect(own?.samples).toBeGreaterThan(1900);
  });

  it('the side-band follows a thousand threads', () => {
    const info = recordsOf(
      'threads',
      [...clock, '-F', '30000'],
      [workload, 'threads', '1000', '2'],
    );
    expect(info.records.FORK).toBe(1000);
    expect(info.records.EXIT).toBe(1001);
    expect(info.loss.lostSideband).toBe(0);
    expect(info.records.SAMPLE).toBeGreaterThan(1000);
  });
});

describeLive('side-band records that are lost', () => {
  const workload = compileWorkload();
  const MAPS = 30_000;
  /** The rings hold a few thousand: nobody empties them while the mappings are made. */
  const held = { ...cleanEnvironment(), PERF_TS_DRAIN_HOLD_MS: '2000' };
  const RECORD = ['record', '-e', 'cpu-clock', '-F', '1000'];
  const command = (maps: number) => ['--', workload, 'maps', String(maps)];

  /** Side-band records that are in the file or were lost. */
  function sidebandOf(file: string): number {
    const { records, loss } = infoOf(file);
    const { MMAP2 = 0, COMM = 0, FORK = 0, EXIT = 0 } = records;
    return MMAP2 + COMM + FORK + EXIT + loss.lostSideband;
  }

  it('lost side-band records are counted apart in the file and all outputs', () => {
    const file = join(scratch, 'lost.data');
    const flags = ['--json', '--fail-on-loss', '50%', '-o', file];
    const outcome = perfTs([...RECORD, ...flags, ...command(MAPS)], { env: held });
    const { loss } = infoOf(file);
    expect(loss.lostSideband).toBeGreaterThan(MAPS / 4);
    // No sample was lost, and none is said to be.
    expect(loss).toMatchObject({ lostRecords: 0, lostSamples: 0, best: 0 });
    const summary = JSON.parse(/^\{.*\}$/m.exec(outcome.stderr)?.[0] ?? '{}');
    expect(summary.lost).toEqual({ records: 0, samples: 0, sideband: loss.lostSideband });
    const count = loss.lostSideband.toLocaleString('en').replaceAll(',', ' ');
    expect(outcome.stderr).toContain(`--fail-on-loss: ${count} side-band records`);
    expect(outcome.stderr).not.toContain('of the samples were lost');
    expect(outcome.status).toBe(3);
    const { stdout } = perfTs(['report', file]);
    expect(stdout).toContain(
      `# trust: ${count} side-band records were lost (forks, execs, mappings)`,
    );
    expect(stdout).toMatch(/samples,.* none lost$/m);
    const report = JSON.parse(perfTs(['report', '--json', file]).stdout);
    expect(report.lostSideband).toBe(loss.lostSideband);
    expect(report.events[0].lost).toBe(0);
    const exported = perfTs(['export', '--format', 'speedscope', file, '-o', '-']).stdout;
    expect(exported).toContain(`${count} side-band records were lost`);
    // Every record is in the file or among the lost.
    const once = join(scratch, 'once.data');
    expect(perfTs([...RECORD, '-q', '-o', once, ...command(1)]).status).toBe(0);
    expect(sidebandOf(file)).toBe(sidebandOf(once) + MAPS - 1);
  });

  it('lost side-band records are in the closing line; only --fail-on-loss fails', () => {
    const file = join(scratch, 'closing.data');
    const outcome = perfTs([...RECORD, '-o', file, ...command(MAPS)], { env: held });
    expect(outcome.status).toBe(0);
    expect(outcome.stderr).toMatch(/^perf-ts: [\d ]+ side-band records were lost \(forks/m);
    expect(outcome.stderr).toMatch(/samples of cpu-clock, none lost;/);
  });
});
