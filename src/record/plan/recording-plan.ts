import { PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';
import { type Text, words } from '../../base/words.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { type EventAttr, encodeAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import { isReportedByKernel } from '../../kernel/perf-event/event-lookup.ts';
import type { NativeBinding } from '../../native/types.ts';
import { RECORD, type RecordSettings } from '../../options/record.ts';
import { readLoopWaitEvent } from '../../profile/loop-waits.ts';
import { WAKE_UP_EVENT } from '../../profile/off-cpu/switch-pairs.ts';
import { isMeasuredEvent } from '../../profile/wait-event.ts';
import { copiesStacks } from '../../read/unwind/unwind-stacks.ts';
import { cpusOfEvents, type PlacedEvent, placeEvents } from '../../system/kernel/event-cpus.ts';
import { happensOnlyInKernel } from '../../system/kernel/event-name.ts';
import type { KernelFeatures } from '../../system/kernel/kernel-features.ts';
import type { KernelSettings } from '../../system/kernel/kernel-settings.ts';
import { explainUnopenable } from '../../system/kernel/open-refusal.ts';
import { chooseRate, readAskedRate } from './choose-rate.ts';
import { COMMON_SAMPLE_TYPE, clockIdOf, commonReadFormat } from './common-attr.ts';
import { Notices } from './notices.ts';
import { findOpenable } from './open-fallbacks.ts';
import { readsCounter, sampleAttr, whyNotLbr } from './sample-attr.ts';
import {
  breakWeakGroup,
  groupName,
  joinGroups,
  type OpenableEvent,
  type PlannedEvent,
} from './sample-groups.ts';
import { type Probe, SharedProbes } from './shared-probe.ts';

export type { PlannedEvent } from './sample-groups.ts';

export type RecordingPlan = {
  readonly events: readonly PlannedEvent[];
  /** The dummy event whose rings carry FORK, EXIT, COMM, MMAP2 … */
  readonly sideband: EventAttr;
  /** CPUs on which any of these is opened, ascending. */
  readonly cpus: readonly number[];
  /** Notices about what was substituted, lowered or left out; printed, and stored in the file. */
  readonly notices: readonly Text[];
};

/** The facts besides the options that the plan depends on. */
export type PlanEnvironment = {
  readonly probe: NativeBinding['probeEvent'];
  readonly settings: KernelSettings;
  readonly features: KernelFeatures;
  /** CPUs that will be recorded. */
  readonly cpus: readonly number[];
};

/**
 * Decides how each event is opened, by asking the kernel: the event itself where it opens, the
 * named substitute where it does not, an error that says what to do where nothing helps.
 *
 * `options.systemWide` must say what the target is: a CPU with all that runs on it, or tasks.
 */
export function planRecording(
  specs: readonly EventSpec[],
  options: RecordSettings,
  environment: PlanEnvironment,
): RecordingPlan {
  const { settings, features } = environment;
  const notices = new Notices();
  const systemWide = options.systemWide === true;
  const placed = placeEvents(specs, environment.cpus, systemWide);
  const cpus = cpusOfEvents(placed, environment.cpus);
  const asked = readAskedRate(options, settings);
  const attrOf = (spec: EventSpec): EventAttr => {
    const rate = chooseRate(spec, asked, options, settings, notices);
    // A switch counts for its wait, which no counter knows; a system call likewise.
    const isMeasured =
      isMeasuredEvent(spec) || spec.name === WAKE_UP_EVENT || readLoopWaitEvent(spec.name) !== null;
    const own = isMeasured ? { ...options, counts: false } : options;
    return sampleAttr(spec, rate, own, features);
  };
  const probes = new SharedProbes();
  const probeOf = (spec: EventSpec, cpus: readonly number[]): Probe => {
    const [pid, cpu] = systemWide ? [-1, cpus[0] ?? 0] : [0, -1];
    return probes.of(spec, `${cpu}`, (attr) => {
      const held = { ...attr, flags: { ...attr.flags, disabled: true } };
      return environment.probe(encodeAttr(held), pid, cpu);
    });
  };
  const opened = placed.map(({ spec, cpus: own }) => {
    const event = findOpenable(spec, {
      attrOf,
      probe: probeOf(spec, own ?? cpus),
      notices,
      isUsual: options.events === undefined,
    });
    if ('code' in event) throw explainUnopenable(event, settings, systemWide);
    return { ...event, cpus: event.spec.cpus === null ? null : own };
  });
  const needed = withoutRepeats(opened, placed);
  const narrowed = needed.filter(
    ({ attr, spec }) => attr.flags.excludeKernel && !spec.exclude.kernel,
  );
  if (narrowed.length > 0) {
    notices.add(
      `recording user space only (${narrowed.map(({ name }) => name).join(', ')}): ` +
        `kernel.perf_event_paranoid is ${settings.paranoidLevel} (help: perf-ts doctor)`,
    );
  }
  for (const { name, spec } of needed) reportLimits(name, spec, options, features, notices);
  // Only a file matters: samples shown at once are named from the files that are there now.
  if (!features.buildId && options.buildIds !== false && options.output !== undefined) {
    notices.add(
      'recording without the build IDs of mapped files, by which a changed file is recognized: this ' +
        'kernel does not write them (Linux 5.12 can; perf-ts inject --build-ids adds them)',
    );
  }
  const events = joinGroups(needed, features, notices);
  warnAboutMixedIds(events, notices);
  if (events.some(({ attr }) => attr.flags.inherit && attr.sampleType & PERF_SAMPLE.READ)) {
    notices.add(
      words`perf 6.12 and older misread the counts that this recording has of threads and children; ${RECORD.inherit.as(false)} leaves these out`,
    );
  }
  if (events.some(({ attr }) => attr.flags.inheritStat) && cpus.length > 1) {
    notices.add(
      'final counts of exiting threads: kernels write them into the rings of all CPUs without a lock, ' +
        'which can destroy what is there; meant for programs in which few threads end',
    );
  }
  const inherit = events.some(({ attr }) => attr.flags.inherit);
  const mapsData = events.some(({ attr }) => copiesStacks(attr));
  const sideband = sidebandAttr(options, features, { inherit, mapsData });
  return { events, sideband, cpus, notices: notices.list() };
}

/**
 * Leaves out timers that stand for one name more than once: the event of each kind of core was
 * replaced by a timer on all cores.
 */
function withoutRepeats<Event extends OpenableEvent>(
  opened: readonly Event[],
  placed: readonly PlacedEvent[],
): Event[] {
  const replaced = opened.map(
    ({ spec }, index) => placed[index].spec.corePmu !== null && spec.corePmu === null,
  );
  return opened.filter(({ spec }, index) => {
    const first = opened.findIndex((other, i) => replaced[i] && other.spec.text === spec.text);
    return !replaced[index] || first === index;
  });
}

/**
 * The plan after the kernel refused to open the event `refused` within its group, which may not fit
 * the PMU: the group's events singly. Null where the group is not one that may be broken up.
 */
export function withoutWeakGroup(plan: RecordingPlan, refused: number): RecordingPlan | null {
  const events = breakWeakGroup(plan.events, refused);
  if (events === null) return null;
  const leader = plan.events[refused]?.leader;
  const notice =
    `the group ${groupName(plan.events, leader)} does not fit the PMU: its events are recorded ` +
    'singly, as its modifier W allows';
  return { ...plan, events, notices: [...plan.notices, notice] };
}

/** Notices about what an event that opens does not give nevertheless. */
function reportLimits(
  name: string,
  spec: EventSpec,
  options: RecordSettings,
  features: KernelFeatures,
  notices: Notices,
): void {
  if (options.counts && !spec.sampleGroup && !readsCounter(spec, options, features)) {
    notices.add(
      words`recording without ${RECORD.counts}: this kernel can't read counters of inherited events with each sample (Linux 6.12 can; ${RECORD.inherit.as(false)} keeps the counts and leaves out later threads)`,
    );
  }
  const noLbr = whyNotLbr(spec, options);
  if (noLbr !== null) notices.add(`${name}: stacks by frame pointers, not by lbr: ${noLbr}`);
  if (spec.exclude.kernel && happensOnlyInKernel(spec)) {
    notices.add(`${name}: happens in the kernel only, so nothing is recorded without kernel code`);
  }
}

/** Events whose samples the kernel puts into each other, as `EventLookup` says of two recorders. */
function warnAboutMixedIds(events: readonly PlannedEvent[], notices: Notices): void {
  const sampled = events.filter(({ attr }) => attr.samplePeriod > 0 && isReportedByKernel(attr));
  for (const [index, { attr, name, cpus }] of sampled.entries()) {
    const other = sampled
      .slice(index + 1)
      .find((later) => mayCoincide(attr, later.attr) && haveCommon(cpus, later.cpus));
    if (other === undefined) continue;
    notices.add(
      `${name} and ${other.name} happen at once, and kernels since 6.3 then write samples of both ` +
        'under one of them; their figures are to be trusted only where one is recorded at a time',
    );
  }
}

/** Whether two events are opened on the same CPU; null is all of them. */
function haveCommon(a: readonly number[] | null, b: readonly number[] | null): boolean {
  return a === null || b === null || a.some((cpu) => b.includes(cpu));
}

function mayCoincide(a: EventAttr, b: EventAttr): boolean {
  const arePartsApart =
    (a.flags.excludeUser && b.flags.excludeKernel) ||
    (a.flags.excludeKernel && b.flags.excludeUser);
  return a.config === b.config && !arePartsApart;
}

/**
 * The dummy event: it counts nothing, and its rings carry what must not be lost. Since it sees no
 * kernel code, it leaves it out, and so opens at every paranoid level.
 *
 * With `mapsData` it reports mappings without code as well: perf finds the unwind tables of a library,
 * which linkers put in front of the code, only through these.
 */
function sidebandAttr(
  options: RecordSettings,
  features: KernelFeatures,
  { inherit, mapsData }: { readonly inherit: boolean; readonly mapsData: boolean },
): EventAttr {
  return newAttr({
    type: PERF_TYPE.SOFTWARE,
    config: BigInt(PERF_COUNT_SW.DUMMY),
    samplePeriod: 1,
    sampleType: COMMON_SAMPLE_TYPE,
    readFormat: commonReadFormat(features),
    clockid: clockIdOf(options),
    flags: {
      inherit,
      sampleIdAll: true,
      useClockid: true,
      excludeKernel: true,
      excludeHv: true,
      mmap: true,
      mmap2: true,
      mmapData: mapsData || options.fields?.dataAddresses === true,
      buildId: features.buildId && options.buildIds !== false,
      comm: true,
      commExec: true,
      task: true,
      contextSwitch: options.switches === true,
      namespaces: options.namespaces === true,
      cgroup: options.cgroups === true,
      ksymbol: true,
      bpfEvent: true,
    },
  });
}
