import type { RingFacts } from '../../base/lost-samples.ts';
import type { Text } from '../../base/words.ts';
import type { ConcurrentCount } from '../../counting/stat/concurrent-counters.ts';
import {
  archSection,
  buildIdSection,
  clockDataSection,
  clockResolutionSection,
  commandLineSection,
  cpuCountsSection,
  cpuDescriptionSection,
  cpuIdSection,
  eventDescriptionSection,
  type FeatureSection,
  groupsSection,
  hostnameSection,
  hybridTopologySection,
  osReleaseSection,
  pmuCapabilitiesSections,
  pmuMappingsSection,
  totalMemorySection,
  tracingDataSection,
  versionSection,
} from '../../formats/perf-data/feature-encoders.ts';
import { FEATURE } from '../../formats/perf-data/features.ts';
import { type EventSources, hybridPmus, isCorePmu } from '../../kernel/events/event-sources.ts';
import { encodeAttr, hasLbrCallchain } from '../../kernel/perf-event/attr.ts';
import { CLOCK_IDS, type ClockName } from '../../kernel/perf-event/clock-ids.ts';
import { PERF_RECORD_MISC } from '../../kernel/perf-event/constants.ts';
import type { NativeBinding, SamplerEvent, SamplerOpened } from '../../native/types.ts';
import { isMemoryEvent } from '../../profile/wait-event.ts';
import {
  attachProvenance,
  type CountStart,
  type Provenance,
  totalKeys,
} from '../../read/facts/provenance.ts';
import { readHostInfo, readKernelBuildId } from '../../system/kernel/host-info.ts';
import { type KernelSettings, readKernelSettings } from '../../system/kernel/kernel-settings.ts';
import { readEventSources } from '../../system/kernel/machine-events.ts';
import { readPageBytes } from '../../system/kernel/page-bytes.ts';
import { readFormatTexts } from '../../system/kernel/tracefs.ts';
import { readVdsoBuildId } from '../../system/kernel/vdso.ts';
import { packageVersion } from '../../system/version.ts';
import type { RecordingPlan } from '../plan/recording-plan.ts';
import type { SampledSpans } from './sampled-spans.ts';

/** The part of the addon that looks through a finished recording. */
export type RecordingScanner = Pick<
  NativeBinding,
  'scanRecording' | 'findMetOwners' | 'readKernelLines'
>;

/** The facts besides the plan that the header sections are made from. */
export type FeatureContext = {
  readonly opened: SamplerOpened;
  readonly rings: RingFacts;
  readonly clock: ClockName;
  /** The words of the program that is recorded; absent where something else is. */
  readonly command: readonly string[] | undefined;
  readonly notices: readonly string[];
  /** Adds to `notices`, and tells the user. */
  readonly notify: (notice: Text) => void;
  /** Settings as they stood before the recording. */
  readonly settings: KernelSettings;
  readonly readClockPair: NativeBinding['readClockPair'];
  /** Looks through what was written, and names what it met in the kernel. */
  readonly scanner: RecordingScanner;
  /** Whether the file keeps the symbols of the programs that it met. */
  readonly keepsPrograms: boolean;
  /** Counts alongside the samples, known at the end of a recording with `--stat`. */
  readonly countedBeside?: readonly ConcurrentCount[];
  /** When the events were enabled. */
  readonly sampled: SampledSpans;
  /** Default `here`; see `Provenance`. */
  readonly countsBegin?: CountStart;
};

type RecordingEnded = Extract<SamplerEvent, { kind: 'recording-ended' }>;

/** Nanoseconds; the clocks that perf takes count in these. */
const CLOCK_RESOLUTION_NS = 1;

/** Every header section of a finished recording; `kernelSymbols` of `collectKernelSymbols`. */
export function collectFeatures(
  plan: RecordingPlan,
  ended: RecordingEnded,
  context: FeatureContext,
  kernelSymbols: string | null,
): FeatureSection[] {
  const provenance = describeRecording(plan, ended, context, kernelSymbols);
  const sections = [...collectHostFeatures(plan, context), ...branchMark(plan)];
  return attachProvenance(sections, provenance);
}

/** The header's name of the program that recorded. */
export function recorderVersion(): string {
  return `perf-ts ${packageVersion()}`;
}

/**
 * The words of this process with `--` in front of the program's, by which readers know these. `perf-ts app.js` puts a Node in
 * front of them; a program that records by the library has no words about it.
 */
