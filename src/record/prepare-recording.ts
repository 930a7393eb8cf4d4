import { closeSync } from 'node:fs';
import { machine } from 'node:os';
import { failedBy, UsageError } from '../base/errors.ts';
import { errnoReason } from '../base/system-error.ts';
import { commandOnly, detail, type Text, words } from '../base/words.ts';
import type { EventSpec } from '../kernel/events/event-spec.ts';
import { parseEvents } from '../kernel/events/parse-events.ts';
import { encodeAttr } from '../kernel/perf-event/attr.ts';
import { loadBinding } from '../native/binding.ts';
import type {
  NativeBinding,
  NativeError,
  NativeSampler,
  SamplerOptions,
  SamplerTarget,
} from '../native/types.ts';
import { FIND_PROCESS } from '../options/kinds.ts';
import { RECORD, type RecordSettings } from '../options/record.ts';
import { WAKE_UP_EVENT } from '../profile/off-cpu/switch-pairs.ts';
import { heapKind, MEMORY_EVENT } from '../profile/wait-event.ts';
import { chooseUser } from '../system/accounts/run-as.ts';
import { debugLog } from '../system/debug-log.ts';
import type { FileOwner } from '../system/files/output-file.ts';
import { openCgroup } from '../system/kernel/containers.ts';
import { detectKernelFeatures } from '../system/kernel/kernel-features.ts';
import {
  type KernelSettings,
  readKernelSettings,
  readPrivileges,
} from '../system/kernel/kernel-settings.ts';
import { readEventSources } from '../system/kernel/machine-events.ts';
import { checkCpuOption, onlineCpus } from '../system/kernel/online-cpus.ts';
import { readPageBytes } from '../system/kernel/page-bytes.ts';
import { explainRefusal, explainRingRefusal } from '../system/kernel/permission-help.ts';
import { resolveCommand } from '../system/launch/resolve-command.ts';
import { explainGoneBeforeStart, explainStartFailure } from '../system/launch/start-failure.ts';
import { explainUnprofilable } from '../system/launch/unprofilable.ts';
import { processesOf, UNSETTLED } from '../system/processes/attached.ts';
import {
  explainAttachedNode,
  explainAttachedRuntimes,
  isRuntime,
} from '../system/runtimes/attached-runtimes.ts';
import { addNamingFlags, runsJavaScript } from '../system/runtimes/naming-flags.ts';
import type { NodeFlags } from '../system/runtimes/v8-flags.ts';
import { packageVersion } from '../system/version.ts';
import { hasOwnCode } from './code-events/own-process.ts';
import { mayListen } from './code-events/registered.ts';
import { checkCompression } from './output/compression.ts';
import { chooseStacks, noticeOfWaits, type StackChoice } from './plan/call-graph.ts';
import { checkCombinations } from './plan/check-options.ts';
import { chooseEvents } from './plan/choose-events.ts';
import { chooseLoopWaits } from './plan/loop-waits.ts';
import { keepNotices } from './plan/notices.ts';
import { chooseOffCpu } from './plan/off-cpu.ts';
import { probeRules } from './plan/period-probe.ts';
import { planRecording, type RecordingPlan, withoutWeakGroup } from './plan/recording-plan.ts';
import {
  askedRingPages,
  chooseRingSize,
  PRIVILEGED_BYTES,
  type RingSize,
  ringsPerThread,
} from './plan/ring-size.ts';
import { groupName } from './plan/sample-groups.ts';
import { chooseSyscalls } from './plan/syscalls.ts';

const debug = debugLog('record');

/** Longest time that a record waits in its ring, milliseconds. */
const LATENCY_MS = 100;

/** A session with its events open and its rings mapped, not yet running. */
export type PreparedRecording = DecidedRecording & {
  readonly sampler: NativeSampler;
  /** The CPUs that were online when the events were opened. */
  readonly online: readonly number[];
};

