import { asRootLines, settingLine } from '../../system/kernel/permission-help.ts';
import { V8_FLAGS } from '../../system/runtimes/v8-flags.ts';
import { type Check, passed, warning } from './check.ts';
import type { MachineState } from './machine-state.ts';

/** Whether addresses will have names: the kernel's, and those of JIT code. */
export function checkNaming(state: MachineState): Check[] {
  return [checkKernelSymbols(state), checkPerfMaps(state)];
}

function checkKernelSymbols({ seesKernelAddresses, settings, place }: MachineState): Check {
  const name = 'kernel-symbols';
  const matters = 'without the addresses in /proc/kallsyms all of the kernel is one unnamed row';
  const { kptrRestrict, paranoidLevel } = settings;
  const found = `kernel.kptr_restrict is ${kptrRestrict ?? 'unknown'}`;
  if (seesKernelAddresses) {
    return passed(name, `/proc/kallsyms shows addresses (${found})`, matters);
  }
  const fix = asRootLines(place);
  if (kptrRestrict === 2) fix.unshift(settingLine(place, 'kernel.kptr_restrict=1'));
  else if (kptrRestrict === 1) fix.unshift(settingLine(place, 'kernel.kptr_restrict=0'));
  // With kptr_restrict 0 the kernel asks for CAP_SYSLOG unless the paranoid level is 1 or lower.
  if (paranoidLevel !== null && paranoidLevel > 1 && kptrRestrict !== 2) {
    const line = settingLine(place, 'kernel.perf_event_paranoid=1');
    fix.push(`or, without root for each run: ${line}`);
  }
  return warning(name, `/proc/kallsyms hides its addresses (${found})`, matters, fix);
}

function checkPerfMaps({ isTmpWritable, nodeWritesPerfMaps }: MachineState): Check {
  const name = 'node-functions';
  const matters = 'functions compiled by Node have names only where Node writes /tmp/perf-PID.map';
  const fix = [`a Node that runs already (-p) has to be started with: ${V8_FLAGS.join(' ')}`];
  if (!isTmpWritable) {
    return warning(name, '/tmp is not writable', matters, fix);
  }
  const found = nodeWritesPerfMaps
    ? 'NODE_OPTIONS asks for the map'
    : 'record asks for the map when it starts Node';
  return { name, state: 'ok', found, matters, fix: nodeWritesPerfMaps ? [] : fix };
}
