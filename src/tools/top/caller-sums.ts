import { NONE } from '../../base/brand.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import { namesOfFunction } from './slice-tables.ts';

/** Callers of a function, or callers of callers. Weights in the event's unit. */
export type CallerNode = {
  readonly name: string;
  readonly weight: number;
  /** Heaviest first. */
  readonly callers: readonly CallerNode[];
};

type Growing = { name: string; weight: number; readonly callers: Map<string, Growing> };

const MOST_DEPTH = 24;
const MOST_NODES = 20_000;

/**
 * The callers of one function, by name, from the moment on that somebody asks. A sample counts once, from
 * the outermost call of the function outwards, as `questions/neighbours` counts.
 */
export class CallerSums {
  /** DSO and name. */
  readonly names: readonly string[];
  readonly #root: Growing;
  #nodes = 1;
  #allWeight = 0;

  constructor(names: readonly string[]) {
    this.names = names;
    this.#root = { name: names.at(-1) ?? '', weight: 0, callers: new Map() };
  }

  /** Share of all weight since then that has the function on its stack. */
  get share(): number {
    return this.#allWeight > 0 ? this.#root.weight / this.#allWeight : 0;
  }

  // Hot: once per frame.
  add(profile: Profile, weights: Weights, rows: Int32Array): void {
    const { stacks, frames, funcs, strings, samples } = profile;
    const wanted = this.names.join('\0');
    const isWanted = Uint8Array.from({ length: funcs.length }, (_, func) =>
      namesOfFunction(profile, func).join('\0') === wanted ? 1 : 0,
    );
    const { prefix, frame } = stacks;
    const funcAt = (stack: number): number => frames.func[frame[stack]];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      const weight = weights.values[row];
      this.#allWeight += weight;
      let stack: number = NONE;
      for (let at = samples.stack[row]; at !== NONE; at = prefix[at]) {
        if (isWanted[funcAt(at)] === 1) stack = at;
      }
      if (stack === NONE) continue;
      let node: Growing | null = this.#root;
      node.weight += weight;
      for (let depth = 0; depth < MOST_DEPTH; depth++) {
        stack = prefix[stack];
        if (stack === NONE) break;
        node = this.#callerOf(node, strings[funcs.name[funcAt(stack)]]);
        if (node === null) break;
        node.weight += weight;
      }
    }
  }

  tree(): CallerNode {
    return finished(this.#root);
  }

  #callerOf(node: Growing, name: string): Growing | null {
    const known = node.callers.get(name);
    if (known !== undefined) return known;
    if (this.#nodes >= MOST_NODES) return null;
    this.#nodes++;
    const caller = { name, weight: 0, callers: new Map() };
    node.callers.set(name, caller);
    return caller;
  }
}

function finished({ name, weight, callers }: Growing): CallerNode {
  const heaviest = [...callers.values()].sort((a, b) => b.weight - a.weight);
  return { name, weight, callers: heaviest.map(finished) };
}
