import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'rolldown/experimental';
import { expect, test } from 'vitest';
import { projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

/** Compiles the example beside a dependency on this checkout, and runs it. */
function runExample(): string[] {
  const source = join(projectRoot, 'examples/raw-counter.ts');
  const { code } = transformSync(source, readFileSync(source, 'utf8'), { target: 'es2022' });
  const folder = mkdtempSync(join(scratch, 'example-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(projectRoot, join(folder, 'node_modules/perf-ts'));
  // Its own package: one above may be perf-ts itself.
  writeFileSync(join(folder, 'package.json'), '{}');
  const program = join(folder, 'raw-counter.mjs');
  writeFileSync(program, code);
  return execFileSync(process.execPath, [program], { cwd: folder, encoding: 'utf8' }).split('\n');
}

describeLive('examples/raw-counter.ts', () => {
  test('raw-counter.ts sets up, starts, stops, reads and resets two counters, and reads the time stamp', () => {
    const lines = runExample();
    const text = lines.join('\n');
    expect(lines[0]).toMatch(/^\d+ counters$/);
    for (const counter of [0, 1]) {
      const counted = new RegExp(`^counter ${counter}: (\\d+)`, 'm').exec(text)?.[1];
      expect(Number(counted)).toBeGreaterThan(0);
      expect(lines).toContain(`counter ${counter} after reset: 0`);
    }
    if (text.includes('no hardware counters')) {
      expect(lines).toContain('counter 0 is set up for "page-faults"');
      expect(Number(/^counter 0: (\d+)/m.exec(text)?.[1])).toBeGreaterThanOrEqual(1000);
    } else {
      expect(text).toMatch(/^counter 0 is set up for \{"event":(192|8),/m);
    }
    if (process.arch === 'x64') {
      expect(Number(/^time stamp: (\d+) ticks$/m.exec(text)?.[1])).toBeGreaterThan(0);
      expect(text).toMatch(/^MHz: measured \d+\.\d+, nominal /m);
    }
  });
});
