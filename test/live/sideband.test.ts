// FORK, EXIT, COMM and MMAP2 have rings of their own: a flood of samples may cost samples, never a
// thread or a mapping.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CLI, infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

function recordsOf(name: string, flags: readonly string[], command: readonly string[]) {
  const file = join(scratch, `${name}.data`);
  const outcome = perfTs(['record', '-q', '-o', file, ...flags, '--', ...command]);
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

  it('loses no FORK and no EXIT while one-page rings lose samples', () => {
    const info = recordsOf(
      'r10',
      [...clock, '-F', '49999', '-m', '1'],
      [workload, 'forks', '1000'],
    );
    expect(info.loss.best).toBeGreaterThan(0);
    expect(forkedTids(join(scratch, 'r10.data')).size).toBe(1000);
    expect(info.records.EXIT).toBe(1001);
  });

  it('sees every fork, exec and short-lived thread', () => {
    const flags = [...clock, '-F', '30000'];
    const forks = recordsOf('forks', flags, [workload, 'forks', '5000']);
    expect(forkedTids(join(scratch, 'forks.data')).size).toBe(5000);
    expect(forks.records.EXIT).toBe(5001);
    const execs = recordsOf('execs', flags, [workload, 'execs', '1000']);
    expect(execs.records.EXIT).toBe(1001);
    expect(execs.records.COMM).toBeGreaterThanOrEqual(1001);
    expect(execs.records.MMAP2).toBeGreaterThanOrEqual(4004);
    const threads = recordsOf('shortthr', flags, [workload, 'shortthr', '20000']);
    expect(threads.records.FORK).toBeGreaterThanOrEqual(20_000);
    expect(threads.records.EXIT).toBe(20_001);
    for (const info of [forks, execs, threads]) expect(info.loss.best).toBe(0);
  });

  it('follows a thousand threads', () => {
    const info = recordsOf(
      'threads',
      [...clock, '-F', '30000'],
      [workload, 'threads', '1000', '2'],
    );
    expect(info.records.FORK).toBe(1000);
    expect(info.records.EXIT).toBe(1001);
    expect(info.loss.best).toBe(0);
    expect(info.records.SAMPLE).toBeGreaterThan(1000);
  });
});
