import { UsageError } from '../../base/errors.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { type CallGraph, DEFAULT_STACK_BYTES, parseCallGraph } from '../../options/call-graph.ts';
import { Misfit } from '../../options/kinds.ts';

/** Fields of a sample from which its stack is made. */
export type StackFields = {
  /** The part of the stack that the kernel walks by frame pointer. */
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
/**
 * The stack fields that the event's own terms, or else `--call-graph`, ask for. As in perf, a
 * `max-stack` term alone asks for callchains too, and `stack-size` says how much `call-graph=dwarf`
 * copies. Throws UsageError.
 */
export function chooseStackFields(spec: EventSpec, asked: CallGraph = 'none'): StackFields {
  const { callGraph, stackSizeBytes } = spec;
  let chosen = parseTerm(callGraph ?? asked, `${spec.text}: call-graph=${callGraph ?? asked}`);
  if (chosen === 'none' && callGraph === null && spec.maxStack !== null) chosen = 'fp';
  const fields = stackFieldsOf(chosen);
  if (stackSizeBytes === null) return fields;
  if (fields.stackBytes === 0) {
    throw new UsageError(`${spec.text}: stack-size belongs to call-graph=dwarf`, [
      `as in call-graph=dwarf,stack-size=${DEFAULT_STACK_BYTES}`,
    ]);
  }
  const way = dropsCopies(chosen) ? 'auto' : 'dwarf';
  return stackFieldsOf(parseTerm(`${way},${stackSizeBytes}`, `${spec.text}: stack-size`));
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

/** Bytes that `auto` copies at `hz` into rings of `ringBytes`, so that no sample is lost for its size. */
export function autoStackBytes(ringBytes: number, hz: number): number {
  const room = ringBytes / (hz * RING_SECONDS);
  const bytes = Math.min(Math.max(room, LEAST_AUTO_BYTES), AUTO_STACK_BYTES);
  return Math.floor(bytes / LEAST_AUTO_BYTES) * LEAST_AUTO_BYTES;
}

/** Whether the copies are unwound and dropped when the recording ends. */
export function dropsCopies(callGraph: CallGraph | undefined): boolean {
  return callGraph?.startsWith('auto') === true;
}

/** Reads a term of an event; `where` names it in an error. */
function parseTerm(text: string, where: string): CallGraph {
  try {
    return parseCallGraph(text);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new UsageError(`${where}: ${error.message}`, error.hints);
  }
}
