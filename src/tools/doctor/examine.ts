import type { DoctorReport } from './check.ts';
import { checkConfinement } from './confinement-checks.ts';
import { checkEvents } from './event-checks.ts';
import { checkKernel } from './kernel-checks.ts';
import { checkLimits } from './limit-checks.ts';
import { type MachineState, readMachineState } from './machine-state.ts';
import { checkNaming } from './naming-checks.ts';
import { checkPermissions } from './permission-checks.ts';

/**
 * Finds the obstacles to recording on this machine for this user, each with its fix.
 * Opens events for a moment and mounts tracefs where that is missing and allowed, as recording
 * does; changes nothing else.
 *
 * @example
 * ```ts
 * import { doctor } from 'perf-ts';
 *
 * const { ready, checks } = doctor();
 * console.log(ready);
 * for (const { name, found, fix } of checks) if (fix.length > 0) console.log(name, found, fix);
 * ```
 */
export function doctor(): DoctorReport {
  return judgeMachine(readMachineState());
}

/** The report of a machine that is in this state. */
export function judgeMachine(state: MachineState): DoctorReport {
  const checks = [
    ...checkKernel(state),
    ...checkPermissions(state),
    ...checkConfinement(state),
    ...checkEvents(state),
    ...checkLimits(state),
    ...checkNaming(state),
  ];
  return {
    schema: 'perf-ts/doctor@1',
    ready: checks.every((check) => check.state !== 'fail'),
    checks,
  };
}
