import { arch } from 'node:os';
import { UsageError } from '../../base/errors.ts';
import { type Text, words } from '../../base/words.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import { type CallGraph, DEFAULT_STACK_BYTES, parseCallGraph } from '../../options/call-graph.ts';
import { Misfit } from '../../options/kinds.ts';
import { DEFAULT_FREQUENCY_HZ, RECORD, type RecordSettings } from '../../options/record.ts';
import { isStream } from '../../system/files/stream-place.ts';

/** Fields of a sample from which its stack is made. */
export type StackFields = {
  /** The part of the stack that the kernel walks by frame pointer. */
  readonly callchain: 'none' | 'kernel' | 'all';
  /** Bytes of user stack copied with each sample, a multiple of 8; 0: none, and no registers. */
  readonly stackBytes: number;
  /** The copy is for the callers of code without a frame alone, beside frame pointers. */
  readonly isLeafCopy: boolean;
  /** The calls of user code as the CPU's last branch records have them. */
  readonly branchRecords: boolean;
};

/** The most that `auto` copies unless told: docs/decisions/0009-call-graph-auto.md. */
const AUTO_STACK_BYTES = 24576;
const LEAST_AUTO_BYTES = 1024;
/**
 * V8's handlers of bytecodes and built-ins have no frame, nor have leaf functions of the C library: one sample in five of
 * Node lacks the function that called. Its return address is among the last words of the stack
 * (docs/decisions/0061-leaf-copies.md).
 */
const LEAF_BYTES = 32;
/**
 * The frames of most interpreted functions that have called a built-in are in 512 bytes, and tell their lines; of those that
 * have called V8's runtime in 2 kB, ICU in 7 kB. Stacks of the pool's threads, whose request is outermost, have up to 6 kB.
 */
const MOST_LEAF_BYTES = 8192;
/** Bytes of a second of one CPU: what is recorded until the copies are dropped has to be written, and read again. */
const LEAF_BYTES_HZ = 8 << 20;
/** A sample by frame pointers. */
const CHAIN_BYTES = 512;
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
  if (fields.stackBytes === 0 || fields.isLeafCopy) {
    throw new UsageError(`${spec.text}: stack-size belongs to call-graph=dwarf`, [
      `as in call-graph=dwarf,stack-size=${DEFAULT_STACK_BYTES}`,
    ]);
  }
  const way = chosen.startsWith('auto') ? 'auto' : 'dwarf';
  return stackFieldsOf(parseTerm(`${way},${stackSizeBytes}`, `${spec.text}: stack-size`));
}

function stackFieldsOf(callGraph: CallGraph): StackFields {
  const [way, bytes] = callGraph.split(',');
  const usual = way === 'auto' ? AUTO_STACK_BYTES : way === 'dwarf' ? DEFAULT_STACK_BYTES : 0;
  return {
    callchain: way === 'none' ? 'none' : way === 'dwarf' ? 'kernel' : 'all',
    stackBytes: Number(bytes ?? usual),
    isLeafCopy: way === 'fp',
    branchRecords: way === 'lbr',
  };
}

/** How stacks are recorded where no event has a term of its own. */
export type StackChoice = {
  readonly callGraph: CallGraph;
  /** Fields of the event of waits; null: as `callGraph`. */
  readonly ofWaits: Pick<EventSpec, 'callGraph' | 'stackSizeBytes'>;
  /** Fields of the event of system calls. */
  readonly ofCalls: Pick<EventSpec, 'callGraph' | 'stackSizeBytes'>;
  /** Stack dumps are unwound and dropped when the recording ends. */
  readonly dropsCopies: boolean;
  /** Nobody asked how: the target runs JavaScript, or runs none and has no stacks. */
  readonly isDefault: boolean;
};

/** Facts about the target and the machine on which the choice of stacks depends. */
export type StackFacts = {
  /** The target is seen to run Node, Bun or Deno. */
  readonly runsJavaScript: boolean;
  readonly ringBytes: number;
  readonly maxSampleRateHz: number | null;
  /** The processor as `os.arch()` names it; absent: this one's. */
  readonly machine?: string;
};

/** Switches of a CPU each second for which rings are to have room: those of a Node that waits for files and sockets. */
const SWITCHES_HZ = 400;

/** Samples of a CPU each second for which no rate is asked. */
const UNBOUNDED_HZ = 100_000;

/** System calls of a CPU each second for which rings are to have room. */
const CALLS_HZ = 4000;
/**
 * The most that is copied with a system call: `fs.readFileSync(path, 'utf8')` reads into 8 kB of its stack, and the functions
 * of JavaScript lie behind them. 8 kB miss them, 24 kB find no more and lose calls whenever the recorder has to wait.
 */
const MOST_CALL_BYTES = 12_288;