/** Everything decided, nothing opened: for `--dry-run`, and the first half of every recording. */
export type DecidedRecording = {
  readonly plan: RecordingPlan;
  readonly target: SamplerTarget;
  readonly ring: RingSize;
  readonly stacks: StackChoice;
  readonly settings: KernelSettings;
  readonly notices: string[];
  readonly owner: FileOwner | null;
  /** V8 writes perf maps because of flags that we gave it. */
  readonly causesMaps: boolean;
  /** The ID in the notes of the command's Node processes; null if there are none. */
  readonly recordingId: string | null;
  /** Socket that these processes send V8's code to; null if they write maps. */
  readonly codeSocket: string | null;
  /** Directory of jitdumps that our flags cause; null where none are. */
  readonly dumpsIn: NodeFlags['dumpsIn'];
};

/** Turns options into a plan by asking the kernel what opens. */
export function planOnly(
  options: RecordSettings,
  binding: NativeBinding = loadBinding(),
  newSocket: (() => string) | null = null,
): DecidedRecording {
  const notices: string[] = [];
  const notify = keepNotices(notices, options);
  checkCombinations(options);
  checkCompression(options.compressionLevel, binding);
  const settings = readKernelSettings();
  // Kept from now on: what the end of the recording would read may be another version's.
  packageVersion();
  const chosen = chooseTarget(options, newSocket);
  const { target, owner, notes } = chosen;
  const { causesMaps = false, recordingId = null, codeSocket = null, dumpsIn = null } = chosen;
  for (const note of notes) notify(note);
  const pageBytes = readPageBytes();
  const asked = askedRingPages(options.ringPages, pageBytes, notify);
  const privileges = readPrivileges();
  const granted = chooseRingSize(settings, privileges, asked);
  const ring = options.perThread ? ringsPerThread(granted, asked, pageBytes) : granted;
  const runsJavaScript = chosen.runsJavaScript === true;
  const waits = noticeOfWaits(options, runsJavaScript);
  if (waits !== null) notify(waits);
  const stacks = chooseStacks(options, {
    runsJavaScript,
    ringBytes: ring.ringPages * pageBytes,
    maxSampleRateHz: settings.maxSampleRateHz,
  });
  const { specs, notices: eventNotices } = chooseSpecs(
    options,
    { ...stacks, hasHeap: codeSocket !== null },
    target,
    binding,
  );
  const plan = planRecording(
    specs,
    {
      ...options,
      callGraph: stacks.callGraph,
      systemWide: target.kind === 'system',
      switches: options.switches === true || hasOffCpu(options),
    },
    {
      probe: (attr, pid, cpu) => binding.probeEvent(attr, pid, cpu),
      settings,
      features: detectKernelFeatures(binding.probeEvent),
      cpus: checkCpuOption(options.cpus),
    },
  );
  for (const notice of [...eventNotices, ...plan.notices]) notify(notice);
  if (granted.ringPages * pageBytes < PRIVILEGED_BYTES && asked === null) {
    notify(
      detail(
        `rings of ${ring.ringPages} + ${ring.sidebandPages} pages per CPU: what ` +
          `kernel.perf_event_mlock_kb (${settings.mlockKib} KiB) and RLIMIT_MEMLOCK ` +
          `(${settings.memlockKib ?? 0} KiB) leave without CAP_IPC_LOCK`,
      ),
    );
  }
  if (options.overwrite) {
    notify(
      words`${RECORD.overwrite}: each CPU keeps its last samples, as many as ${ring.ringPages} pages hold`,
    );
  }
  const causes = { causesMaps, recordingId, codeSocket, dumpsIn };
  return { plan, target, ring, stacks, settings, notices, owner, ...causes };
}

