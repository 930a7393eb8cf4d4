// The command as users run it. `test/run.sh` builds it before the tests.

import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import type { PeriodsReport } from '../../../src/period/report/report.ts';
import { cleanEnvironment, perfTs, scratchDirectory } from '../../helpers/cli.ts';
import { compileWorkload } from '../../helpers/compile.ts';
import { describeLive } from '../../helpers/live.ts';

const scratch = scratchDirectory();

test('periods refuses option values that are not numbers', () => {
  for (const words of [
    ['--streams', '0'],
    ['--pairs', '1.5'],
    ['--pairs', 'some'],
  ]) {
    const { status, stderr } = perfTs(['periods', 'no.data', ...words]);
    expect(status).toBe(2);
    expect(stderr).toContain(`${words.join(' ')}: expected a number above 0, or all`);
  }
});

describeLive('periods', () => {
  const workload = compileWorkload();

  function record(name: string, ...words: string[]): string {
    const file = join(scratch, `${name}.data`);
    const pinned = ['taskset', '-c', '0', workload, 'pf', '204800'];
    const { status } = perfTs(['record', '-q', '-o', file, ...words, '--', ...pinned]);
    expect(status).toBe(0);
    return file;
  }

  function jsonOf(file: string, ...words: string[]): PeriodsReport {
    const { stdout, status } = perfTs(['periods', file, '--json', ...words]);
    expect(status).toBe(0);
    return JSON.parse(stdout) as PeriodsReport;
  }

  it('periods --json holds all keys of the contract', () => {
    const file = record('contract', '-e', 'page-faults', '-F', '5000');
    const report = jsonOf(file);
    expect(report.schema).toBe('perf-ts/periods@1');
    expect(Object.keys(report.kernel)).toEqual(
      expect.arrayContaining(['maxSampleRate', 'maxSampleRateAfter', 'cpuTimeMaxPercent']),
    );
    const [event] = report.events;
    expect(Object.keys(event)).toEqual(
      expect.arrayContaining(
        'event mode targetHz fixedPeriod reportedPeriod samples eventsCounted lost throttled streams suggestedPeriod'.split(
          ' ',
        ),
      ),
    );
    expect(Object.keys(event.streams[0])).toEqual(
      expect.arrayContaining(
        'streamId tids cpus samples verdict settleSamples settleNs steady rampShare effectiveSamples firstPeriods phases reRamps model'.split(
          ' ',
        ),
      ),
    );
    const { ledger } = event;
    expect(ledger.unaccounted).toBe(0);
    expect(event.weights!.distance.period).not.toBeNull();
  });

  it("periods: a clock's period is fixed by the kernel, a fixed period as asked", () => {
    const [clock] = jsonOf(record('clock', '-e', 'cpu-clock', '-F', '2000')).events;
    expect(clock.mode).toBe('clock');
    expect(Object.keys(clock.verdicts)).toEqual(['fixed']);
    const [period] = jsonOf(record('period', '-e', 'page-faults', '-c', '100')).events;
    expect(period.mode).toBe('period');
    expect(Object.keys(period.verdicts)).toEqual(['fixed']);
  });

  it('the events counted in every pair are the period that the sample before reported', () => {
    const file = record('pairs', '-e', 'page-faults', '-F', '5000', '--counts', '--no-inherit');
    const [stream] = jsonOf(file, '--pairs', 'all').events[0].streams;
    const { pairs, samples } = stream;
    expect(pairs).toHaveLength(samples - 1);
    expect(pairs!.filter(({ events, periods }) => events !== periods[0])).toEqual([]);
    const { stdout } = perfTs(['periods', file, '--pairs', '3'], { env: inUnicode() });
    expect(stdout.split('\n')).toHaveLength(7);
    expect(stdout).toContain('λ (events/s)');
    // A word that is no number is the file.
    const unnumbered = perfTs(['periods', '--pairs', file], { env: inUnicode() });
    expect(unnumbered.status, unnumbered.stderr).toBe(0);
    expect(unnumbered.stdout.split('\n')).toHaveLength(7 - 3 + 32);
    expect(perfTs(['periods', '--pairs', '0', file]).status).toBe(2);
  });

  it('periods plots fit the terminal, and at most 100 columns', () => {
    const file = record('text', '-g', '-e', 'page-faults', '-F', '5000');
    const unicode = perfTs(['periods', file], { env: inUnicode() }).stdout;
    expect(unicode).toMatch(/[\u2801-\u28ff]/);
    const plain = perfTs(['periods', file], { env: { ...inUnicode(), TERM: 'dumb' } }).stdout;
    expect(plain).toMatch(/^[\n -~]*$/);
    for (const line of [...unicode.split('\n'), ...plain.split('\n')]) {
      expect(line.length, line).toBeLessThanOrEqual(100);
    }
  });
});

function inUnicode(): NodeJS.ProcessEnv {
  return { ...cleanEnvironment(), LC_ALL: 'C.UTF-8', TERM: 'xterm' };
}
