import type { FrameLevel } from '../../profile/frame-level.ts';
import type { Profile } from '../../profile/types.ts';
import { isFoldable } from '../levels/native-class.ts';
import { hasNamedScripts } from './frame-class.ts';

/** The levels of a recording that differ, most frames first: `all` alone where none does. */
export function levelsOf(profile: Profile): readonly FrameLevel[] {
  if (hasNamedScripts(profile)) return ['all', 'javascript', 'own'];
  return isFoldable(profile) ? ['all', 'main', 'own'] : ['all'];
}