/** The requested events plus the off-CPU event, and those of the waits of event loops. */
function chooseSpecs(
  options: RecordSettings,
  { ofWaits, ofCalls, hasHeap }: StackChoice & { readonly hasHeap: boolean },
  target: SamplerTarget,
  binding: NativeBinding,
): { readonly specs: readonly EventSpec[]; readonly notices: readonly Text[] } {
  const asked = { ...options, systemWide: target.kind === 'system' };
  // Each part of it is read at its first use, and once.
  const sources = readEventSources();
  const { probeEvent } = binding;
  const loops =
    options.turns === true
      ? chooseLoopWaits(asked, sources, probeEvent)
      : { specs: [], notices: [] };
  const { syscalls } = options;
  const calls =
    syscalls === undefined
      ? []
      : chooseSyscalls({ ...asked, syscalls }, ofCalls, sources, machine(), probeEvent);
  const heap = heapKind(options.memory);
  const named = (event: string, name: string) =>
    parseEvents(event, sources).map((spec) => ({ ...spec, name, period: 1 }));
  const memory =
    heap === null
      ? []
      : [
          ...named('page-faults', MEMORY_EVENT),
          // The kernel counts nothing there, whoever may look at it: its samples are V8's.
          ...(hasHeap ? named('dummy:u', `heap-${heap}`) : []),
        ];
  const others = [...calls, ...memory, ...loops.specs];
  if (!hasOffCpu(options)) {
    return { specs: [...chooseEvents(options, sources), ...others], notices: loops.notices };
  }
  // What is joined must have one unit: where threads wait in nanoseconds, they run in nanoseconds.
  const events = options.events ?? ['cpu-clock'];
  const onCpu = options.offCpu === 'only' ? [] : chooseEvents({ ...options, events }, sources);
  const offCpu = chooseOffCpu(asked, ofWaits, sources, probeEvent);
  return {
    specs: [...onCpu, ...offCpu.specs, ...others],
    notices: [...offCpu.notices, ...loops.notices],
  };
}

function hasOffCpu({ offCpu }: RecordSettings): boolean {
  return offCpu === true || offCpu === 'only';
}

/** The part that a recording to a file and a live one share: from options to open events. */
export function prepareRecording(
  options: RecordSettings,
  binding: NativeBinding,
  latencyMs = LATENCY_MS,
  newSocket: (() => string) | null = null,
): PreparedRecording {
  // Notices of a recording that does not begin would hide the reason.
  const held: Parameters<NonNullable<RecordSettings['onNotice']>>[] = [];
  const planned = { ...options, onNotice: (...notice: (typeof held)[number]) => held.push(notice) };
  const decided = planOnly(planned, binding, newSocket);
  const { ring, settings, notices } = decided;
  const online = onlineCpus();
  // Before the recording takes counters.
  const pmus = () => readEventSources().pmus;
  const events = probeRules(decided.plan.events, { binding, settings, pmus });
  const probed = { ...decided, plan: { ...decided.plan, events } };
  const { plan, sampler } = openSampler(probed, options, binding, { latencyMs, online });
  for (const notice of held) options.onNotice?.(...notice);
  const notify = keepNotices(notices, options);
  for (const notice of plan.notices.slice(decided.plan.notices.length)) notify(notice);
  const { ringPages, sidebandPages, isSettled } = sampler.opened;
  debug?.(
    `opened ${plan.events.map(({ name }) => name).join(', ')} on CPUs ${plan.cpus.join(',')}, ` +
      `rings of ${ringPages} + ${sidebandPages} pages`,
  );
  if (ringPages < ring.ringPages || sidebandPages < ring.sidebandPages) {
    notify(
      `rings reduced from ${ring.ringPages} + ${ring.sidebandPages} to ${ringPages} + ` +
        `${sidebandPages} pages: kernel.perf_event_mlock_kb (${settings.mlockKib} KiB per CPU) and ` +
        `RLIMIT_MEMLOCK (${settings.memlockKib ?? 0} KiB) allow no more`,
    );
  }
  if (!isSettled) notify(UNSETTLED);
  return { ...decided, plan, sampler, online };
}

/** `online`: the CPUs that get a side-band. */
type OpeningFacts = { readonly latencyMs: number; readonly online: readonly number[] };

/** Opens the plan's events; with a weak group broken up where the kernel refuses it. */
function openSampler(
  decided: DecidedRecording,
  options: RecordSettings,
  binding: NativeBinding,
  given: OpeningFacts,
): { plan: RecordingPlan; sampler: NativeSampler } {
  const cgroupFd = options.cgroup === undefined ? null : openCgroup(options.cgroup, RECORD.cgroup);
  try {
    return openPlanned(decided, options, binding, { ...given, cgroupFd });
  } finally {
    if (cgroupFd !== null) closeSync(cgroupFd);
  }
}

