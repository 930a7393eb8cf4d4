import { NONE } from '../../base/brand.ts';
import { getOrMake } from '../../base/group-by.ts';
import { memoize } from '../../base/memoize.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import {
  ASYNC,
  FIRST_ASYNC_ADDRESS,
  MOST_ASYNC_FRAMES,
  NOT_KNOWN,
} from '../../profile/async-frame.ts';
import { categoryRow } from '../../profile/func-table.ts';
import { longerTable } from '../../profile/longer-table.ts';
import type { ScriptPlace } from '../../profile/mark-table.ts';
import { contextOfSamples } from '../../profile/request-of-sample.ts';
import type { Profile } from '../../profile/types.ts';
import { parseV8Name } from './v8-name.ts';

const RUNS_MICROTASKS = /^Builtins?[_:]RunMicrotasks$/;
/** V8 calls hooks for promises from C++. */
const CALLS_HOOK = /JSEntry/;
/** V8's callees of it that go on with a function behind an `await`. */
const RESUMES = /^Builtins?[_:]Async(?:Function|Generator)AwaitRe(?:solve|ject)Closure$/;

/** A profile whose last `count` frames are of functions that await. */
export type AsyncFrames = { readonly profile: Profile; readonly count: number };

/**
 * Puts the functions that await a resumed one above it, in the stacks of samples of which they are known:
 *
 *     RunMicrotasks  …Closure  leaf      ─▶   RunMicrotasks  …Closure  handle  middle  leaf
 *     RunMicrotasks  …Closure  leaf      ─▶   RunMicrotasks  …Closure  (awaiting functions not known)  leaf
 *
 * Names are those that V8 gives code, `names` all of its own: what a stack of an Error has of a function is where `async function` begins.
 */
export function addAsyncFrames(profile: Profile, names: () => Iterable<string>): AsyncFrames {
  const { samples, marks } = profile;
  const known = marks?.asyncStacks;
  const contexts = marks?.contexts;
  const contextOf = known && contextOfSamples(profile);
  if (known === undefined || contexts === undefined || !contextOf) return { profile, count: 0 };
  const v8Names = namesOfPlaces(
    known.flatMap(({ awaiting }) => awaiting),
    names(),
  );
  const added = new AddedFrames(profile);
  const resumedIn = memoize((stack: number) => findResumed(profile, stack));
  const stack = new Int32Array(samples.stack);
  const pairs = new PairInterner();
  const results: number[] = [];
  for (let row = 0; row < samples.length; row++) {
    const context = contextOf[row];
    if (context === NONE || stack[row] === NONE) continue;
    const pair = pairs.intern(stack[row], contexts.stack[context]);
    if (pair === results.length) {
      const resumed = resumedIn(stack[row]);
      const found = known[contexts.stack[context]];
      const isOf = found !== undefined && resumed !== null && isSameLine(found.resumed, resumed.of);
      const awaiting = isOf ? found.awaiting.map((each) => v8Names(each)) : null;
      results.push(added.intern(stack[row], resumed, awaiting));
    }
    stack[row] = results[pair];
  }
  const changed = { ...profile, ...added.tables(), samples: { ...samples, stack } };
  return { profile: changed, count: added.count };
}

/** Marks these functions as `async`, as a stack of an Error has them, once all functions are named: none of them ran in the sample. */
export function markAsyncFrames({ profile, count }: AsyncFrames): Profile {
  if (count === 0) return profile;
  const func = profile.frames.func.slice();
  const awaiting = func.subarray(func.length - count);
  const named = [...new Set(awaiting)];
  const funcs = longerTable(profile.funcs, named.length);
  const strings = profile.strings.slice();
  for (const [i, own] of named.entries()) {
    const row = profile.funcs.length + i;
    for (const column of ['dso', 'category', 'isScript', 'file', 'line', 'column'] as const) {
      funcs[column][row] = funcs[column][own];
    }
    const name = strings[funcs.name[own]];
    const isKnown = name !== NOT_KNOWN;
    funcs.name[row] = strings.push(isKnown ? `${ASYNC}${name}` : name) - 1;
    funcs.v8Name[row] = NONE;
    if (isKnown) continue;
    // A frame of its own among functions of JavaScript, and nobody's who has work put down to him.
    funcs.isScript[row] = 1;
    funcs.category[row] = categoryRow('node internal');
  }
  const rowOf = new Map(named.map((own, i) => [own, profile.funcs.length + i]));
  for (let i = 0; i < count; i++) awaiting[i] = rowOf.get(awaiting[i]) as number;
  return { ...profile, strings, funcs, frames: { ...profile.frames, func } };
}

type Resumed = {
  /** The stack that ends in the function that V8 has resumed, or called, in a microtask. */
  readonly stack: number;
  readonly of: ScriptPlace;
  readonly isAsync: boolean;
};

