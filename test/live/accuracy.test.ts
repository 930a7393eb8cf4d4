// Shares against a program that counts its own events. Three functions at three rates, in phases
// of some ten to thirty samples: weighing by samples is off by up to 8 times there, and the
// periods at face value by 3 to 6 per cent, since every phase's last one is the next phase's.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileCountedWork } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';
import { undisturbed } from '../helpers/undisturbed.ts';

const scratch = scratchDirectory();

type Truth = { readonly events: Readonly<Record<string, number>> };
type Row = { readonly name: string; readonly self: number };
type Report = { readonly events: readonly { readonly rows: readonly Row[] }[] };

/** Steps of bench/accuracy/programs/work.h: function, events, empty turns after each. */
const SCRIPT = `task\n${'run a 15000 0\nrun b 4000 6000\nrun c 300 150000\n'.repeat(12)}`;

/** The worst of max(share / true share, its inverse) over the counted functions. */
function worstFactor(file: string, truth: Truth, weight: string): number {
  const outcome = perfTs(['report', '--json', '--limit', '0', '--weight', weight, file]);
  expect(outcome.status, outcome.stderr).toBe(0);
  const rows = (JSON.parse(outcome.stdout) as Report).events[0]?.rows ?? [];
  const names = Object.keys(truth.events);
  const selfOf = (name: string) => rows.find((row) => row.name === name)?.self ?? 0;
  const found = names.map(selfOf).reduce((sum, self) => sum + self, 0);
  const made = Object.values(truth.events).reduce((sum, events) => sum + events, 0);
  const factors = names.map((name) => {
    const share = selfOf(name) / found;
    const trueShare = truth.events[name] / made;
    return Math.max(share / trueShare, trueShare / share);
  });
  return Math.max(...factors);
}

/** The middle of three recordings: one may be disturbed by the rest of the machine. */
function medianFactors(flags: readonly string[]): Record<'events' | 'period' | 'samples', number> {
  // The kernel adapts its period to the time between samples, in which others may have had the CPU.
  const program = [...undisturbed(), compileCountedWork()];
  const script = join(scratch, 'script');
  writeFileSync(script, SCRIPT);
  const found = { events: [] as number[], period: [] as number[], samples: [] as number[] };
  for (let run = 0; run < 3; run++) {
    const file = join(scratch, `${run}.data`);
    const truthFile = join(scratch, `${run}.json`);
    const options = ['-q', '-e', 'page-faults', '-F', '10000', ...flags, '-o', file];
    const outcome = perfTs(['record', ...options, '--', ...program, 'faults', script, truthFile]);
    expect(outcome.status, outcome.stderr).toBe(0);
    const truth = JSON.parse(readFileSync(truthFile, 'utf8')) as Truth;
    expect(Object.keys(truth.events)).toEqual(['fault_a', 'fault_b', 'fault_c']);
    found.events.push(worstFactor(file, truth, 'events'));
    found.period.push(worstFactor(file, truth, 'period'));
    found.samples.push(worstFactor(file, truth, 'samples'));
  }
  const middle = (factors: number[]) => factors.sort((a, b) => a - b)[1];
  return {
    events: middle(found.events),
    period: middle(found.period),
    samples: middle(found.samples),
  };
}

describeLive('the truth', () => {
  for (const flags of [[], ['--counts']]) {
    it(`the true share is met by weight events, not by period or samples, ${flags[0] ?? 'without counts'}`, () => {
      const { events, period, samples } = medianFactors(flags);
      expect(events).toBeLessThan(1.03);
      // What is left of the error that the periods at face value have; those of perf are counted
      // where the counter was read.
      if (flags.length === 0) expect(events - 1).toBeLessThan(0.7 * (period - 1));
      // How far counting samples is off depends on how the phases and the ticks fell.
      expect(samples).toBeGreaterThan(1.3);
      expect(samples - 1).toBeGreaterThan(10 * (events - 1));
    });
  }
});
