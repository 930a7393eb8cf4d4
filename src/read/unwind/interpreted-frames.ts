// Hot: once per sample of a process that announces bytecode.

import { NONE } from '../../base/brand.ts';
import { parseV8Function } from '../../code/javascript/v8-name.ts';
import type { JitCode } from '../../code/jit/jit-code.ts';
import type { StackBytes, StackBytes32 } from '../../code/unwind/stack-bytes.ts';
import type { StackReader } from '../../code/unwind/types.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';

const WORD = 8;
/** Slots of an interpreted function's frame: `v8dbg_off_fp_bytecode_array`, `v8dbg_off_fp_bytecode_offset`. */
const ARRAY_SLOT = -32;
const OFFSET_SLOT = -40;
/** A small integer is the upper half of a word. */
const SMI = 2 ** 32;
const MOST_OFFSET = 1 << 24;
/** A handler, and a built-in that it has called. */
const MOST_BUILTINS = 2;
/** DWARF's numbers of rbp, and of the interpreter's offset (r9) and bytecode array (r12). */
const FRAME_POINTER = 6;
const OFFSET_REGISTER = 9;
const ARRAY_REGISTER = 12;

/**
 * Interpreted frames of x86-64, at the bytecode that they are at. The machine code of such a frame is V8's entry to its
 * interpreter, the same for the whole function; its place in the function is in the frame:
 *
 *     fp + 8   return address      the caller's ip, by which the frame is found in the stack
 *     fp       caller's fp
 *     fp − 32  bytecode array      a tagged pointer
 *     fp − 40  bytecode offset     a small integer, from that pointer; up to date where the function has called
 *
 * The sum of both is the address of the bytecode. If V8 announced bytecode there, and no optimized code at the frame's ip,
 * it takes the place of that. Where a handler was interrupted, r12 and r9 have what the slots will have.
 */
export class InterpretedFrames {
  readonly #jit: JitCode;

  constructor(jit: JitCode) {
    this.#jit = jit;
  }

  isNeeded(pid: number): boolean {
    return this.#jit.announcesBytecode(pid);
  }

  /** Replaces what is interpreted of the first `count` of `frames`, whose innermost has these registers. False: nothing. */
  place(
    pid: number,
    registers: Float64Array,
    stack: StackReader,
    frames: Float64Array,
    isExact: Uint8Array,
    count: number,
  ): boolean {
    let isPlaced = false;
    let fp = registers[FRAME_POINTER];
    let next = 1;
    while (next < count) {
      const caller = indexFrom(frames, stack.readWord(fp + WORD), next, count);
      if (caller === NONE) return isPlaced;
      const array = stack.readWord(fp + ARRAY_SLOT);
      const own = caller - 1;
      const isInHandler = own <= 1 && registers[ARRAY_REGISTER] === array;
      const live = isInHandler ? this.#bytecodeAt(pid, array, registers[OFFSET_REGISTER]) : NONE;
      // Without registers, the innermost code may be a handler, ahead of what the slot has.
      const isStored = own > 1 || !Number.isNaN(registers[ARRAY_REGISTER]);
      const stored = isStored ? stack.readWord(fp + OFFSET_SLOT) / SMI : Number.NaN;
      const bytecode = live === NONE ? this.#bytecodeAt(pid, array, stored) : live;
      // Return addresses are looked up one byte in front.
      const before = own > 0 && isExact[own] === 0 ? 1 : 0;
      if (bytecode > 0 && this.#isInterpreted(pid, frames[own] - before, bytecode)) {
        frames[own] = bytecode + before;
        isPlaced = true;
      }
      const outer = stack.readWord(fp);
      if (!(outer > fp)) return isPlaced;
      fp = outer;
      next = caller + 1;
    }
    return isPlaced;
  }

  /**
   * Puts the innermost function of a callchain by frame pointer, whose first user entry is `first`, at its bytecode, if it
   * is the interpreted one that the registers tell of. They hold in handlers and in built-ins that handlers call; further
   * in they may have what another function left there.
   */
  placeInnermost(sample: SampleView, first: number, registers: Float64Array): boolean {
    const { pid, callchain, callchainLength } = sample;
    const bytecode = this.#bytecodeAt(pid, registers[ARRAY_REGISTER], registers[OFFSET_REGISTER]);
    if (bytecode === NONE) return false;
    const end = Math.min(callchainLength, first + 1 + MOST_BUILTINS);
    for (let at = first; at < end; at++) {
      const lookup = at === first ? callchain[at] : callchain[at] - 1;
      if (!this.#jit.isCodeAt(pid, lookup)) continue;
      const isPlaced = this.#jit.placeBytecode(pid, lookup) !== NONE;
      if (isPlaced || !this.#jit.hasSameName(pid, lookup, bytecode)) return false;
      // Return addresses are looked up one byte in front.
      callchain[at] = at === first ? bytecode : bytecode + 1;
      return true;
    }
    return false;
  }

  /**
   * Whether code at `address` may run a function at its bytecode. Optimized code that took a running function over (on-stack
   * replacement) keeps the interpreter's frame, whose slots have where that was left.
   */
  #isInterpreted(pid: number, address: number, bytecode: number): boolean {
    if (this.#jit.hasSameName(pid, address, bytecode)) return true;
    const name = this.#jit.nameAt(pid, address);
    return name === null || parseV8Function(name)?.tier === 'interpreter';
  }

  /** The address of a function's bytecode; −1 where V8 announced none. */
  #bytecodeAt(pid: number, array: number, offset: number): number {
    if (!Number.isInteger(offset) || offset <= 0 || offset > MOST_OFFSET || array % 2 !== 1)
      return NONE;
    const address = array + offset;
    return this.#jit.placeBytecode(pid, address) === NONE ? NONE : address;
  }
}

/**
 * Moves a copy of the stack to where it was, if it has two frame records in a row, and returns the frame pointer of the
 * first: `frames[at]` is its return address. NaN where they are not there, or words that calls have left look like them.
 *
 *     record   address of the next one, frames[at]   …   next one   address of the one behind, frames[at + 1]
 */
export function locateCopy(
  stack: StackBytes | StackBytes32,
  frames: Float64Array,
  at: number,
): number {
  const { start, end } = stack;
  let first = Number.NaN;
  let distance = 0;
  for (let record = start; record < end; record += WORD) {
    if (stack.readWord(record + WORD) !== frames[at]) continue;
    for (let next = record + 2 * WORD; next < end; next += WORD) {
      if (stack.readWord(next + WORD) !== frames[at + 1]) continue;
      const bytes = stack.readWord(record) - next;
      const behind = stack.readWord(next) - bytes;
      const isThird = behind + WORD > end || stack.readWord(behind + WORD) === frames[at + 2];
      if (!(start + bytes > 0 && bytes % WORD === 0 && behind > next && isThird)) continue;
      if (!Number.isNaN(first)) return Number.NaN;
      first = record + bytes;
      distance = bytes;
    }
  }
  stack.move(distance);
  return first;
}

function indexFrom(frames: Float64Array, address: number, first: number, end: number): number {
  for (let i = first; i < end; i++) if (frames[i] === address) return i;
  return NONE;
}
