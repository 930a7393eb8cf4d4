// What the options of record do to a recording that is really made.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPerf, infoOf, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileWorkload } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const hasTracepoints = existsSync('/sys/kernel/tracing/events/raw_syscalls');

/** Records with these options; the file's name says which test it belongs to. */
function record(name: string, options: readonly string[], command: readonly string[]) {
  const file = join(scratch, `${name}.data`);
  return { file, ...perfTs(['record', '-o', file, ...options, '--', ...command]) };
}

/** Σ of the periods that perf gives the samples of each event. */
function periodsInPerf(file: string): Record<string, number> {
  const args = ['script', '-F', 'event,period', '-i', file];
  const text = execFileSync('perf', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const sums: Record<string, number> = {};
  for (const [, period, event] of text.matchAll(/(\d+)\s+(\S+):/g)) {
    sums[event] = (sums[event] ?? 0) + Number(period);
  }
  return sums;
}

describeLive('a recording', () => {
  const workload = compileWorkload();

  it.skipIf(!hasTracepoints)('a tracepoint is sampled at every event by default', () => {
    const each = record('each', ['-e', 'raw_syscalls:sys_enter'], [workload, 'sys', '20000']);
    const info = infoOf(each.file);
    expect(info.loss.best).toBe(0);
    expect(info.records.SAMPLE).toBeGreaterThanOrEqual(20_000);
    expect(info.records.SAMPLE).toBeLessThan(20_200);
  });

  it.skipIf(findPerf() === null)('perf reads all counts of a group with S', () => {
    // The leader is a fault in a hundred, so that the other counter is read 500 times.
    const options = ['-i', '-e', '{page-faults:u,task-clock:u}:S', '-c', '100'];
    const { file, status } = record('group', options, [workload, 'faults-pinned', '50000']);
    expect(status).toBe(0);
    const sums = periodsInPerf(file);
    const counted = sums['page-faults:u'];
    expect(counted).toBeGreaterThan(50_000 - 100);
    expect(counted).toBeLessThan(50_400);
    expect(sums['task-clock:u']).toBeGreaterThan(0);
    expect(infoOf(file).records.SAMPLE).toBe(Math.floor(counted / 100));
  });

  it('--counts reads the counter, with threads and without', () => {
    for (const inherit of [[], ['-i']]) {
      const options = ['--counts', '-e', 'page-faults:u', '-c', '1000', ...inherit];
      const command = [workload, 'faults-pinned', '20000'];
      const { file, status } = record('counts', options, command);
      expect(status).toBe(0);
      const { stdout } = perfTs(['info', '--json', file]);
      expect(JSON.parse(stdout).events[0].sampleType).toContain('READ');
      expect(infoOf(file).records.SAMPLE).toBe(20);
    }
  });

  it('the period of a clock leaves the machine time for its work', () => {
    const { file, stderr } = record(
      'clock',
      ['-e', 'cpu-clock', '-c', '1000'],
      [workload, 'burn', '1', '0.1'],
    );
    expect(stderr).toContain('period raised from 1000 to 20000 ns');
    const { stdout } = perfTs(['info', '--json', file]);
    expect(JSON.parse(stdout).events[0].period).toBe(20_000);
  });

  it('record warns of events that happen in the kernel only', () => {
    const { file, stderr } = record(
      'kernel',
      ['-e', 'context-switches:u'],
      [workload, 'exit', '0'],
    );
    expect(stderr).toContain('context-switches:u: happens in the kernel only');
    expect(infoOf(file).records.SAMPLE ?? 0).toBe(0);
  });
});

describeLive('times beyond the 24.8 days that a timer of Node holds', () => {
  const faults = [compileWorkload(), 'pf', '20000'];

  it.each([['--duration', '3000000'], ['--switch-output=30d']])(
    'times beyond 24.8 days end nothing and begin no file early: %s',
    (...flags) => {
      const { file, status, stderr } = record(
        flags.join(),
        ['-e', 'page-faults:u', '-c', '10', ...flags],
        faults,
      );
      expect([status, stderr]).toEqual([0, expect.not.stringContaining('Timeout')]);
      const folder = readdirSync(scratch).filter((name) => name.startsWith(basename(file)));
      expect(folder).toHaveLength(1);
      expect(infoOf(join(scratch, folder[0])).records.SAMPLE).toBeGreaterThanOrEqual(2000);
    },
  );
});

describeLive('--fail-on-loss', () => {
  const workload = compileWorkload();
  // Two hundred thousand samples through a ring of one page.
  const flood = ['-q', '-m', '1', '-e', 'page-faults:u', '-c', '1', '-g'];
  const faults = [workload, 'pf', '200000'];

  it('--fail-on-loss ends with 3 and reports the share lost', () => {
    const { file, status, stderr } = record('flood', [...flood, '--fail-on-loss', '0'], faults);
    expect(infoOf(file).loss.best).toBeGreaterThan(0);
    expect(stderr).toMatch(/^perf-ts: --fail-on-loss: \d.* tolerated are 0/m);
    expect(status).toBe(3);
  });

  it('losses come with what makes them fewer', () => {
    const [_quiet, ...reported] = flood;
    expect(record('told', reported, faults).stderr).toMatch(
      /^perf-ts: .* were lost: larger rings .* \(perf-ts record -m 16K -- COMMAND\)$/m,
    );
  });

  it('--fail-on-loss keeps the status below the limit', () => {
    const tolerant = record('tolerant', [...flood, '--fail-on-loss', '100%'], faults);
    expect([tolerant.status, tolerant.stderr.includes('fail-on-loss')]).toEqual([0, false]);
  });

  it("--fail-on-loss keeps the command's own failure", () => {
    const failing = ['sh', '-c', `${faults.join(' ')}; exit 7`];
    expect(record('failing', [...flood, '--fail-on-loss', '0'], failing).status).toBe(7);
  });
});

describe('a command line that cannot be meant', () => {
  it.each([
    [['-F', '99', '-c', '5'], '-F and -c exclude each other'],
    [['--call-graph', 'dwarf,65536'], '--call-graph dwarf,65536: the stack copy has 8 to 65528'],
    [['-e', 'cpu-clock/call-graph=lbr,stack-size=8/'], 'stack-size belongs to call-graph=dwarf'],
    [['--fail-on-loss', '101%'], '--fail-on-loss 101%: expected a share'],
    [['-a', '-p', '1', '-C', '0'], '-p and -a exclude each other'],
  ])('ends with 2 and starts nothing: %j', (options, message) => {
    const marker = join(scratch, 'started');
    const { file, status, stderr } = record('never', options, ['touch', marker]);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
    expect([existsSync(marker), existsSync(file)]).toEqual([false, false]);
  });
});
