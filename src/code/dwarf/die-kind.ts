import * as dw from './constants.ts';

/**
 * The meaning of a DIE for a walk that looks for code, as far as its abbreviation tells.
 *
 * Types are two thirds of the DIEs that compilers write, and no code lies in them:
 *
 * - in an enumeration, an array or a function's type never;
 * - in a class outside of functions not in C and C++ (`hasNoCodeInClasses`), where it only declares
 *   its functions: the DIE with the code stands outside of it, and refers back. Not so in a function's
 *   own class (gcc -O0 puts a lambda's code there), nor elsewhere: rustc puts methods into their type.
 *
 * So where a type states at which DIE it ends (DW_AT_sibling, which gcc writes), the walk goes there.
 */
export const DIE = {
  /** Gone past; what is below it is looked at. */
  OTHER: 0,
  /** A function or inlined call that states where its code lies. */
  CODE: 1,
  /** A function without code of its own: a declaration, or what inlined calls refer to. */
  DECLARATION: 2,
  /** A type that states its end, with no code in it. */
  TYPE: 3,
  /** A class, structure or union that states its end. */
  CLASS: 4,
} as const;

/** The kind of DIEs with `tag` and the attributes [`first`, `last`) of `attributes`. */
export function dieKind(tag: number, attributes: Uint16Array, first: number, last: number): number {
  let isPlaced = false;
  let statesEnd = false;
  for (let i = first; i < last; i++) {
    const attribute = attributes[i];
    if (attribute === dw.DW_AT_low_pc || attribute === dw.DW_AT_ranges) isPlaced = true;
    else if (attribute === dw.DW_AT_sibling) statesEnd = true;
  }
  switch (tag) {
    case dw.DW_TAG_subprogram:
      return isPlaced ? DIE.CODE : DIE.DECLARATION;
    case dw.DW_TAG_inlined_subroutine:
      return isPlaced ? DIE.CODE : DIE.OTHER;
    case dw.DW_TAG_array_type:
    case dw.DW_TAG_enumeration_type:
    case dw.DW_TAG_subroutine_type:
      return statesEnd ? DIE.TYPE : DIE.OTHER;
    case dw.DW_TAG_class_type:
    case dw.DW_TAG_structure_type:
    case dw.DW_TAG_union_type:
      return statesEnd ? DIE.CLASS : DIE.OTHER;
    default:
      return DIE.OTHER;
  }
}

/** Whether compilers of DW_LANG `language` put no function's code into the DIE of its class. */
export function hasNoCodeInClasses(language: number): boolean {
  switch (language) {
    case dw.DW_LANG_C89:
    case dw.DW_LANG_C:
    case dw.DW_LANG_C99:
    case dw.DW_LANG_C11:
    case dw.DW_LANG_C_plus_plus:
    case dw.DW_LANG_C_plus_plus_03:
    case dw.DW_LANG_C_plus_plus_11:
    case dw.DW_LANG_C_plus_plus_14:
      return true;
    default:
      return false;
  }
}
