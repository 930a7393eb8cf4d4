import { DEFAULT_FREQUENCY_HZ } from '../../options/record.ts';
import { chooseRingSize, PRIVILEGED_BYTES } from '../../record/plan/ring-size.ts';
import { readPageBytes } from '../../system/kernel/page-bytes.ts';
import { settingLine } from '../../system/kernel/permission-help.ts';
import { type Check, passed, warning } from './check.ts';
import type { MachineState } from './machine-state.ts';

/** The kernel's default of `perf_event_max_sample_rate`; it lowers it by itself. */
const USUAL_MAX_SAMPLE_RATE_HZ = 100_000;
/** The kernel's default of `perf_cpu_time_max_percent`. */
const USUAL_CPU_TIME_PERCENT = 25;
const USUAL_CPU_TIME = `kernel.perf_cpu_time_max_percent=${USUAL_CPU_TIME_PERCENT}`;
/** Events that one expects to record at once; each has a descriptor on each CPU. */
const USUAL_EVENTS = 3;
/** Descriptors that a process has open besides. */
const OTHER_FDS = 64;

/** How much may be recorded: rings, descriptors, samples a second. */
export function checkLimits(state: MachineState): Check[] {
  return [
    ...checkRings(state),
    ...checkDescriptors(state),
    ...checkSampleRate(state),
    ...checkCpuTime(state),
  ];
}

function checkRings({ settings, privileges, place, onlineCpus }: MachineState): Check[] {
  const { mlockKib, memlockKib, paranoidLevel } = settings;
  if (mlockKib === null) return [];
  const name = 'ring-memory';
  const matters = 'a ring holds the samples until they are written; small ones lose samples';
  const pageBytes = readPageBytes();
  const pageKib = pageBytes / 1024;
  const machine = { cpus: onlineCpus, pageBytes };
  const { ringPages } = chooseRingSize(settings, privileges, null, machine);
  const ringKib = ringPages * pageKib;
  if (privileges.ipcLock || paranoidLevel === -1) {
    const why = privileges.ipcLock ? 'CAP_IPC_LOCK' : 'kernel.perf_event_paranoid is -1';
    return [passed(name, `rings of ${ringKib} KiB a CPU (${why})`, matters)];
  }
  // Two rings a CPU and their control pages: what a privileged user gets.
  const wantedKib = (2 * PRIVILEGED_BYTES) / 1024 + 2 * pageKib;
  const found =
    `rings of ${ringKib} KiB a CPU: kernel.perf_event_mlock_kb is ${mlockKib}, and RLIMIT_MEMLOCK ` +
    (memlockKib === Number.POSITIVE_INFINITY ? 'unlimited' : `${memlockKib ?? 0} KiB`);
  const fix = [
    settingLine(place, `kernel.perf_event_mlock_kb=${wantedKib}`),
    'or sample less often: -F',
  ];
  if (ringKib * 1024 >= PRIVILEGED_BYTES) return [passed(name, found, matters)];
  return [warning(name, found, matters, fix)];
}

function checkDescriptors({ fdLimit, onlineCpus }: MachineState): Check[] {
  if (fdLimit === null) return [];
  const name = 'open-files';
  const needed = (USUAL_EVENTS + 1) * onlineCpus + OTHER_FDS;
  const found = `hard limit of ${fdLimit.hard} open files, ${onlineCpus} CPUs`;
  const matters = 'every event has a file on every CPU, and -p one for every thread too';
  if (fdLimit.hard >= needed) return [passed(name, found, matters)];
  const fix = [`sudo prlimit --nofile=${needed}:${needed} --pid $$`, '-C records on fewer CPUs'];
  return [warning(name, found, matters, fix)];
}

function checkSampleRate({ settings, place }: MachineState): Check[] {
  const hz = settings.maxSampleRateHz;
  if (hz === null) return [];
  const name = 'max-sample-rate';
  const found = `kernel.perf_event_max_sample_rate is ${hz}`;
  const matters = 'frequencies above it are lowered; the kernel lowers it when interrupts are slow';
  if (hz >= USUAL_MAX_SAMPLE_RATE_HZ) return [passed(name, found, matters)];
  const isShort = hz < DEFAULT_FREQUENCY_HZ;
  const fix = [settingLine(place, `kernel.perf_event_max_sample_rate=${USUAL_MAX_SAMPLE_RATE_HZ}`)];
  // The kernel refuses (EINVAL) to set the rate while the percentage switches its limit off.
  if (isLimitOff(settings.cpuTimeMaxPercent)) {
    fix.unshift(settingLine(place, USUAL_CPU_TIME));
  }
  const note = isShort ? `, less than the default -F ${DEFAULT_FREQUENCY_HZ}` : '';
  return [warning(name, found + note, matters, fix)];
}

function isLimitOff(percent: number | null): boolean {
  return percent === 0 || percent === 100;
}

function checkCpuTime({ settings, place }: MachineState): Check[] {
  const percent = settings.cpuTimeMaxPercent;
  if (percent === null) return [];
  const name = 'cpu-time-limit';
  const matters = 'beyond this share of a CPU in sampling interrupts the kernel lowers the rate';
  const found = `kernel.perf_cpu_time_max_percent is ${percent}`;
  if (isLimitOff(percent)) {
    return [passed(name, `${found}: the kernel never lowers the rate`, matters)];
  }
  if (percent >= USUAL_CPU_TIME_PERCENT) return [passed(name, found, matters)];
  const fix = [settingLine(place, USUAL_CPU_TIME)];
  return [warning(name, found, matters, fix)];
}
