import { accessSync, constants } from 'node:fs';
import { release } from 'node:os';
import { FailedError, messageOf } from '../../base/errors.ts';
import { PERF_COUNT_HW, PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';
import { reportCpu } from '../../counting/processor/cpu-report.ts';
import type { WhyNone } from '../../counting/processor/why-no-counters.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { parseEvents } from '../../kernel/events/parse-events.ts';
import { type EventAttr, encodeAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE, PERF_SAMPLE_BRANCH } from '../../kernel/perf-event/constants.ts';
import { loadBinding } from '../../native/binding.ts';
import type { NativeBinding } from '../../native/types.ts';
import { detectKernelFeatures, type KernelFeatures } from '../../system/kernel/kernel-features.ts';
import {
  type KernelSettings,
  type Privileges,
  readKernelSettings,
  readPrivileges,
} from '../../system/kernel/kernel-settings.ts';
import { readEventSources } from '../../system/kernel/machine-events.ts';
import { onlineCpus } from '../../system/kernel/online-cpus.ts';
import { asRootLines } from '../../system/kernel/permission-help.ts';
import { readKernelImage } from '../../system/kernel/running-kernel.ts';
import { type RunPlace, readRunPlace } from '../../system/run-place.ts';
import { readTextOrEmpty, readTrimmedOrNull } from '../../system/small-file.ts';
import { type Confinement, readConfinement } from './confinement.ts';

/** The kernel's answers when events are opened: an errno name, '' where it opens. */
export type OpenAnswers = {
  /** `cpu-clock:u` on this process. */
  readonly ownUser: string;
  /** `cpu-clock`, kernel code included, on this process. */
  readonly ownKernel: string;
  /** `cpu-clock` on a whole CPU. */
  readonly wholeCpu: string;
  /** `cycles:u` on this process. */
  readonly cycles: string;
  /** `cycles:u` with the CPU's records of calls, for `--call-graph lbr`. */
  readonly callStacks: string;
};

/** All that the checks judge by, so that a test can draw any machine. */
export type MachineState = {
  readonly platform: string;
  /** Release as `uname -r` prints it. */
  readonly kernel: string;
  /** The reason why the native addon does not load, and what to do; null where it does. */
  readonly addonProblem: Problem | null;
  readonly settings: KernelSettings;
  readonly privileges: Privileges;
  /** How its user gets more rights. */
  readonly place: RunPlace;
  /** A seccomp filter is in force on this process; null if that can't be read. */
  readonly hasSeccompFilter: boolean | null;
  readonly confinement: Confinement;
  /** Null without the addon: nothing could be tried. */
  readonly opens: OpenAnswers | null;
  readonly features: KernelFeatures | null;
  /** The reason why there are no hardware counters; null where there are, and without the addon. */
  readonly noCounters: WhyNone | null;
  /** RLIMIT_NOFILE; null without the addon. */
  readonly fdLimit: { readonly soft: number; readonly hard: number } | null;
  readonly onlineCpus: number;
  /** `kernel.nmi_watchdog` is on; null where there is no such file. */
  readonly hasNmiWatchdog: boolean | null;
  /** The reason why tracepoints can't be used, and what to do; null where they open. */
  readonly tracepointProblem: Problem | null;
  readonly seesKernelAddresses: boolean;
  /** JIT maps are written to /tmp. */
  readonly isTmpWritable: boolean;
  /** `--perf-basic-prof` or a sibling is in NODE_OPTIONS. */
  readonly nodeWritesPerfMaps: boolean;
};

export type Problem = { readonly message: string; readonly fix: readonly string[] };

export function readMachineState(): MachineState {
  const binding = tryLoad();
  const probe = 'probeEvent' in binding ? binding.probeEvent : null;
  return {
    platform: process.platform,
    kernel: release(),
    addonProblem: 'probeEvent' in binding ? null : binding,
    settings: readKernelSettings(),
    privileges: readPrivileges(),
    place: readRunPlace(),
    hasSeccompFilter: readSeccomp(),
    confinement: readConfinement(),
    opens: probe === null ? null : askKernel(probe),
    features: probe === null ? null : detectKernelFeatures(probe),
    noCounters: probe === null ? null : reportCpu().whyNone,
    fdLimit: 'raiseFdLimit' in binding ? binding.raiseFdLimit(0) : null,
    onlineCpus: onlineCpus().length,
    hasNmiWatchdog: readFlag('/proc/sys/kernel/nmi_watchdog'),
    tracepointProblem: probe === null ? null : tryTracepoint(probe),
    seesKernelAddresses: readKernelImage().text !== null,
    isTmpWritable: isWritable('/tmp'),
    nodeWritesPerfMaps: /--perf(?:-basic)?-prof/.test(process.env.NODE_OPTIONS ?? ''),
  };
}

function tryLoad(): NativeBinding | Problem {
  try {
    return loadBinding();
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof FailedError) return { message: error.message, fix: error.hints };
  return { message: messageOf(error), fix: [] };
}

function askKernel(probe: NativeBinding['probeEvent']): OpenAnswers {
  const open = (
    type: number,
    config: number,
    excludeKernel: boolean,
    pid: number,
    cpu: number,
    more: Partial<EventAttr> = {},
  ) => {
    const flags = { disabled: true, excludeKernel, excludeHv: excludeKernel };
    const attr = newAttr({ type, config: BigInt(config), samplePeriod: 1_000_000, flags, ...more });
    return answerOf(probe(encodeAttr(attr), pid, cpu));
  };
  const callStacks = {
    sampleType: PERF_SAMPLE.BRANCH_STACK,
    branchSampleType: BigInt(PERF_SAMPLE_BRANCH.USER | PERF_SAMPLE_BRANCH.CALL_STACK),
  };
  const { SOFTWARE, HARDWARE } = PERF_TYPE;
  const { CPU_CLOCK } = PERF_COUNT_SW;
  return {
    ownUser: open(SOFTWARE, CPU_CLOCK, true, 0, -1),
    ownKernel: open(SOFTWARE, CPU_CLOCK, false, 0, -1),
    wholeCpu: open(SOFTWARE, CPU_CLOCK, false, -1, onlineCpus()[0] ?? 0),
    cycles: open(HARDWARE, PERF_COUNT_HW.CPU_CYCLES, true, 0, -1),
    callStacks: open(HARDWARE, PERF_COUNT_HW.CPU_CYCLES, true, 0, -1, callStacks),
  };
}

function answerOf({ errno, code }: { errno: number; code: string }): string {
  return errno === 0 ? '' : code;
}

/** A tracepoint that every kernel with tracepoints has. */
const COMMON_TRACEPOINT = 'sched:sched_process_exit';

/** Finds a tracepoint in tracefs, which is mounted for that where we may, and opens it. */
function tryTracepoint(probe: NativeBinding['probeEvent']): Problem | null {
  let spec: EventSpec | undefined;
  try {
    [spec] = parseEvents(COMMON_TRACEPOINT, readEventSources());
  } catch (error) {
    return problemOf(error);
  }
  if (spec === undefined) return { message: `${COMMON_TRACEPOINT} is not known here`, fix: [] };
  const { type, config } = spec;
  const attr = newAttr({ type, config, samplePeriod: 1, flags: { disabled: true } });
  const code = answerOf(probe(encodeAttr(attr), 0, -1));
  if (code === '') return null;
  return {
    message: `the kernel refuses to open ${COMMON_TRACEPOINT} (${code})`,
    fix: asRootLines(readRunPlace()),
  };
}

/** `Seccomp:` of /proc/self/status: 0 off, 1 strict, 2 a filter. */
function readSeccomp(): boolean | null {
  const mode = /^Seccomp:\s*(\d)/m.exec(readTextOrEmpty('/proc/self/status'));
  return mode === null ? null : mode[1] === '2';
}

function readFlag(path: string): boolean | null {
  const text = readTrimmedOrNull(path);
  return text === null ? null : text === '1';
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
