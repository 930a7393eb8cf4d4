import { NONE } from '../../base/brand.ts';
import { foldFrames } from '../../profile/analysis/stacks/fold-frames.ts';
import type { Profile } from '../../profile/types.ts';
import { INTERPRETER_NAME } from './name-scripts.ts';
import { isPlumbing, type Simplify } from './plumbing.ts';

/**
 * Stacks without the frames that are V8's way of running a function. `interpreter`: its handlers and
 * entries go, but where a sample was taken in one of them, `[interpreter]` stays below the last
 * function known. By frame pointer that is not always the one that ran: a handler without a frame
 * hides its function, and the next frame is that function's caller. Unwinding finds it.
 * `all`: these go too, and inline caches, call stubs and the like, into the function of JavaScript
 * above them.
 */
export function simplifyStacks(profile: Profile, simplify: Simplify): Profile {
  if (simplify === 'none') return profile;
  const { funcs, strings } = profile;
  const isFolded = Uint8Array.from({ length: funcs.length }, (_, func) => {
    const name = strings[funcs.name[func]];
    return name === INTERPRETER_NAME || isPlumbing(name, simplify) ? 1 : 0;
  });
  if (!isFolded.includes(1)) return profile;
  const takesLeaf = Uint8Array.from(funcs.file, (file) =>
    simplify === 'all' && file !== NONE ? 1 : 0,
  );
  return foldFrames(profile, isFolded, takesLeaf);
}
