import { NONE } from '../../base/brand.ts';
import { memoize } from '../../base/memoize.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import { longerTable } from '../../profile/longer-table.ts';
import { workOfSamples } from '../../profile/request-of-sample.ts';
import type { Profile } from '../../profile/types.ts';
import { parseV8Name } from './v8-name.ts';

/** V8's way from C++ into a function: the innermost one leads to the hook in which the calls were noted. */
const ENTERS = /JSEntry/;
const OF_NODE = /^node:/;
/** Node's functions that go on with what was asked of them in the callback of its last step, and with nothing else. */
const GOES_ON = /^node:(?:fs|internal\/(?:async_hooks|fs\/(?!streams).*))$/;

/**
 * Puts samples of libuv's pool below the functions that asked for their work, which had returned by then:
 *
 *     start_thread  worker  PBKDF2      ─▶   handle  login  pbkdf2  start_thread  worker  PBKDF2
 *
 * If none of them is the program's own, those count that asked for the work in whose callback it was asked for. A stack whose
 * askers are not known stays. `placesOf`: the rows of `askedIn` for one of `MarkTable.pool`: its own, then that of the work in whose callback it was asked for …
 */
export function addAskers(
  { askedIn, ...profile }: Profile,
  placesOf: (poolRow: number) => readonly number[],
): Profile {
  const { samples, stacks } = profile;
  const workOf = workOfSamples(profile);
  if (workOf === null || askedIn === undefined) return profile;
  const paths = new PairInterner();
  const rowOf = (prefix: number, frame: number) => stacks.length + paths.intern(prefix, frame);
  const askerIn = memoize((stack: number) => findAsker(profile, stack));
  const below = new PairInterner();
  const results: number[] = [];
  const stack = new Int32Array(samples.stack);
  for (let row = 0; row < samples.length; row++) {
    if (workOf[row] === NONE || stack[row] === NONE) continue;
    const asker = firstAsker(placesOf(workOf[row]).map((place) => askerIn(askedIn[place])));
    if (asker === NONE) continue;
    const pair = below.intern(asker, stack[row]);
    if (pair === results.length) {
      let prefix = asker;
      for (const each of pathOf(profile, stack[row])) prefix = rowOf(prefix, stacks.frame[each]);
      results.push(prefix);
    }
    stack[row] = results[pair];
  }
  if (paths.length === 0) return profile;
  const longer = longerTable(stacks, paths.length);
  longer.prefix.set(paths.first.finish(), stacks.length);
  longer.frame.set(paths.second.finish(), stacks.length);
  return { ...profile, stacks: longer, samples: { ...samples, stack } };
}

/** The stack of the innermost function of JavaScript that asked, and whose those are: the program's, Node's that go on, or Node's alone. */
type Asker = { readonly stack: number; readonly whose: 'own' | 'goes on' | 'node' };

function findAsker({ stacks, frames, funcs, strings }: Profile, stack: number): Asker | null {
  let hasEntered = false;
  let found = NONE;
  let goesOn = true;
  for (let row = stack; row !== NONE; row = stacks.prefix[row]) {
    const name = strings[funcs.name[frames.func[stacks.frame[row]]]];
    if (!hasEntered) {
      hasEntered = ENTERS.test(name);
      continue;
    }
    const file = parseV8Name(name)?.file;
    if (file === undefined) continue;
    if (found === NONE) found = row;
    if (!OF_NODE.test(file)) return { stack: found, whose: 'own' };
    goesOn &&= GOES_ON.test(file);
  }
  return found === NONE ? null : { stack: found, whose: goesOn ? 'goes on' : 'node' };
}

/** The first asker that is the program's, past those that go on; −1: not known. */
function firstAsker(askers: readonly (Asker | null)[]): number {
  for (const asker of askers) {
    if (asker === null || asker.whose === 'node') return NONE;
    if (asker.whose === 'own') return asker.stack;
  }
  return NONE;
}

/** Rows of a stack, the outermost first. */
function pathOf({ stacks }: Profile, stack: number): readonly number[] {
  const rows: number[] = [];
  for (let row = stack; row !== NONE; row = stacks.prefix[row]) rows.push(row);
  return rows.reverse();
}