/** V8 kept a stack of another function where a hook for promises ran. */
function isSameLine(a: ScriptPlace, b: ScriptPlace): boolean {
  return a.file === b.file && a.line === b.line;
}

/** Null where no function is in a microtask, or the stack is cut. */
function findResumed({ stacks, frames, funcs, strings }: Profile, stack: number): Resumed | null {
  let inner: Omit<Resumed, 'isAsync'> | null = null;
  let caller = '';
  let found: Resumed | null = null;
  for (let row = stack; row !== NONE; row = stacks.prefix[row]) {
    const name = strings[funcs.name[frames.func[stacks.frame[row]]]];
    const of = parseV8Name(name);
    if (RUNS_MICROTASKS.test(name)) {
      const isHook = CALLS_HOOK.test(caller);
      found = inner === null || isHook ? null : { ...inner, isAsync: RESUMES.test(caller) };
    } else if (of !== null) {
      inner = { stack: row, of };
      caller = '';
    } else if (caller === '') caller = name;
  }
  return found;
}

/** Finds V8's name of the code of a function: the first on its line that begins where it does or behind. */
function namesOfPlaces(places: readonly ScriptPlace[], names: Iterable<string>) {
  const keyOf = ({ name, file, line }: ScriptPlace) => `${name} ${file}:${line}`;
  const wanted = new Map(places.map((place) => [keyOf(place), new Set<number>()]));
  for (const text of names) {
    const parsed = parseV8Name(text);
    if (parsed !== null) wanted.get(keyOf(parsed))?.add(parsed.column);
  }
  return (place: ScriptPlace): string => {
    const key = keyOf(place);
    const columns = [...(wanted.get(key) ?? [])].filter((column) => column >= place.column);
    const column = columns.length === 0 ? place.column : Math.min(...columns);
    return place.file === '' ? `JS:~${place.name}` : `JS:${key}:${column}`;
  };
}

/** Rows behind those of a profile's tables: frames of functions by their names, and stacks with them. */
class AddedFrames {
  readonly #profile: Profile;
  readonly #dsos: number[] = [];
  readonly #frameOf = new Map<string, number>();
  /** first = prefix, second = frame. */
  readonly #paths = new PairInterner();

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  get count(): number {
    return this.#dsos.length;
  }

  /** The stack with these functions, the innermost first, above the resumed one; null: they are not known. */
  intern(stack: number, resumed: Resumed | null, awaiting: readonly string[] | null): number {
    const { stacks, frames, funcs } = this.#profile;
    if (resumed === null || (awaiting === null && !resumed.isAsync)) return stack;
    if (awaiting?.length === 0 || this.count + (awaiting?.length ?? 1) > MOST_ASYNC_FRAMES)
      return stack;
    const dso = funcs.dso[frames.func[stacks.frame[resumed.stack]]];
    let prefix = stacks.prefix[resumed.stack];
    for (const name of (awaiting ?? [NOT_KNOWN]).toReversed()) {
      prefix = this.#add(prefix, this.#frame(name, dso));
    }
    const inner: number[] = [];
    for (let row = stack; row !== resumed.stack; row = stacks.prefix[row]) inner.push(row);
    inner.push(resumed.stack);
    for (const row of inner.toReversed()) prefix = this.#add(prefix, stacks.frame[row]);
    return prefix;
  }

  #add(prefix: number, frame: number): number {
    return this.#profile.stacks.length + this.#paths.intern(prefix, frame);
  }

  #frame(name: string, dso: number): number {
    return getOrMake(
      this.#frameOf,
      name,
      () => this.#profile.frames.length + this.#dsos.push(dso) - 1,
    );
  }

  /** The tables with what was added: a function for each frame. */
  tables(): Pick<Profile, 'strings' | 'funcs' | 'frames' | 'stacks'> {
    const { strings: before, stacks: shorter } = this.#profile;
    const strings = before.slice();
    const funcs = longerTable(this.#profile.funcs, this.count);
    const frames = longerTable(this.#profile.frames, this.count);
    [...this.#frameOf].forEach(([name, frame], i) => {
      const func = this.#profile.funcs.length + i;
      funcs.name[func] = strings.push(name) - 1;
      funcs.dso[func] = this.#dsos[i];
      funcs.file[func] = NONE;
      funcs.v8Name[func] = NONE;
      frames.func[frame] = func;
      frames.dso[frame] = this.#dsos[i];
      frames.address[frame] = FIRST_ASYNC_ADDRESS - i;
      frames.file[frame] = NONE;
    });
    const { first, second, length } = this.#paths;
    const stacks = longerTable(shorter, length);
    stacks.prefix.set(first.finish(), shorter.length);
    stacks.frame.set(second.finish(), shorter.length);
    return { strings, funcs, frames, stacks };
  }
}
