import { NONE } from '../../../../src/base/brand.ts';
import { groupBy } from '../../../../src/base/group-by.ts';
import type { ProfileThread } from '../../../../src/profile/types.ts';
import type { Track, TrackBranch } from '../messages/track-messages.ts';
import { foldDigits } from '../recording/thread-names.ts';

/** A track to be filled. */
export type Planned = Pick<Track, 'kind' | 'thread' | 'rows' | 'branch'>;

/** Tracks below an open branch with a place of their own; the others share one. */
const MOST_BELOW = 24;

/**
 * The threads `busy`, heaviest first, as a tree: programs, the processes of each that is open, and the threads of these. A
 * level with one member is left out. A program has the name of its processes' first threads, without numbers: the jobs
 * of a build are one.
 *
 *     tsc ×24          ▾
 *       tsc 4711 ×12   ▾
 *         tsc main
 *         V8 worker
 *       tsc 4712 ×12   ▸
 *     job-* ×200       ▸
 */
export class TrackTree {
  readonly #threads: readonly ProfileThread[];
  readonly #weight: Float64Array;
  readonly #open: ReadonlySet<string>;
  readonly #planned: Planned[] = [];
  /** The comm of each process. */
  readonly #commOf = new Map<number, string>();

  constructor(threads: readonly ProfileThread[], weight: Float64Array, open: readonly string[]) {
    this.#threads = threads;
    this.#weight = weight;
    this.#open = new Set(open);
    for (const { pid, tid, comm } of threads) if (pid === tid) this.#commOf.set(pid, comm);
  }

  plan(busy: readonly number[], most: number): readonly Planned[] {
    this.#add(busy, '', 0, most);
    return this.#planned;
  }

  #add(rows: readonly number[], path: string, depth: number, most: number): void {
    const groups = this.#levelBelow(rows);
    const shown = groups.length <= most + 1 ? groups : groups.slice(0, most);
    for (const { name, which, members } of shown) {
      if (members.length === 1) {
        this.#planned.push({
          ...plan('thread', members),
          branch: leaf(depth),
        });
        continue;
      }
      const key = `${path}/${name}${which}`;
      const isOpen = this.#open.has(key);
      this.#planned.push({
        ...plan('program', members),
        branch: { name, which, key, depth, isOpen },
      });
      if (isOpen) this.#add(members, key, depth + 1, MOST_BELOW);
    }
    const rest = groups.slice(shown.length).flatMap(({ members }) => members);
    if (rest.length === 0) return;
    this.#planned.push({
      ...plan('merged', rest),
      branch: leaf(depth),
    });
  }

  /** The first of programs, processes and threads of which there are several, heaviest first. */
  #levelBelow(rows: readonly number[]): Level[] {
    const levels: ((row: number) => Pick<Level, 'name' | 'which'>)[] = [
      (row) => ({ name: foldDigits(this.#processOf(row)), which: '' }),
      (row) => ({ name: this.#processOf(row), which: ` ${this.#threads[row].pid}` }),
      (row) => ({ name: '', which: String(row) }),
    ];
    const sum = ({ members }: Level) => members.reduce((all, row) => all + this.#weight[row], 0);
    for (const level of levels) {
      const groups = groupBy(rows, (row) => Object.values(level(row)).join(''));
      if (groups.size === 1) continue;
      return [...groups.values()]
        .map((members) => ({ ...level(members[0]), members }))
        .sort((a, b) => sum(b) - sum(a) || a.members[0] - b.members[0]);
    }
    return [{ name: '', which: '', members: [...rows] }];
  }

  /** Texts of other tools, and parts of recordings, may lack the first thread of a process. */
  #processOf(row: number): string {
    const { pid, comm } = this.#threads[row];
    return this.#commOf.get(pid) ?? comm;
  }
}

/** The threads of a program, or of one of its processes, whose pid is `which`. */
type Level = Pick<TrackBranch, 'name' | 'which'> & { readonly members: number[] };

const leaf = (depth: number): TrackBranch => ({
  name: '',
  which: '',
  key: '',
  depth,
  isOpen: false,
});

export function plan(kind: Track['kind'], rows: readonly number[]): Planned {
  return { kind, thread: rows.length === 1 ? rows[0] : NONE, rows, branch: null };
}

/** Adds what is below each open branch to it: `cells` has `length` figures for each track, those of threads so far. */
export function sumBranches(cells: Float32Array, plan: readonly Planned[], length: number): void {
  for (let child = plan.length - 1; child > 0; child--) {
    const depth = depthOf(plan[child].branch);
    if (depth === 0) continue;
    let parent = child - 1;
    while (depthOf(plan[parent].branch) >= depth) parent--;
    for (let cell = 0; cell < length; cell++) {
      cells[parent * length + cell] += cells[child * length + cell];
    }
  }
}

const depthOf = (branch: TrackBranch | null): number => branch?.depth ?? 0;
