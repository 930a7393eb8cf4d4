import { UsageError } from '../base/errors.ts';
import type { EventSpec } from '../kernel/events/event-spec.ts';

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
const DEFAULT_STACK_BYTES = 8192;
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

/**
 * The stack fields that the event's own terms, or else `--call-graph`, ask for. As in perf, a
 * `max-stack` term alone asks for callchains too, and `stack-size` says how much `call-graph=dwarf`
 * copies. Throws UsageError.
 */
export function chooseStackFields(spec: EventSpec, asked: CallGraph = 'none'): StackFields {
  const { callGraph, stackSizeBytes } = spec;
  const where =
    callGraph === null ? `--call-graph ${asked}` : `${spec.text}: call-graph=${callGraph}`;
  let chosen = checkCallGraph(callGraph ?? asked, where);
  if (chosen === 'none' && callGraph === null && spec.maxStack !== null) chosen = 'fp';
  const fields = stackFieldsOf(chosen);
  if (stackSizeBytes === null) return fields;
  if (fields.stackBytes === 0) {
    throw new UsageError(`${spec.text}: stack-size belongs to call-graph=dwarf`, [
      `as in call-graph=dwarf,stack-size=${DEFAULT_STACK_BYTES}`,
    ]);
  }
  const way = dropsCopies(chosen) ? 'auto' : 'dwarf';
  return stackFieldsOf(checkCallGraph(`${way},${stackSizeBytes}`, `${spec.text}: stack-size`));
}

function stackFieldsOf(callGraph: CallGraph): StackFields {
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
