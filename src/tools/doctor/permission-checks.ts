import { grantLines } from '../../system/container.ts';
import { explainRefusal } from '../../system/kernel/permission-help.ts';
import { type Check, passed } from './check.ts';
import type { MachineState } from './machine-state.ts';

/** May this process open events at all, and on what? Empty without the addon: nothing was tried. */
export function checkPermissions(state: MachineState): Check[] {
  const { opens } = state;
  if (opens === null) return [];
  const rows = [
    {
      name: 'own-programs',
      code: opens.ownUser,
      what: 'user space of your own programs',
      matters: 'without it nothing can be recorded',
      wants: { kernel: false, systemWide: false },
    },
    {
      name: 'kernel-code',
      code: opens.ownKernel,
      what: 'kernel code of your own programs',
      matters: 'system calls, page faults and interrupts are part of where time goes',
      wants: { kernel: true, systemWide: false },
    },
    {
      name: 'whole-cpus',
      code: opens.wholeCpu,
      what: 'whole CPUs',
      matters: 'record -a needs it',
      wants: { kernel: true, systemWide: true },
    },
  ];
  return rows.map(({ name, code, what, matters, wants }): Check => {
    if (code === '') return passed(name, `${what}: opens (${whyAllowed(state)})`, matters);
    return {
      name,
      state: name === 'own-programs' ? 'fail' : 'warn',
      found: `${what}: refused (${code}; ${circumstances(state)})`,
      matters,
      // A refusal that affects every event is explained once, under `own-programs`.
      fix:
        name !== 'own-programs' && opens.ownUser !== '' ? [SEE_OWN] : explain(state, wants, code),
    };
  });
}

/** The fix of what fails for the same reason as `own-programs`. */
export const SEE_OWN = 'what refuses own-programs refuses this too; see there';

/** The answers of a kernel without perf events to a software event; some filters answer so too. */
const NO_SUCH_CALL = new Set(['ENOSYS', 'ENODEV']);

function explain(
  { settings, place }: MachineState,
  wants: { kernel: boolean; systemWide: boolean },
  code: string,
): string[] {
  if (NO_SUCH_CALL.has(code)) {
    return place.container === null
      ? ['use a kernel with CONFIG_PERF_EVENTS, or a seccomp profile that allows perf_event_open']
      : grantLines(place.container, true);
  }
  return explainRefusal(settings, { ...wants, foreignProcess: false, code }, place);
}

function whyAllowed({ settings, privileges }: MachineState): string {
  if (privileges.perfmon) return 'CAP_PERFMON or CAP_SYS_ADMIN';
  return `kernel.perf_event_paranoid is ${settings.paranoidLevel ?? 'unknown'}`;
}

function circumstances({ settings, privileges, hasSeccompFilter, place }: MachineState) {
  const parts = [
    `kernel.perf_event_paranoid is ${settings.paranoidLevel ?? 'unknown'}`,
    privileges.perfmon ? 'with CAP_PERFMON' : 'without CAP_PERFMON',
  ];
  if (hasSeccompFilter === true) parts.push('a seccomp filter is in force');
  if (place.container !== null) parts.push(`in a container (${place.container.name})`);
  return parts.join(', ');
}