function openPlanned(
  decided: DecidedRecording,
  options: RecordSettings,
  binding: NativeBinding,
  { latencyMs, online, cgroupFd }: OpeningFacts & { readonly cgroupFd: number | null },
): { plan: RecordingPlan; sampler: NativeSampler } {
  let { plan } = decided;
  for (;;) {
    const samplerOptions: SamplerOptions = {
      events: plan.events.map(({ attr, leader, spec, cpus }) => ({
        attr: encodeAttr(attr),
        leader,
        ...(cpus !== null && { cpus }),
        ...(spec.filter !== undefined && { filter: spec.filter }),
        // Whoever wakes a thread of the target may be anybody, or an interrupt.
        ofCpus: spec.name === WAKE_UP_EVENT && options.perThread !== true,
      })),
      sideband: encodeAttr(plan.sideband),
      cpus: options.perThread ? [-1] : plan.cpus,
      sidebandCpus: online,
      ...(cgroupFd !== null && { cgroupFd }),
      target: decided.target,
      ringPages: decided.ring.ringPages,
      sidebandPages: decided.ring.sidebandPages,
      latencyMs,
      delayed: options.delayMs !== undefined || options.startDisabled === true,
    };
    try {
      return { plan, sampler: new binding.Sampler(samplerOptions) };
    } catch (error) {
      const { code, eventIndex } = error as Partial<NativeError>;
      const singly = code === 'EINVAL' ? withoutWeakGroup(plan, eventIndex ?? -1) : null;
      if (singly === null) throw explainNativeError(error, { ...decided, plan });
      plan = singly;
    }
  }
}

type ChosenTarget = Pick<DecidedRecording, 'target' | 'owner'> &
  Partial<Pick<DecidedRecording, 'causesMaps' | 'recordingId' | 'codeSocket' | 'dumpsIn'>> & {
    readonly notes: readonly Text[];
    readonly runsJavaScript?: boolean;
  };

function chooseTarget(options: RecordSettings, newSocket: (() => string) | null): ChosenTarget {
  const hasCommand = (options.command?.length ?? 0) > 0;
  if ((options.pids ?? options.tids) !== undefined && hasCommand) {
    throw new UsageError(
      words`${RECORD.pids} and ${RECORD.tids} record what runs already: leave the command out`,
      [words`to stop by itself use ${RECORD.durationMs}`],
    );
  }
  const user = chooseUser(options);
  if (options.pids) {
    const { pids, nodeFlags, attachJs } = options;
    const unnamed = pids.filter((pid) => !reportsItself(pid));
    const attaches = attachJs === true || unnamed.length < pids.length;
    const explained = attachJs === true ? [] : explainAttachedNode(unnamed);
    const notes = nodeFlags === false ? [] : [...explained, ...explainAttachedRuntimes(pids)];
    return {
      target: { kind: 'processes', pids: processesOf(options.pids) },
      owner: user.owner,
      notes,
      codeSocket: attaches ? (newSocket?.() ?? null) : null,
      runsJavaScript: pids.some(isRuntime),
    };
  }
  if (options.tids) {
    return {
      target: { kind: 'threads', tids: [...new Set(options.tids)] },
      owner: user.owner,
      notes: [],
      runsJavaScript: options.tids.some(isRuntime),
    };
  }
  if (!hasCommand) {
    if (options.systemWide || options.cpus) {
      return { target: { kind: 'system' }, owner: user.owner, notes: [] };
    }
    const library = 'nothing to record: give a command, pids, tids, cpus or systemWide';
    throw new UsageError({ library, command: 'nothing to record' }, [
      commandOnly('a command:        perf-ts record -- ./app'),
      commandOnly('a process:        perf-ts record -p PID'),
      commandOnly('the whole system: perf-ts record -a'),
    ]);
  }
  const resolved = resolveCommand(options.command as readonly string[], options, user);
  // A whole system is recorded through the CPUs.
  const unprofilable = options.systemWide ? null : explainUnprofilable(resolved);
  const { command, notes, ...causes } = addNamingFlags(resolved, options, newSocket);
  return {
    target: options.systemWide ? { kind: 'system', command } : { kind: 'command', command },
    owner: user.owner,
    notes: [...user.notes, ...notes, ...(unprofilable === null ? [] : [unprofilable])],
    ...causes,
    // Nodes that begin without the preload are asked for their code.
    ...(options.attachJs === true &&
      options.nodeFlags !== false &&
      causes.codeSocket === null && { codeSocket: newSocket?.() ?? null }),
    runsJavaScript: runsJavaScript(resolved, options),
  };
}

