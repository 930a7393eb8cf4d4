import { NONE } from '../../base/brand.ts';
import { lostFunc } from '../../profile/losses.ts';
import { FUNC_CATEGORIES, type FuncCategory, type Profile } from '../../profile/types.ts';

/** The place at which a function begins in its source, and whose code it is; null where it is not known. */
export type FuncPlace = {
  /** Path or URL. */
  readonly file: string | null;
  /** Line from 1. */
  readonly line: number | null;
  /** Column from 1. */
  readonly column: number | null;
  /** V8's name, where that of the row is a description from the source; null elsewhere. */
  readonly v8Name: string | null;
  /** Null of what was lost. */
  readonly category: FuncCategory | null;
};

/** The parts of a function's name and its owner for programs, which its row has as one text. */
export function funcPlace(profile: Profile, func: number): FuncPlace {
  const { funcs, strings } = profile;
  const file = funcs.file[func];
  const v8Name = funcs.v8Name[func];
  return {
    file: file === NONE ? null : strings[file],
    line: funcs.line[func] || null,
    column: funcs.column[func] || null,
    v8Name: v8Name === NONE ? null : strings[v8Name],
    category: func === lostFunc(profile) ? null : FUNC_CATEGORIES[funcs.category[func]],
  };
}
