import { nameScripts } from '../../src/code/javascript/name-scripts.ts';
import type { SourceMaps } from '../../src/code/javascript/source-map.ts';
import type { Profile } from '../../src/profile/types.ts';

/** A profile with V8's names (`JS:*fib /srv/fib.js:3:13`) as readers hand it out. */
export function withScripts(profile: Profile, sourceMaps: SourceMaps | null = null): Profile {
  return nameScripts(profile, { sourceMaps, directory: null, simplify: 'interpreter' });
}
