// The ledger of losses against what the counters and the programs themselves have counted. The ring
// of one page and the held reader make sure that samples are lost.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { EventLedger } from '../../src/period/loss/loss-ledger.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import {
  cleanEnvironment,
  findPerf,
  infoOf,
  perfStats,
  perfTs,
  scratchDirectory,
} from '../helpers/cli.ts';
import { compileC } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const helpers = join(dirname(fileURLToPath(import.meta.url)), '../helpers');

const perf = findPerf();
const FORCED_LOSS = { PERF_TS_DRAIN_HOLD_MS: '40' };

type Asked = {
  readonly name: string;
  readonly flags: readonly string[];
  readonly command: readonly string[];
  readonly loses: boolean;
};

function record({ name, flags, command, loses }: Asked): string {
  const file = join(scratch, `${name.replace(/\W/g, '-')}.data`);
  const ring = loses ? ['-m', '1'] : [];
  const env = { ...cleanEnvironment(), ...(loses && FORCED_LOSS) };
  const outcome = perfTs(['record', '-q', ...ring, ...flags, '-o', file, '--', ...command], {
    env,
  });
  expect(outcome.stderr).not.toMatch(/failed/);
  expect(outcome.status).toBe(0);
  return file;
}

async function ledgerOf(file: string): Promise<EventLedger> {
  const profile = await openProfile(file, { symbols: false });
  return profile.ledgers()[0];
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Σ over threads and CPUs of the counter's value in the last sample: without any stream ids. */
function countedAtLastSamples(file: string): number {
  const last = new Map<string, number>();
  const { stdout } = perfTs(['script', '-i', file, '--json', '--samples']);
  for (const line of stdout.trimEnd().split('\n')) {
    const { tid, cpu, count } = JSON.parse(line);
    const key = `${tid} ${cpu}`;
    last.set(key, Math.max(last.get(key) ?? 0, count));
  }
  return sum(last.values());
}

/** Everything on the right side but `unaccounted`. */
function accountedIn(ledger: EventLedger): number {
  return sum([
    ledger.arrivedEvents,
    ledger.gapEvents,
    ledger.tailEvents ?? Number.NaN,
    ledger.unsampledEvents ?? Number.NaN,
    ledger.undividedEvents ?? Number.NaN,
  ]);
}

describeLive('the ledger of losses', () => {
  const program = compileC(join(helpers, 'many-tasks.c'), ['-O2', '-pthread']);
  const each = 40_000;

  const EVENTS = [
    ['page-faults', 'fault'],
    ['raw_syscalls:sys_enter', 'call'],
  ] as const;
  const RATES = [
    ['-F', '20000'],
    ['-c', '20'],
  ] as const;
  const PROGRAMS = [
    ['alone', 1, 0],
    ['alone', 1, 20],
    ['threads', 4, 0],
    ['forks', 4, 20],
  ] as const;
  const cases = EVENTS.flatMap(([event, kind]) =>
    RATES.flatMap((rate) =>
      PROGRAMS.map(([how, tasks, moves]) => ({
        title: `${event} ${rate.join(' ')}, ${how} ${tasks}, ${moves} moves`,
        flags: ['-e', event, ...rate],
        command: [how, tasks, kind, each, moves].map(String),
        made: tasks * each,
        leastPeriod: rate[0] === '-c' ? Number(rate[1]) : 1,
        hasChildren: how !== 'alone',
      })),
    ),
  );

  it.each(cases)('the ledger closes under loss, with counts: $title', async (one) => {
    const command = [program, ...one.command];
    const flags = [...one.flags, '--counts'];
    const file = record({ name: `counts-${one.title}`, flags, command, loses: true });
    const ledger = await ledgerOf(file);
    expect(ledger.lostSamples).toBeGreaterThan(0);
    expect(ledger.eventsCounted).toBeGreaterThanOrEqual(one.made);
    expect(ledger.unaccounted).toBe(0);
    expect(accountedIn(ledger)).toBe(ledger.eventsCounted);
    expect(ledger.arrivedEvents + ledger.gapEvents).toBe(countedAtLastSamples(file));
    // Each lost sample stood for a period.
    const missing = accountedIn(ledger) - ledger.arrivedEvents;
    expect(missing).toBeGreaterThanOrEqual(one.leastPeriod * ledger.lostSamples);
    if (!one.hasChildren) expect(ledger.undividedEvents).toBe(0);
  });

  it.each(cases.slice(0, 4))(
    'the ledger closes under loss, without counts: $title',
    async (one) => {
      const command = [program, ...one.command];
      const name = `bare-${one.title}`;
      const ledger = await ledgerOf(record({ name, flags: one.flags, command, loses: true }));
      expect(ledger.lostSamples).toBeGreaterThan(0);
      expect(ledger.unaccounted).toBe(0);
      expect(accountedIn(ledger)).toBe(ledger.eventsCounted);
      expect(ledger.gapEvents).toBe(0);
      expect(ledger.undividedEvents).toBeGreaterThan(0);
    },
  );

  it('a fixed period divides losses from tails without counts', async () => {
    const command = [program, 'forks', '4', 'fault', String(each)];
    const flags = ['-e', 'page-faults', '-c', '20'];
    const ledger = await ledgerOf(record({ name: 'fixed', flags, command, loses: true }));
    expect(ledger.unaccounted).toBe(0);
    expect(ledger.gapEvents).toBe(20 * ledger.lostSamples);
    // Less than a period per instance: five tasks on each CPU.
    expect(ledger.undividedEvents).toBeLessThan(20 * 5 * 64);
  });

  it.each(cases)('all that is missing without loss are tails: $title', async (one) => {
    const command = [program, ...one.command];
    const flags = [...one.flags, '--counts'];
    const file = record({ name: `whole-${one.title}`, flags, command, loses: false });
    const ledger = await ledgerOf(file);
    expect(ledger).toMatchObject({ lostSamples: 0, gapEvents: 0, unaccounted: 0, coverage: 1 });
    expect(ledger.arrivedEvents).toBe(countedAtLastSamples(file));
    expect(accountedIn(ledger)).toBe(ledger.eventsCounted);
  });

  it('final counts of exiting threads divide everything', async () => {
    // On one CPU, where no other can be in the ring that the kernel writes them into.
    const command = ['taskset', '-c', '0', program, 'threads', '4', 'fault', String(each)];
    const flags = ['-e', 'page-faults', '-F', '5000', '-s'];
    const file = record({ name: 'stat', flags, command, loses: false });
    const ledger = await ledgerOf(file);
    expect(ledger).toMatchObject({ undividedEvents: 0, unaccounted: 0 });
    const busy = ledger.streams.filter(({ arrivedEvents }) => arrivedEvents > each / 2);
    expect(busy).toHaveLength(4);
    for (const { eventsCounted } of busy) {
      expect(eventsCounted).toBeGreaterThanOrEqual(each);
      expect(eventsCounted).toBeLessThan(each + 100);
    }
    const lines = perfTs(['script', '-i', file]).stdout.split('\n');
    const reads = lines.filter((line) => line.includes(' PERF_RECORD_READ page-faults '));
    expect(reads).toHaveLength(infoOf(file).records.READ ?? Number.NaN);
    for (const { eventsCounted } of busy) {
      expect(reads.join('\n')).toContain(` page-faults ${eventsCounted}, enabled `);
    }
  });

  it.skipIf(perf === null)('perf reads the final counts', () => {
    const command = [program, 'forks', '4', 'fault', String(each)];
    for (const flags of [
      ['-e', 'page-faults', '-F', '5000'],
      ['-e', '{page-faults,context-switches}:S', '-F', '5000'],
    ]) {
      const file = record({ name: `perf-${flags[1]}`, flags, command, loses: false });
      const { READ } = infoOf(file).records;
      expect(READ).toBeGreaterThan(0);
      expect(perfStats(file).READ).toBe(READ);
      for (const view of [['script'], ['report', '--stdio'], ['report', '-D']]) {
        const run = spawnSync(perf as string, [...view, '-i', file], { maxBuffer: 2 ** 30 });
        expect(run.status).toBe(0);
      }
    }
  });

  it('--fail-on-loss ends with status 3 when samples were lost, and not otherwise', () => {
    const options = ['-q', '-e', 'page-faults', '-c', '20', '--fail-on-loss', '1%'];
    const file = join(scratch, 'tolerated.data');
    const command = [program, 'alone', '1', 'fault', String(each)];
    const lossy = perfTs(['record', ...options, '-m', '1', '-o', file, '--', ...command], {
      env: { ...cleanEnvironment(), ...FORCED_LOSS },
    });
    expect(lossy.status).toBe(3);
    expect(lossy.stderr).toMatch(
      /^perf-ts: --fail-on-loss: \d.*% of the samples \([\d ]+\) were lost, tolerated are 1\.00%/m,
    );
    const whole = perfTs(['record', ...options, '-o', file, '--', ...command]);
    expect(whole).toMatchObject({ status: 0, stderr: '' });
  });
});
