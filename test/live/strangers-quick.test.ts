// A quick slice of test/strangers: programs with and without perf-ts, and hostile neighbours of a recording.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { FLAGS, NO_FLAGS } from '../strangers/flags.ts';
import { HOSTILE_CASES } from '../strangers/hostile/cases.ts';
import { Matrix } from '../strangers/matrix.ts';
import { findNode, MAJORS } from '../strangers/nodes.ts';
import { PROGRAMS } from '../strangers/programs.ts';
import { type Cell, Runner } from '../strangers/ways.ts';

const scratch = scratchDirectory();
chmodSync(scratch, 0o755);
const place = {
  root: projectRoot,
  scratch,
  programs: join(projectRoot, 'test/strangers/programs'),
};
const matrix = new Matrix(new Runner(place));
/** The Nodes that are here and take the preload; the complete rig fetches the others. */
const nodes = MAJORS.filter((major) => major >= 18).flatMap((major) => findNode(major) ?? []);

const QUICK_PROGRAMS = [
  'environment.cjs',
  'listeners.cjs',
  'require-cache.cjs',
  'module-functions.cjs',
  'stack-sync.cjs',
  'arguments.cjs',
  'exit-order.cjs',
  'killed-term.cjs',
  'worker-env.cjs',
  'fork-environments.cjs',
  'spawn.cjs',
  'daemon.cjs',
];
const QUICK_FLAGS = [
  '--jitless',
  '--pending-deprecation --throw-deprecation',
  'NODE_PENDING_DEPRECATION=1',
  '--frozen-intrinsics',
  '--no-addons',
  '--disallow-code-generation-from-strings',
];
const QUICK_CASES = [
  'a squatter of the recorder’s socket, with a full queue',
  'a registered program that answers with trickle',
  'a daemon of node that starts Node after perf-ts has moved',
  'a recorded program that floods code events with code',
  'a recorded program that maps 40 000 files as code',
  'a recorded program whose map has 300 MiB of lines',
];

/** What each cell differs in; empty where none does. */
async function differencesOf(cells: readonly Cell[]): Promise<string[]> {
  const differences: string[] = [];
  for (const cell of cells) {
    const { name, verdict, difference } = await matrix.try(cell);
    if (verdict !== 'passed') differences.push(`${verdict}: ${name}: ${difference}`);
  }
  return differences;
}

/** Each Node meets every so many-th of a list, another one each: all Nodes together cover it. */
function shareOf<T>(all: readonly T[], index: number): T[] {
  return all.filter((_, at) => at % nodes.length === index);
}

describeLive('a program among strangers', () => {
  it('a recorded program prints, leaves and ends as without perf-ts, on each Node that is here', async () => {
    const programs = QUICK_PROGRAMS.map((name) => PROGRAMS.find((one) => one.name === name)!);
    const cells = nodes.flatMap((node, index) =>
      shareOf(programs, index).map(
        (program): Cell => ({ way: 'launch', node, program, flags: NO_FLAGS }),
      ),
    );
    expect(cells).toHaveLength(QUICK_PROGRAMS.length);
    expect(await differencesOf(cells)).toEqual([]);
  });

  it('a recorded program prints, leaves and ends as without perf-ts under flags that forbid what a preload needs', async () => {
    const flags = QUICK_FLAGS.map((name) => FLAGS.find((one) => one.name === name)!);
    const [program] = PROGRAMS;
    const cells = nodes.flatMap((node, index) =>
      shareOf(flags, index).map((one): Cell => ({ way: 'launch', node, program, flags: one })),
    );
    expect(cells).toHaveLength(QUICK_FLAGS.length);
    expect(await differencesOf(cells)).toEqual([]);
  });

  for (const name of QUICK_CASES) {
    const hostile = HOSTILE_CASES.find((one) => one.name === name)!;
    it.skipIf(hostile.obstacle() !== null)(`a recording is not harmed by ${name}`, async () => {
      expect(await hostile.run(place)).toEqual([]);
    });
  }
});