/** Whether a process reports its JavaScript without its inspector: ours, or one that has imported us. */
function reportsItself(pid: number): boolean {
  return (pid === process.pid && hasOwnCode()) || mayListen(pid);
}

/** Turns an error of the addon into one that says what to do. */
export function explainNativeError(
  error: unknown,
  context: { plan: RecordingPlan; settings: KernelSettings; target: SamplerTarget },
): unknown {
  const { operation, code, eventIndex, pid, message } = error as NativeError;
  if (operation === undefined) return error;
  const { settings, target } = context;
  const startFailure = explainStartFailure(error as NativeError);
  if (startFailure !== null) return startFailure;
  const event = context.plan.events[eventIndex]?.name ?? 'the side-band event';
  if (operation === 'mmap') {
    return failedBy(code, `the ring buffer cannot be mapped (${code})`, [
      ...explainRingRefusal(settings, 1),
    ]);
  }
  if (code === 'ESRCH') {
    if (target.kind === 'command') return explainGoneBeforeStart();
    const what = target.kind === 'threads' ? 'thread' : 'process';
    return failedBy(code, `no such ${what}: ${pid}`, [commandOnly(FIND_PROCESS)]);
  }
  // Not of an event: the drain thread, what it waits by, what it writes to.
  if (!/^(?:perf_event_open|ioctl)/.test(operation)) {
    return failedBy(
      code,
      `the recording could not begin: ${operation} failed: ${errnoReason(code)}`,
    );
  }
  if (operation === 'ioctl(PERF_EVENT_IOC_ENABLE)') {
    return failedBy(code, `${event}: cannot be enabled: ${errnoReason(code)}`);
  }
  if (code === 'EMFILE') {
    const cure = 'raise the limit of open files: ulimit -n 65536 (RLIMIT_NOFILE)';
    return failedBy(code, `${event}: ${message}`, [cure]);
  }
  if (code === 'EACCES' || code === 'EPERM') {
    const wants = {
      kernel: context.plan.events.some(({ attr }) => !attr.flags.excludeKernel),
      systemWide: target.kind === 'system',
      foreignProcess: target.kind === 'processes' || target.kind === 'threads',
      // EPERM has several reasons here: of raw tracepoints, it is the paranoid level.
      ...(code === 'EACCES' && { code }),
    };
    if (eventIndex < 0 && context.plan.sideband.flags.namespaces) {
      return failedBy(
        code,
        words`${RECORD.namespaces}: the kernel refuses to record them (${code})`,
        ['it needs root or CAP_PERFMON'],
      );
    }
    const whom = pid > 0 ? ` on process ${pid}` : '';
    // The side-band event asks for less than any event: it is the process that is refused.
    const what =
      pid > 0 && eventIndex < 0
        ? `process ${pid}: the kernel does not let this user record it`
        : `${event}: the kernel refuses to open this event${whom}`;
    return failedBy(code, `${what} (${code})`, explainRefusal(settings, wants));
  }
  const leader = context.plan.events[eventIndex]?.leader ?? -1;
  if (code === 'EINVAL' && leader >= 0) {
    const group = groupName(context.plan.events, leader);
    return failedBy(code, `the group ${group} does not fit the PMU, at ${event} (${code})`, [
      words`let it be broken up where it must: ${RECORD.events.as([`${group}:W`])}`,
      'or record fewer events at once',
    ]);
  }
  return failedBy(code, `${operation} failed for ${event}: ${message}`);
}
