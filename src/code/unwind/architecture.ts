import type { CfiRow } from './cfi-row.ts';
import type { CfiTable } from './cfi-table.ts';
import type { StackReader } from './types.ts';
import type { UnwindRule } from './unwind-rule.ts';

/** The differences between architectures. Registers are DWARF numbers. */
export interface Architecture {
  readonly wordBytes: 4 | 8;
  readonly registerCount: number;
  readonly stackPointer: number;
  readonly framePointer: number;
  /** Number of the register that has the ip of a sample. */
  readonly instructionPointer: number;
  /** Column of tables that stands for the return address. */
  readonly returnAddress: number;
  /** Register that a call leaves the return address in; −1: calls push it. */
  readonly linkRegister: number;
  /**
   * The place of the two words that the frame pointer leads to, the caller's frame pointer and the
   * return address: at the top of the frame, which tells the caller's stack pointer, or anywhere in it.
   * `'top-or-link'`: at the top, and the frame pointer may point to the second word.
   */
  readonly frameRecord: 'top' | 'anywhere' | 'top-or-link';
  /** Whether a function must keep `register` for its caller. */
  isCalleeSaved(register: number): boolean;

  /** Translates a row of the table to a rule; `KIND.FULL` if none of the closed set is the same. */
  translateRow(row: CfiRow, table: CfiTable, address: number, rule: UnwindRule): void;

  /** Bytes that `analyzeText` wants before and after the ip. */
  readonly textBefore: number;
  readonly textAfter: number;
  /**
   * Finds the rule of an address that no table covers, from the code around it at `at`, which is the
   * ip of a frame (`isExact`) or a return address. False: by frame pointer, as far as one can tell.
   */
  analyzeText(text: Uint8Array, at: number, isExact: boolean, rule: UnwindRule): boolean;

  /** The rule of a sample's ip in the vDSO whose code is not at hand. */
  readonly vdsoRule: UnwindRule;
  /**
   * The address that `signalFrameOffsets` count from where a signal handler returns to such a vDSO,
   * which has no other calls; `sp` is that behind the handler. Null: handlers return to libc.
   */
  readonly vdsoSignalFrame: ((sp: number, stack: StackReader) => number) | null;

  /**
   * Whether the call that returns to `at` is one of those that start a program or a thread in code
   * without a table: its function has no caller.
   */
  isOutermostCall(text: Uint8Array, at: number): boolean;

  /** Whether the code in front of `at` is a call. */
  isBehindCall(text: Uint8Array, at: number): boolean;

  /** Whether the code at `at` is that to which signal handlers return. */
  isSigreturn(text: Uint8Array, at: number): boolean;
  /**
   * Offset of each register in a signal frame, in bytes from the stack pointer of the code that a
   * signal handler returns to; the ip column has the interrupted ip.
   */
  readonly signalFrameOffsets: Int16Array;
}
