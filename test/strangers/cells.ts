// Which programs meet which Nodes, flags and ways: each program and each flag on each Node, and pairs by chance of a
// fixed seed. All of them together would be 80 × 10 × 60 × 4 cells.

import { seededRandom } from '../helpers/random.ts';
import { FLAGS, type Flags, NO_FLAGS } from './flags.ts';
import type { FoundNode } from './nodes.ts';
import { PROBES, PROGRAMS, type Program } from './programs.ts';
import type { Cell, Way } from './ways.ts';

/** Cells whose program, flags and way are drawn. */
const PAIRS = 150;
/** Shares of the ways in which a probing program meets a flag. */
const FLAG_WAYS: readonly Way[] = ['launch', 'launch', 'launch', 'register', 'register', 'attach'];
/** First major whose preload is Node's own --import. */
const FIRST_REGISTERED = 18;

export type Design = {
  readonly nodes: readonly FoundNode[];
  readonly seed: number;
};

export function designCells({ nodes, seed }: Design): Cell[] {
  const random = seededRandom(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)];
  const isDrawn = (oneIn: number): boolean => random() < 1 / oneIn;
  const cells: Cell[] = [];
  for (const node of nodes) {
    const programs = PROGRAMS.filter(({ since }) => since <= node.major);
    const add = (way: Way, program: Program, flags: Flags): void => {
      // The host requires the program: where it cannot, the program is launched.
      const possible = way === 'attach' && !canAttach(program) ? 'launch' : way;
      cells.push({ way: possible, node, program, flags });
    };
    for (const program of programs) {
      add('launch', program, NO_FLAGS);
      const isOld = node.major < FIRST_REGISTERED;
      if (isDrawn(isOld ? 2 : 4)) add('child', program, NO_FLAGS);
      if (isDrawn(isOld ? 4 : 2)) add('register', program, NO_FLAGS);
      if (canAttach(program) && isDrawn(8)) add('attach', program, NO_FLAGS);
    }
    const [probe, ...others] = PROBES.filter(({ since }) => since <= node.major);
    for (const flags of FLAGS) {
      add(pick(FLAG_WAYS), probe, flags);
      add('launch', pick(others), flags);
      add(pick(FLAG_WAYS), pick(others), flags);
    }
    for (let i = 0; i < PAIRS / nodes.length; i++) {
      add(pick<Way>(['launch', 'launch', 'child', 'register']), pick(programs), pick(FLAGS));
    }
  }
  return cells;
}

/** The host that waits for a recorder loads the program by `require`, and its standard input is open meanwhile. */
function canAttach({ file, words, input }: Program): boolean {
  return file?.endsWith('.cjs') === true && words.length === 0 && input === '';
}

export function nameOf({ way, node, program, flags }: Cell): string {
  return [way, `Node ${node.major}`, flags.name, program.name].filter(Boolean).join(' | ');
}
