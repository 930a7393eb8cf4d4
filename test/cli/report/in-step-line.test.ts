import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';

const scratch = scratchDirectory();

/** `perf script` of 400 samples, every 7 events. */
function reportOf(name: string, funcOf: (sample: number) => string): string {
  const path = join(scratch, name);
  const lines = Array.from(
    { length: 400 },
    (_, ms) => `app 10 100.${100 + ms}000: 7 cycles: ${funcOf(ms)}+0x0 (/bin/app)\n`,
  );
  writeFileSync(path, lines.join(''));
  return perfTs(['report', path]).stdout;
}

test('a report vouches for no interval where all samples may be in one place of a loop', () => {
  const inAnyOrder = (ms: number) =>
    Math.imul(ms + 1, 2_654_435_761) < 0 ? '401000 a' : '402000 b';
  expect(reportOf('mixed.txt', inAnyOrder)).toContain('in 95 of 100 recordings');
  const one = reportOf('one.txt', (ms) => (ms === 399 ? '402000 b' : '401000 a'));
  expect(one).toContain('all but 1 of 350 samples at equal intervals are in one place');
  expect(one).not.toContain('in 95 of 100 recordings');
});