export function ownWords(
  words: readonly string[],
  command: readonly string[] | undefined,
): readonly string[] {
  if (command === undefined || words.includes('--')) return words;
  const givenBy = [command, command.slice(1)].find(
    (given) => given.length > 0 && words.slice(-given.length).join('\0') === given.join('\0'),
  );
  if (givenBy === undefined) return ['--', ...command];
  return [...words.slice(0, -givenBy.length), '--', ...givenBy];
}

/** The sections that are known before anything was recorded. */
export function collectHostFeatures(
  plan: RecordingPlan,
  context: FeatureContext,
): FeatureSection[] {
  const host = readHostInfo();
  const sources = readEventSources();
  const buildId = readKernelBuildId();
  const clockId = CLOCK_IDS[context.clock];
  const pair = context.readClockPair(clockId);
  const tracepoints = plan.events.map(({ spec }) => spec).filter((spec) => spec.tracepoint);
  const sections = [
    hostnameSection(host.hostname),
    versionSection(recorderVersion()),
    ...driverSections(host, sources),
    cpuCountsSection(host.availableCpus, host.onlineCpus),
    totalMemorySection(host.totalMemoryKib),
    commandLineSection(['perf-ts', ...ownWords(process.argv.slice(2), context.command)]),
    eventDescriptionSection([
      ...plan.events.map(({ attr, name }, index) => ({
        attrBytes: encodeAttr(attr),
        name,
        ids: context.opened.ids[index],
      })),
      { attrBytes: encodeAttr(plan.sideband), name: 'dummy:HG', ids: context.opened.sidebandIds },
    ]),
    clockResolutionSection(CLOCK_RESOLUTION_NS),
    clockDataSection({ clockId, wallClockNs: pair.wallNs, clockNs: pair.clockNs }),
  ];
  const vdsoBuildId = readVdsoBuildId();
  const buildIds = [
    ...(buildId === null ? [] : [kernelBuildId(buildId)]),
    ...(vdsoBuildId === null ? [] : [vdsoEntry(vdsoBuildId)]),
  ];
  if (buildIds.length > 0) sections.push(buildIdSection(buildIds));
  const groups = describeGroups(plan);
  if (groups.length > 0) sections.push(groupsSection(groups));
  sections.push(...branchSections(plan, sources), ...coreTypeSections(sources));
  if (tracepoints.length > 0) {
    const formats = readFormatTexts(tracepoints);
    sections.push(tracingDataSection({ ...formats, pageSize: readPageBytes() }));
  }
  return sections;
}

/** Sections that name the driver of an event, which decides the meaning of its periods: `period/driver-rules.ts`. */
function driverSections(
  host: ReturnType<typeof readHostInfo>,
  { pmus }: Pick<EventSources, 'pmus'>,
): FeatureSection[] {
  return [
    osReleaseSection(host.kernel),
    archSection(host.arch),
    cpuDescriptionSection(host.cpuDescription),
    ...(host.cpuId === null ? [] : [cpuIdSection(host.cpuId)]),
    ...(pmus.length === 0 ? [] : [pmuMappingsSection(pmus)]),
  ];
}

/** The sections by which samples are understood that are read while they come, without a file. */
export function collectLiveFeatures(
  plan: RecordingPlan,
  settings: KernelSettings,
): FeatureSection[] {
  const sections = [
    versionSection(recorderVersion()),
    ...driverSections(readHostInfo(), readEventSources()),
  ];
  return attachProvenance(sections, { ...planProvenance(plan, settings), notes: [], totals: {} });
}

/** How many branches a CPU records says its PMU; nothing where none are recorded. */
export function branchSections(
  { events }: Pick<RecordingPlan, 'events'>,
  sources: Pick<EventSources, 'pmus'>,
): FeatureSection[] {
  if (events.every(({ attr }) => attr.branchSampleType === 0n)) return [];
  const described = sources.pmus
    .filter((pmu) => isCorePmu(pmu) && pmu.caps.size > 0)
    .map(({ name, caps }) => ({
      pmu: name,
      capabilities: Array.from(caps, ([name, value]) => ({ name, value: value.trim() })),
    }));
  return pmuCapabilitiesSections(described);
}

