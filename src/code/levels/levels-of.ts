import { getOrMake } from '../../base/group-by.ts';
import type { GroupKey } from '../../profile/analysis/group-keys.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import type { Profile } from '../../profile/types.ts';
import { hasNamedScripts } from '../javascript/frame-class.ts';
import { isFoldable } from '../native-frames/native-class.ts';
import { foldToLevel } from './fold-to-level.ts';

/** The levels of a recording that differ, most frames first: `all` alone where none does. */
export function levelsOf(profile: Profile): readonly FrameLevel[] {
  if (hasNamedScripts(profile)) return ['all', 'javascript', 'own'];
  return isFoldable(profile) ? ['all', 'main', 'own'] : ['all'];
}

/** A profile with the frames of every level, each folded when it is first asked for. */
export class ProfileLevels {
  readonly #folded = new Map<FrameLevel, Profile>();

  /** `recorded` has all frames. */
  constructor(recorded: Profile) {
    this.#folded.set('all', recorded);
  }

  at(level: FrameLevel): Profile {
    return getOrMake(this.#folded, level, () => foldToLevel(this.at('all'), level));
  }
}

/** The level that a wish comes to, at every door: `auto` begins with JavaScript where V8 named any. */
export function chooseLevel(profile: Profile, wish: FrameLevel | 'auto' = 'auto'): FrameLevel {
  if (wish !== 'auto') return wish;
  return hasNamedScripts(profile) ? 'javascript' : 'all';
}

const OF_FUNCTIONS: readonly GroupKey[] = ['dso', 'sym', 'srcline', 'srcfile', 'tier'];

/**
 * The level of a table with these keys, where functions are shown at `level`. Whose code samples ran does not depend
 * on that: `category` without a key of functions is about the functions at `javascript`.
 */
export function levelOfTable(keys: readonly GroupKey[], level: FrameLevel): FrameLevel {
  const isOfOwners = keys.includes('category') && !keys.some((key) => OF_FUNCTIONS.includes(key));
  return isOfOwners ? 'javascript' : level;
}
