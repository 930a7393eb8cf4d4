import { NONE } from '../../base/brand.ts';
import type { Profile } from '../../profile/types.ts';

/**
 * The source file of each function, an index into `strings`, −1 where it is not known: its own, or
 * that of its first frame with one. A frame of an inlined call has the file of the function that was
 * inlined, so all frames of a function are in one file, macros and `#line` aside.
 */
export function filesOfFuncs({ funcs, frames }: Profile): Int32Array {
  const files = funcs.file.slice();
  for (let frame = 0; frame < frames.length; frame++) {
    const func = frames.func[frame];
    if (files[func] === NONE) files[func] = frames.file[frame];
  }
  return files;
}
