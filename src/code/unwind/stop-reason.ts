/**
 * Why a stack ends. `ROOT`, `ZERO_RETURN_ADDRESS` and `FRAME_POINTER_CHAIN_END` are whole stacks; with
 * the others the callers of the last frame are missing.
 */
export const STOP = {
  /** The table states that the frame has no caller: `_start`, a thread's start. */
  ROOT: 0,
  ZERO_RETURN_ADDRESS: 1,
  /** A frame pointer saved by the outermost function is 0, as the ABI wants it. */
  FRAME_POINTER_CHAIN_END: 2,
  /** A word lies above what was copied of the stack. */
  STACK_CUT: 3,
  /** A word lies below the stack pointer, or not in a stack at all. */
  OUTSIDE_STACK: 4,
  /** Nothing is mapped at the return address. */
  NOT_MAPPED: 5,
  /** Neither a table nor a frame pointer leads on. */
  NO_TABLE: 6,
  /** The table is damaged, or has what is not understood. */
  BAD_TABLE: 7,
  /** The caller's stack pointer would not lie above. */
  NOT_ADVANCING: 8,
  /** The rule needs a register that was not recorded or not saved. */
  MISSING_REGISTER: 9,
  TOO_MANY_FRAMES: 10,
} as const;

/** Number -> words. */
export const STOP_NAMES: readonly string[] = [
  'root',
  'return address 0',
  'end of the frame pointer chain',
  'stack copy too short',
  'outside the stack',
  'return address not mapped',
  'no unwind table',
  'bad unwind table',
  'stack pointer not advancing',
  'register missing',
  'too many frames',
];

/** True if the stack is whole. */
export function isRoot(stopReason: number): boolean {
  return (
    stopReason === STOP.ROOT ||
    stopReason === STOP.ZERO_RETURN_ADDRESS ||
    stopReason === STOP.FRAME_POINTER_CHAIN_END
  );
}
