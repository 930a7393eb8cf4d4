// Hot: once per frame.

import type { Architecture } from './architecture.ts';
import type { ModuleLookup, StackReader } from './types.ts';

/**
 * Address of the two words that the frame pointer leads to, { caller's frame pointer; return address }.
 * Compilers agree that it is `fp`, save for 32-bit Arm:
 *
 *   Clang   push {…, fp, lr};  add fp, sp, #n − 4        fp ─▶ fp'  lr
 *   GCC     push {…, fp, lr};  add fp, sp, #n                  fp'  lr ◀─ fp
 *
 * The one whose word at fp is an address of code is GCC's.
 */
export function frameRecordAt(
  { frameRecord, wordBytes }: Architecture,
  fp: number,
  stack: StackReader,
  modules: ModuleLookup,
): number {
  if (frameRecord !== 'top-or-link') return fp;
  return modules.find(stack.readPointer(fp) - 1) ? fp - wordBytes : fp;
}
