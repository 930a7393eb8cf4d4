import { NONE } from '../../base/brand.ts';
import type { Profile } from '../types.ts';

export type SourceKey = 'srcline' | 'srcfile';

/** The place of a frame in its source, as perf shows it: `sort.c:120` and `sort.c`. */
export type SourcePlace = Readonly<Record<SourceKey, string>>;

const NOT_ASKED: SourcePlace = { srcline: '', srcfile: '' };

/**
 * The places of frames; of one without a known file the function's name stands for the line, as in
 * perf. Empty texts if `keys` have no use for them.
 */
export function sourcePlaces(
  { frames, strings }: Profile,
  keys: readonly string[],
): (frame: number, func: string) => SourcePlace {
  if (!keys.includes('srcline') && !keys.includes('srcfile')) return () => NOT_ASKED;
  return (frame, func) => {
    const file = frames.file[frame];
    if (file === NONE) return { srcline: func, srcfile: '[unknown]' };
    const path = strings[file];
    const srcfile = path.slice(path.lastIndexOf('/') + 1);
    return { srcline: `${srcfile}:${frames.line[frame]}`, srcfile };
  };
}
