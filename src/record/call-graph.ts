import { arch } from 'node:os';
import { UsageError } from '../base/errors.ts';

/**
 * How call stacks are recorded: by frame pointer, by copying the user stack for unwinding, or both; or
 * by the calls that the CPU itself records (`lbr`). `dwarf` and `auto` may say how many bytes of the
 * user stack are copied.
 */
export type CallGraph =
  | 'none'
  | 'fp'
  | 'dwarf'
  | `dwarf,${number}`
  | 'auto'
  | `auto,${number}`
  | 'lbr';

/** What a sample brings along for its stack. */
export type StackFields = {
  /** Whose part of the stack the kernel walks, by frame pointer. */
  readonly callchain: 'none' | 'kernel' | 'all';
  /** Bytes of user stack copied with each sample, a multiple of 8; 0: none, and no registers. */
  readonly stackBytes: number;
  /** The calls of user code as the CPU's last branch records have them. */
  readonly branchRecords: boolean;
};

/** The most that `auto` copies unless told: docs/decisions/0009-call-graph-auto.md. */
const AUTO_STACK_BYTES = 24576;
const LEAST_AUTO_BYTES = 1024;
/** A ring must hold the samples of this long, seconds: the recorder may not run for a while. */
const RING_SECONDS = 0.04;
/** As in perf. */
export const DEFAULT_STACK_BYTES = 8192;
/** The copy's size is a u16 in the kernel, a multiple of 8. */
const MOST_STACK_BYTES = 65528;

const SUPPORTED =
  'supported: auto[,BYTES] (frame pointers and copied stacks, unwound at the end), fp (by frame pointer: build with -fno-omit-frame-pointer), ' +
  'dwarf[,BYTES] (unwound from copied stacks), ' +
  "lbr (the CPU's own records of calls: Intel since Haswell), none";

/**
 * The way to record call stacks that `text` names, `none` and `no` alike. `where` stands before the
 * message: the option or the event's term.
 */
export function checkCallGraph(text: string, where: string): CallGraph {
  if (text === 'fp') return 'fp';
  if (text === 'none' || text === 'no') return 'none';
  if (text === 'dwarf' || text === 'auto' || text === 'lbr') return text;
  const comma = text.indexOf(',');
  const way = text.slice(0, Math.max(comma, 0));
  if (way === 'dwarf' || way === 'auto') {
    return `${way},${checkStackBytes(text.slice(comma + 1), where)}`;
  }
  throw new UsageError(`${where}: unknown way to record stacks`, [SUPPORTED]);
}

/** The fields that `callGraph` takes. */
export function stackFieldsOf(callGraph: CallGraph): StackFields {
  if (callGraph === 'none') return { callchain: 'none', stackBytes: 0, branchRecords: false };
  if (callGraph === 'fp') return { callchain: 'all', stackBytes: 0, branchRecords: false };
  if (callGraph === 'lbr') return { callchain: 'all', stackBytes: 0, branchRecords: true };
  const [way, bytes] = callGraph.split(',');
  return way === 'auto'
    ? { callchain: 'all', stackBytes: Number(bytes ?? AUTO_STACK_BYTES), branchRecords: false }
    : {
        callchain: 'kernel',
        stackBytes: Number(bytes ?? DEFAULT_STACK_BYTES),
        branchRecords: false,
      };
}

/** What `auto` copies at `hz` into rings of `ringBytes`, so that no sample is lost for its size. */
export function autoStackBytes(ringBytes: number, hz: number): number {
  const room = ringBytes / (hz * RING_SECONDS);
  const bytes = Math.min(Math.max(room, LEAST_AUTO_BYTES), AUTO_STACK_BYTES);
  return Math.floor(bytes / LEAST_AUTO_BYTES) * LEAST_AUTO_BYTES;
}

/** Whether the copies are unwound and dropped when the recording ends. */
export function dropsCopies(callGraph: CallGraph | undefined): boolean {
  return callGraph?.startsWith('auto') === true;
}

function checkStackBytes(text: string, where: string): number {
  const bytes = /^\d{1,9}$/.test(text) ? roundUp(Number(text)) : 0;
  if (bytes > 0 && bytes <= MOST_STACK_BYTES) return bytes;
  throw new UsageError(`${where}: the stack copy has 8 to ${MOST_STACK_BYTES} bytes`, [
    `default: ${DEFAULT_STACK_BYTES}; more reaches further down deep stacks and makes larger files`,
  ]);
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/**
 * The registers that perf dumps for unwinding, by bit (arch/…/include/uapi/asm/perf_regs.h): on
 * x86-64 all but the segments DS, ES, FS and GS, which the kernel refuses; on arm64 X0 to X29, LR, SP
 * and PC.
 */
export function userRegisterMask(machine: string = arch()): bigint {
  return machine === 'arm64' ? (1n << 33n) - 1n : 0xff0fffn;
}
