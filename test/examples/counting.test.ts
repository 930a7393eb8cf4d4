import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const FOLDER = 'examples/counts-per-iteration';

function run(...words: string[]): string[] {
  return execFileSync(process.execPath, words, {
    cwd: projectRoot,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', VITEST: '', VITEST_WORKER_ID: '', NODE_ENV: '' },
  }).split('\n');
}

describeLive('the counting programs in examples/', () => {
  test('region-of-interest counts nested regions, and what measuring costs', () => {
    const lines = run(join(projectRoot, 'examples/region-of-interest.mjs'));
    const counts = lines.map((line) =>
      /^ *(\w+) ×1: task-clock (\d+), page-faults (\d+)$/.exec(line),
    );
    expect(counts.slice(0, 3).map((match) => match?.[1])).toEqual(['request', 'parse', 'sum']);
    const [request, parse, sum] = counts.map((match) => Number(match?.[2])) as [
      number,
      number,
      number,
    ];
    expect(request).toBeGreaterThanOrEqual(parse + sum);
    expect(lines).toContain('the result is 199990000; measuring an empty region counts:');
    expect(lines).toContain('  page-faults 0');
  });

  test('counts-per-iteration prints the counts of one iteration of a vitest bench', () => {
    const vitest = join(projectRoot, 'node_modules/vitest/vitest.mjs');
    // With the settings of this project, its lane of the package would be packed anew, beside the tests that run.
    const config = join(scratchDirectory(), 'vitest.config.mjs');
    writeFileSync(config, 'export default {};\n');
    const lines = run(vitest, 'bench', '--run', '--config', config, '--dir', FOLDER);
    for (const pages of [100, 300]) {
      const line = lines.find((text) => text.startsWith(`${pages} pages, per iteration of `));
      const faults = Number(/page-faults:u ([\d.]+)/.exec(line ?? '')?.[1]);
      expect(faults).toBeGreaterThanOrEqual(pages);
      // What vitest does besides is not an iteration's own.
      expect(faults).toBeLessThan(pages + 5);
    }
  });
});
