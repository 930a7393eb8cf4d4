import { NONE } from '../base/brand.ts';
import { getOrMake } from '../base/group-by.ts';
import { mapInts } from '../base/int-column.ts';
import { memoize } from '../base/memoize.ts';
import type { Slices } from '../base/slices.ts';
import { isAsyncFrame, NOT_KNOWN, withoutAsync } from '../profile/async-frame.ts';
import { fileAndName } from '../profile/func-label.ts';
import type { FuncIndex, Profile } from '../profile/types.ts';
import { type Asked, type Share, sharesByKey } from './shares-by-key.ts';

/** A function that V8 resumed, with the functions that await it, and what ran below it. */
export type AwaitRow = Share & {
  readonly resumed: FuncIndex;
  /** The functions that await it, the innermost first; null: they are not known. */
  readonly awaiting: readonly FuncIndex[] | null;
};

/** Samples below resumed functions that others await, heaviest first. The profile has all frames. */
export function* findAwaits(asked: Asked): Slices<AwaitRow[]> {
  const { samples, stacks, frames, funcs, strings } = asked.profile;
  const keys = new Map<string, number>();
  const found: Pick<AwaitRow, 'resumed' | 'awaiting'>[] = [];
  const funcOf = (stack: number) => frames.func[stacks.frame[stack]] as FuncIndex;
  const keyOf = memoize((stack: number): number => {
    let resumed = NONE as number;
    let row = stack;
    for (; row !== NONE && !isAsyncFrame(frames, stacks.frame[row]); row = stacks.prefix[row]) {
      resumed = row;
    }
    const awaiting: FuncIndex[] = [];
    for (; row !== NONE && isAsyncFrame(frames, stacks.frame[row]); row = stacks.prefix[row]) {
      awaiting.push(funcOf(row));
    }
    if (awaiting.length === 0 || resumed === NONE) return NONE;
    const func = funcOf(resumed);
    return getOrMake(keys, [func, ...awaiting].join(), () => {
      const isKnown = strings[funcs.name[awaiting[0]]] !== NOT_KNOWN;
      return found.push({ resumed: func, awaiting: isKnown ? awaiting : null }) - 1;
    });
  });
  const keyOfSample = mapInts(samples.stack, (stack) => (stack === NONE ? NONE : keyOf(stack)));
  yield;
  const shares = yield* sharesByKey(asked, keyOfSample, found.length);
  return shares.map(({ key, ...share }) => ({ ...share, ...found[key] }));
}

/** The functions that await that of a row, as `middle < first`; null: they are not known. */
export function awaitedBy(profile: Profile, { awaiting }: AwaitRow): string | null {
  const names = awaiting?.map((func) => withoutAsync(fileAndName(profile, func)[1]));
  return names?.join(' < ') ?? null;
}