/** Sections that list the CPUs of each kind; none where all are of one. */
export function coreTypeSections(sources: EventSources): FeatureSection[] {
  const pmus = hybridPmus(sources).map(({ name, cpus }) => ({ pmu: name, cpus: cpus ?? '' }));
  return pmus.length === 0 ? [] : [hybridTopologySection(pmus)];
}

/**
 * The section that only says: there are branch stacks (`-b`, `-j`). `perf report` then shows branches
 * in place of addresses. Those of callchains are not meant, and a pipe has no such section.
 */
export function branchMark({ events }: Pick<RecordingPlan, 'events'>): FeatureSection[] {
  const hasBranches = events.some(
    ({ attr }) => attr.branchSampleType !== 0n && !hasLbrCallchain(attr),
  );
  return hasBranches ? [{ feature: FEATURE.BRANCH_STACK, bytes: new Uint8Array(0) }] : [];
}

function kernelBuildId(buildId: string): Parameters<typeof buildIdSection>[0][number] {
  return { pid: -1, buildId, filename: '[kernel.kallsyms]', cpuMode: PERF_RECORD_MISC.KERNEL };
}

/** The kernel maps it without a build ID. */
function vdsoEntry(buildId: string): Parameters<typeof buildIdSection>[0][number] {
  return { pid: -1, buildId, filename: '[vdso]', cpuMode: PERF_RECORD_MISC.USER };
}

/** Groups in braces: name, index of the leader's attr, number of members. */
function describeGroups(plan: RecordingPlan): Parameters<typeof groupsSection>[0][number][] {
  return plan.events.flatMap(({ leader }, index) => {
    if (leader >= 0) return [];
    const members = plan.events.filter((event) => event.leader === index).length + 1;
    return members > 1 ? [{ name: '{anon_group}', leaderIndex: index, memberCount: members }] : [];
  });
}

function partsOnCores({ events }: RecordingPlan): Pick<Provenance, 'onSeveralCores'> {
  const onSeveralCores = events.flatMap(({ name, spec }) => (spec.corePmu === null ? [] : [name]));
  return onSeveralCores.length === 0 ? {} : { onSeveralCores };
}

function rulesOfPeriods({ events }: RecordingPlan): Pick<Provenance, 'periodRules'> {
  const keys = totalKeys(events.map(({ name }) => name));
  const probed = events.flatMap(({ probedRule }, index) =>
    probedRule === undefined ? [] : [[keys[index], probedRule] as const],
  );
  return probed.length === 0 ? {} : { periodRules: Object.fromEntries(probed) };
}

/** Facts of the plan itself; `settings` as they stood before the recording. */
function planProvenance(
  plan: RecordingPlan,
  settings: KernelSettings,
): Omit<Provenance, 'notes' | 'totals'> {
  return {
    version: 1,
    recorder: packageVersion(),
    kernel: {
      maxSampleRate: settings.maxSampleRateHz,
      maxSampleRateAfter: readKernelSettings().maxSampleRateHz,
      cpuTimeMaxPercent: settings.cpuTimeMaxPercent,
    },
    ...(plan.events.some(isMemoryEvent) && { pageBytes: readPageBytes() }),
    ...partsOnCores(plan),
    ...rulesOfPeriods(plan),
  };
}

/** Facts about a finished recording that are not in its records. */
export function describeRecording(
  plan: RecordingPlan,
  ended: RecordingEnded,
  { notices, rings, settings, countedBeside, countsBegin, sampled }: FeatureContext,
  kernelSymbols: string | null,
): Provenance {
  const keys = totalKeys(plan.events.map(({ name }) => name));
  return {
    ...planProvenance(plan, settings),
    notes: notices,
    rings,
    ...(countedBeside && {
      counts: Object.fromEntries(
        countedBeside.map(({ event, count, unit }) => [event, { count, unit }]),
      ),
    }),
    totals: Object.fromEntries(
      keys.flatMap((key, index) => {
        const final = ended.finals[index];
        return final === undefined ? [] : [[key, Number(final.value)]];
      }),
    ),
    countsBegin: countsBegin ?? 'here',
    sampled: sampled.get().map(({ fromNs, toNs }) => [`${fromNs}`, `${toNs}`]),
    ...(sampled.snapshots.length > 0 && {
      snapshots: sampled.snapshots.map(({ atNs, isWhole }) => [`${atNs}`, isWhole]),
    }),
    ...(kernelSymbols !== null && { kernelSymbols }),
  };
}
