import { foldToLevel } from '../../code/javascript/fold-to-level.ts';
import { hasNamedScripts } from '../../code/javascript/frame-class.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import type { Profile } from '../../profile/types.ts';

/** The level that a wish comes to for a profile: `auto` starts with JavaScript where V8 named any. */
export function chooseLevel(profile: Profile, wish: FrameLevel | 'auto'): FrameLevel {
  if (wish !== 'auto') return wish;
  return hasNamedScripts(profile) ? 'javascript' : 'all';
}

/** The profile with the frames that `wish` asks for, and the level that they are of. */
export function chooseFrames(
  profile: Profile,
  wish: FrameLevel | 'auto' = 'all',
): { readonly profile: Profile; readonly level: FrameLevel } {
  const level = chooseLevel(profile, wish);
  return { profile: foldToLevel(profile, level), level };
}