/**
 * How stacks are recorded: as asked; else by frame pointers where the target runs JavaScript, which has none without
 * callers worth a look, and not at all elsewhere, as in perf. Waits of JavaScript begin in the C library, where frame
 * pointers end: their stacks are unwound from dumps (docs/decisions/0052-stacks-by-default.md).
 */
export function chooseStacks(
  { callGraph: asked, output, freq, count, memory, fields }: RecordSettings,
  { runsJavaScript, ringBytes, maxSampleRateHz, machine = arch() }: StackFacts,
): StackChoice {
  const isDefault = asked === undefined;
  const usual = asked ?? (runsJavaScript ? 'fp' : 'none');
  // Without a file there is nothing that could be rewritten: there `auto` is `fp`.
  const canRewrite = !isStream(output);
  // A copy of the leaf is dropped with the registers at the interrupt.
  const keepsRegisters = fields?.interruptRegs !== undefined;
  const copiesLeaf = usual === 'fp' && runsJavaScript && machine === 'x64' && !keepsRegisters;
  const hz = (freq === 'max' ? maxSampleRateHz : freq) ?? DEFAULT_FREQUENCY_HZ;
  // Faults that are counted one by one come as fast as memory is filled.
  const mostHz = count === undefined && memory === undefined ? hz : UNBOUNDED_HZ;
  const chosen = copiesLeaf ? (`fp,${leafBytes(ringBytes, mostHz)}` as const) : usual;
  const callGraph = !dropsCopies(chosen)
    ? chosen
    : !canRewrite
      ? 'fp'
      : chosen === 'auto'
        ? (`auto,${autoStackBytes(ringBytes, hz)}` as const)
        : chosen;
  const unwindsWaits = isDefault && runsJavaScript && canRewrite;
  const insideLibc = (callsHz: number, mostBytes = AUTO_STACK_BYTES): StackChoice['ofWaits'] =>
    unwindsWaits
      ? {
          callGraph: 'auto',
          stackSizeBytes: Math.min(autoStackBytes(ringBytes, callsHz), mostBytes),
        }
      : { callGraph: LEAVE_TO_KERNEL.includes(callGraph) ? 'fp' : null, stackSizeBytes: null };
  return {
    callGraph,
    ofWaits: insideLibc(SWITCHES_HZ),
    ofCalls: insideLibc(CALLS_HZ, MOST_CALL_BYTES),
    dropsCopies:
      (dropsCopies(callGraph) && !(isLeafCopy(callGraph) && keepsRegisters)) || unwindsWaits,
    isDefault,
  };
}

/** A notice for who asks for the frame pointers of JavaScript that waits: its waits have other stacks by default. */
export function noticeOfWaits(
  { callGraph, offCpu }: Pick<RecordSettings, 'callGraph' | 'offCpu'>,
  runsJavaScript: boolean,
): Text | null {
  if (!runsJavaScript || callGraph !== 'fp' || offCpu === undefined) return null;
  return words`${RECORD.callGraph.as('fp')}: stacks of waits end in the C library by frame pointers, and waits of execFileSync and the like are not told from idle time; without the option they are unwound`;
}

/** Ways in place of which the event of waits has frame pointers: no CPU records its calls. */
const LEAVE_TO_KERNEL: readonly CallGraph[] = ['none', 'lbr'];

/** Bytes that `auto` copies at `hz` into rings of `ringBytes`, so that no sample is lost for its size. */
export function autoStackBytes(ringBytes: number, hz: number): number {
  const room = ringBytes / (hz * RING_SECONDS);
  const bytes = Math.min(Math.max(room, LEAST_AUTO_BYTES), AUTO_STACK_BYTES);
  return Math.floor(bytes / LEAST_AUTO_BYTES) * LEAST_AUTO_BYTES;
}

/** Bytes that are copied for the callers of code without a frame at `hz` into rings of `ringBytes`. */
export function leafBytes(ringBytes: number, hz: number): number {
  const room = Math.min(ringBytes / RING_SECONDS / hz - CHAIN_BYTES, LEAF_BYTES_HZ / hz);
  const bytes = Math.min(Math.max(room, LEAF_BYTES), MOST_LEAF_BYTES);
  return Math.floor(bytes / LEAF_BYTES) * LEAF_BYTES;
}

/** Whether the copies are unwound and dropped when the recording ends. */
export function dropsCopies(callGraph: CallGraph | undefined): boolean {
  return callGraph?.startsWith('auto') === true || isLeafCopy(callGraph);
}

/** Whether frame pointers come with a copy for the callers of code without a frame. */
export function isLeafCopy(callGraph: CallGraph | undefined): boolean {
  return callGraph?.startsWith('fp,') === true;
}

/** Whether samples of any of these events have stacks. */
export function recordsStacks(events: readonly { readonly attr: EventAttr }[]): boolean {
  return events.some(
    ({ attr }) => (attr.sampleType & PERF_SAMPLE.CALLCHAIN) !== 0 || attr.sampleStackUser > 0,
  );
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
