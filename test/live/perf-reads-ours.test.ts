// What perf-ts records, perf reads and rewrites, and the rewritten recording is the same again.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findPerf, infoOf, perfStats, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { perfOutput } from '../helpers/perf-output.ts';

const scratch = scratchDirectory();
const perfIsThere = findPerf() !== null;

const OPTIONS: [name: string, options: string[]][] = [
  ['call chains', ['-e', 'cpu-clock', '-F', '2000', '-g']],
  ['all CPUs', ['-a', '-e', 'cpu-clock', '-F', '1000', '-g']],
  ['tracepoints', ['-e', 'sched:sched_switch', '-c', '1']],
  ['a group', ['-e', '{cpu-clock,page-faults}:S', '-F', '1000']],
];

describeLive('what perf-ts records', () => {
  test.skipIf(!perfIsThere).for(OPTIONS)('%s: perf reads it and rewrites it', (row, { skip }) => {
    const [name, options] = row;
    const file = join(scratch, `${name}.data`);
    const workload = [compileWorkload(), 'threads', '2', '0.2'];
    const recorded = perfTs(['record', '-q', '-o', file, ...options, '--', ...workload]);
    expect(recorded).toMatchObject({ status: 0 });
    const { records } = infoOf(file);
    const samples = records.SAMPLE;
    expect(samples).toBeGreaterThan(0);
    expect(perfStats(file)).toMatchObject({ SAMPLE: samples });
    const dump = perfOutput(skip, ['report', '-D', '-i', file]).toString();
    expect(dump.match(/: PERF_RECORD_SAMPLE/g)?.length).toBe(samples);

    // inject writes a header of its own, with every feature that it found.
    const injected = join(scratch, `${name}.injected.data`);
    perfOutput(skip, ['inject', '-i', file, '-o', injected]);
    const script = (path: string) => perfOutput(skip, ['script', '-i', path]).toString();
    expect(script(injected)).toBe(script(file));
    expect(infoOf(injected).records.SAMPLE).toBe(samples);
    expect(perfOutput(skip, ['buildid-list', '-i', file]).toString()).toMatch(/^[0-9a-f]{40} /m);
  });

  test.skipIf(!perfIsThere)('a pipe: perf reads it and rewrites it', ({ skip }) => {
    const file = join(scratch, 'pipe.data');
    const run = [compileWorkload(), 'threads', '2', '0.2'].join(' ');
    const flags = ['-q', '-e', 'cpu-clock', '-F', '2000', '-g', '-o', '-'];
    const shell = `"$0" "$1" record ${flags.join(' ')} -- sh -c '${run} >&2' > "${file}"`;
    execFileSync('sh', ['-c', shell, process.execPath, join(process.cwd(), 'dist/bin/main.js')], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const pipe = readFileSync(file);
    const samples = infoOf('-', pipe).records.SAMPLE;
    expect(samples).toBeGreaterThan(0);
    expect(perfStats('-', pipe)).toMatchObject({ SAMPLE: samples });
    const injected = perfOutput(skip, ['inject', '-b'], pipe);
    expect(infoOf('-', injected).records.SAMPLE).toBe(samples);
    expect(perfOutput(skip, ['report', '-i', '-', '--stdio'], pipe).toString()).toContain(
      'cpu-clock',
    );
  });
});
