/**
 * The workload's own account, written as JSON when it ends. Times are CLOCK_MONOTONIC, the
 * clock of our recordings, so a sample's time tells the phase that it fell into.
 */
export type Marks = {
  readonly phases: readonly PhaseMarks[];
  /** After the rest that follows the last phase, and before Node winds up. As `startNs`. */
  readonly endNs: string;
};

export type PhaseName = 'spin-1' | 'spin-3' | 'touch-fast' | 'touch-slow' | 'calls-1' | 'calls-3';

/** One phase of work; between two phases the workload sleeps. */
export type PhaseMarks = {
  readonly name: PhaseName;
  /** Nanoseconds on CLOCK_MONOTONIC, decimal: they don't fit a double on a machine long up. */
  readonly startNs: string;
  readonly endNs: string;
  /** CPU time of the whole process in the phase, by getrusage(2), nanoseconds. */
  readonly cpuNs: number;
  /** Page faults of the whole process in the phase, by getrusage(2). */
  readonly faults: number;
  /** Rounds of one and the same loop; 0 in phases that do something else. */
  readonly loopRounds: number;
  /** System calls made on purpose. */
  readonly calls: number;
};

/** Weight that a phase should have, in a unit that only has to be the same for all phases. */
export type PhaseTruth = { readonly phase: PhaseName; readonly amount: number };

/**
 * Counts of an event in the phases by the workload's own account. Empty for an event that it
 * has no account of; of its main thread alone it has none of what getrusage(2) tells.
 */
export function truthOf(eventName: string, marks: Marks, ofOneThread = false): PhaseTruth[] {
  const amountOf = accountOf(eventName, ofOneThread);
  if (amountOf === null) return [];
  return marks.phases
    .map((phase) => ({ phase: phase.name, amount: amountOf(phase) }))
    .filter(({ amount }) => amount > 0);
}

const MODIFIERS = /:[ukhGHIpPDSWe]+$/;

/** Whether kernel code is left out of the event as opened. */
export function isUserOnly(eventName: string): boolean {
  const modifiers = MODIFIERS.exec(eventName)?.[0] ?? '';
  return modifiers.includes('u') && !modifiers.includes('k');
}

function accountOf(
  eventName: string,
  ofOneThread: boolean,
): ((phase: PhaseMarks) => number) | null {
  // `raw_syscalls:sys_enter` has no modifiers behind its colon.
  const name = eventName.replace(MODIFIERS, '');
  switch (name) {
    case 'cpu-clock':
    case 'task-clock':
      // getrusage(2) tells user time by another measure than samples do.
      return ofOneThread || isUserOnly(eventName) ? null : (phase) => phase.cpuNs;
    case 'page-faults':
    case 'faults':
      if (ofOneThread) return null;
      return (phase) => (phase.name.startsWith('touch') ? phase.faults : 0);
    case 'cycles':
    case 'cpu-cycles':
    case 'instructions':
      return (phase) => phase.loopRounds;
    case 'raw_syscalls:sys_enter':
      return (phase) => phase.calls;
    default:
      return null;
  }
}
