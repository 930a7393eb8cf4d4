// Recordings with counts whose file does not begin where the counters did.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openProfile } from '../../src/read/open-profile.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileFaults } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const ROUNDS = 8000;
/** `faults loop 70 30 ROUNDS`, with some that a program's start takes. */
const MADE = 100 * ROUNDS;
const AT_START = 1000;

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** The files of one recording in several, in the order of time. */
function recordInFiles(options: readonly string[]): string[] {
  const directory = scratchDirectory();
  const output = join(directory, 'perf.data');
  const words = ['record', '--switch-output=40K', '-o', output, ...options];
  const program = [compileFaults(), 'loop', '70', '30', `${ROUNDS}`];
  expect(perfTs([...words, '--', ...program]).status).toBe(0);
  const parts = readdirSync(directory).filter((name) => name.startsWith('perf.data.'));
  expect(parts.length).toBeGreaterThan(2);
  return [...parts.sort(), 'perf.data'].map((name) => join(directory, name));
}

describeLive('a recording whose file begins later than its counters', () => {
  it("the files of --switch-output sum to the program's events", async () => {
    const files = recordInFiles(['-e', 'page-faults', '-F', '4000', '--counts']);
    const opened = await Promise.all(files.map((file) => openProfile(file, { symbols: false })));
    const arrived = opened.map((profile) => profile.ledgers()[0].arrivedEvents);
    expect(sum(arrived)).toBeLessThan(MADE + AT_START);
    expect(sum(arrived)).toBeGreaterThan(0.9 * MADE);
    for (const profile of opened) {
      const { unsampledEvents, tailEvents } = profile.ledgers()[0];
      expect([unsampledEvents ?? 0, tailEvents ?? 0].every((events) => events < AT_START)).toBe(
        true,
      );
    }
  });

  it('--switch-output gives group members no counts of an earlier file', async () => {
    const events = ['-e', '{cpu-clock,page-faults}:S', '-c', '250000'];
    const files = recordInFiles(events);
    let members = 0;
    for (const file of files) {
      const opened = await openProfile(file, { symbols: false });
      const faults = opened.eventIndex('page-faults');
      const { values } = opened.weights('events');
      members += sum(Array.from(opened.samplesOf(faults), (row) => values[row]));
    }
    expect(members).toBeLessThan(MADE + AT_START);
    expect(members).toBeGreaterThan(0.9 * MADE);
  });

  it('inject gives events of removed samples to no other sample', async () => {
    const directory = scratchDirectory();
    const whole = join(directory, 'whole.data');
    const part = join(directory, 'part.data');
    const program = [compileFaults(), 'loop', '70', '30', '5000'];
    const options = ['-e', 'page-faults', '-F', '2000', '--counts', '-o', whole];
    expect(perfTs(['record', ...options, '--', ...program]).status).toBe(0);
    expect(perfTs(['inject', '-i', whole, '-o', part, '--time', '50%-100%']).status).toBe(0);
    const [all, kept] = await Promise.all(
      [whole, part].map((file) => openProfile(file, { symbols: false })),
    );
    const length = kept.profile.samples.length;
    expect(length).toBeGreaterThan(100);
    expect(length).toBeLessThan(0.9 * all.profile.samples.length);
    // The differences of the counts: no border between phases is divided.
    const tail = all.weights('period').values.slice(-length);
    expect([...kept.weights('period').values]).toEqual([...tail]);
    expect([...kept.weights('time').values]).toEqual([
      ...all.weights('time').values.slice(-length),
    ]);
  });
});
