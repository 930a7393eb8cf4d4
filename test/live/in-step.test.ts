// Loops whose length divides a fixed period, and work that does not repeat: what `report` says of the samples.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { compileCountedWork } from '../helpers/compile.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

type Reported = { readonly kind: string; readonly every?: number } | null;
type Document = { readonly events: readonly { readonly inStep: Reported }[] };

/** Records a program of bench/accuracy/programs/work.h and says what `report` tells of it. */
function recordWork(
  kind: 'faults' | 'calls',
  script: string,
  options: readonly string[],
): { reported: Reported; file: string } {
  const file = join(scratch, 'work.data');
  const scriptFile = join(scratch, 'script');
  writeFileSync(scriptFile, `task\n${script}`);
  const event = kind === 'faults' ? 'page-faults:u' : 'raw_syscalls:sys_enter';
  const program = [compileCountedWork(), kind, scriptFile, join(scratch, 'truth.json')];
  const recorded = perfTs([
    'record',
    '-q',
    '-g',
    '-e',
    event,
    ...options,
    '-o',
    file,
    '--',
    ...program,
  ]);
  expect(recorded.status, recorded.stderr).toBe(0);
  expect(Object.keys(JSON.parse(readFileSync(join(scratch, 'truth.json'), 'utf8')))).toContain(
    'events',
  );
  const document = perfTs(['report', '--json', file]);
  expect(document.status, document.stderr).toBe(0);
  const { events } = JSON.parse(document.stdout) as Document;
  return { reported: events[0].inStep, file };
}

const loop = (a: number, b: number, turns: number) => `run a ${a} 0\nrun b ${b} 0\n`.repeat(turns);

/** Numbers 0 … 1 that never repeat. */
function randomly(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

/** Runs of functions in any order, each of `least` to `most` events. */
function anyOrder(seed: number, events: number, least: number, most: number): string {
  const random = randomly(seed);
  const lines: string[] = [];
  for (let made = 0; made < events; ) {
    const length = least + Math.floor((most - least + 1) * random());
    lines.push(`run ${'abc'[Math.floor(3 * random())]} ${length} ${Math.floor(300 * random())}`);
    made += length;
  }
  return `${lines.join('\n')}\n`;
}

describeLive('samples in step with a program', () => {
  it.each(['faults', 'calls'] as const)('%s: a loop of the period is seen in one place', (kind) => {
    const { reported, file } = recordWork(kind, loop(70, 30, 1500), ['-c', '100']);
    expect(reported).toMatchObject({ kind: 'one-place' });
    expect(perfTs(['report', file]).stdout).toContain('perf-ts record -c 61');
  });

  it.each(['faults', 'calls'] as const)('%s: a loop of three periods is a cycle', (kind) => {
    const { reported, file } = recordWork(kind, loop(210, 90, 500), ['-c', '100']);
    expect(reported).toMatchObject({ kind: 'cycle', every: 3 });
    expect(perfTs(['report', file]).stdout).toContain('perf-ts record -c 61');
  });

  it.each(['faults', 'calls'] as const)('%s: work that does not repeat is not told', (kind) => {
    const shapes = [
      [1, 1],
      [5, 60],
      [50, 400],
      [500, 3000],
      [100, 100],
    ] as const;
    const samplings = [
      ['-c', '100'],
      ['-F', '3989'],
    ];
    for (const options of samplings) {
      for (const [i, [least, most]] of shapes.entries()) {
        const events = least === 1 ? 30_000 : 100_000;
        const { reported } = recordWork(kind, anyOrder(100 + i, events, least, most), options);
        expect(reported, `${options.join(' ')}, runs of ${least} to ${most}`).toBeNull();
      }
    }
  });
});
