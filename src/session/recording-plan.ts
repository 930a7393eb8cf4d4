import { FailedError, UsageError } from '../base/errors.ts';
import type { EventSpec } from '../events/event-spec.ts';
import type { NativeBinding } from '../native/types.ts';
import { type EventAttr, encodeAttr, newAttr } from '../perf-event/attr.ts';
import { PERF_COUNT_SW, PERF_FORMAT, PERF_SAMPLE, PERF_TYPE } from '../perf-event/constants.ts';
import type { KernelFeatures } from './kernel-features.ts';
import type { KernelSettings } from './kernel-settings.ts';
import { explainRefusal } from './permission-help.ts';
import { CLOCK_IDS, DEFAULT_FREQUENCY_HZ, type RecordOptions } from './record-options.ts';

/** One event as it will be opened. */
export type PlannedEvent = {
  /** Shown and stored name: as written, with the modifiers that were added. */
  readonly name: string;
  readonly spec: EventSpec;
  readonly attr: EventAttr;
  /** Index of the group's leader among the planned events, −1 for a leader or a single event. */
  readonly leader: number;
};

export type RecordingPlan = {
  readonly events: readonly PlannedEvent[];
  /** The dummy event whose rings carry FORK, EXIT, COMM, MMAP2 … */
  readonly sideband: EventAttr;
  /** What was substituted, lowered or left out; told to the user and stored in the file. */
  readonly notices: readonly string[];
};

/** What the plan depends on beside the user's wishes. */
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
 */
export function planRecording(
  specs: readonly EventSpec[],
  options: RecordOptions,
  environment: PlanEnvironment,
): RecordingPlan {
  const notices: string[] = [];
  const rate = chooseRate(options, environment.settings, notices);
  const events: PlannedEvent[] = [];
  const leaderOfGroup = new Map<number, number>();
  for (const spec of specs) {
    const leader = spec.group < 0 ? -1 : (leaderOfGroup.get(spec.group) ?? -1);
    if (spec.group >= 0 && leader < 0) leaderOfGroup.set(spec.group, events.length);
    const member = leader >= 0 && spec.sampleGroup;
    const planned = openable(spec, options, rate, member, environment, notices);
    events.push({ ...planned, leader });
  }
  const userOnly = events.some((event) => event.attr.flags.excludeKernel);
  return { events, sideband: sidebandAttr(options, environment.features, userOnly), notices };
}

type Rate = { readonly frequencyHz: number } | { readonly period: number };

/** The rate asked for, lowered to what the kernel takes. */
function chooseRate(options: RecordOptions, settings: KernelSettings, notices: string[]): Rate {
  if (options.count !== undefined) {
    if (options.freq !== undefined) {
      throw new UsageError('-F and -c exclude each other: sample by frequency or by count');
    }
    if (!Number.isSafeInteger(options.count) || options.count < 1) {
      throw new UsageError(`-c ${options.count}: the count must be a whole number of at least 1`);
    }
    return { period: options.count };
  }
  const limit = settings.maxSampleRateHz ?? 100_000;
  const asked = options.freq === 'max' ? limit : (options.freq ?? DEFAULT_FREQUENCY_HZ);
  if (!Number.isSafeInteger(asked) || asked < 1) {
    throw new UsageError(`-F ${asked}: the frequency must be a whole number of Hz, at least 1`);
  }
  if (asked <= limit) return { frequencyHz: asked };
  const cause = `kernel.perf_event_max_sample_rate is ${limit} Hz`;
  const remedy = `sudo sysctl kernel.perf_event_max_sample_rate=${asked}`;
  if (options.strictFreq) throw new UsageError(`-F ${asked}: ${cause}`, [remedy]);
  notices.push(`frequency lowered from ${asked} to ${limit} Hz: ${cause} (${remedy})`);
  return { frequencyHz: limit };
}

/** Errors that say "this machine does not have that event". */
const ABSENT = new Set(['ENOENT', 'ENODEV', 'EOPNOTSUPP', 'EINVAL', 'ENXIO']);
const REFUSED = new Set(['EACCES', 'EPERM']);

function openable(
  spec: EventSpec,
  options: RecordOptions,
  rate: Rate,
  member: boolean,
  environment: PlanEnvironment,
  notices: string[],
): Omit<PlannedEvent, 'leader'> {
  let attr = sampleAttr(spec, options, rate, member, environment.features);
  let name = spec.name;
  let code = probe(attr, options, environment);
  if (code === 'EINVAL' && attr.sampleType & PERF_SAMPLE.READ && attr.flags.inherit) {
    const withoutCounts = {
      ...attr,
      sampleType: attr.sampleType & ~PERF_SAMPLE.READ,
    };
    if (probe(withoutCounts, options, environment) === '') {
      notices.push(
        `${name}: this kernel can't read counters of inherited events with each sample (Linux ` +
          `6.12 can); recording without --counts (or add --no-inherit)`,
      );
      attr = withoutCounts;
      code = '';
    }
  }
  if (REFUSED.has(code) && !attr.flags.excludeKernel) {
    const userOnly = { ...attr, flags: { ...attr.flags, excludeKernel: true, excludeHv: true } };
    const second = probe(userOnly, options, environment);
    if (second === '' || ABSENT.has(second)) {
      if (second === '') {
        name = withUserModifier(name);
        notices.push(
          `recording user space only (${name}): kernel.perf_event_paranoid is ` +
            `${environment.settings.paranoidLevel}; kernel code needs 1 or lower, or CAP_PERFMON`,
        );
      }
      attr = userOnly;
      code = second;
    }
  }
  if (ABSENT.has(code) && isCycles(spec)) {
    const substitute = clockInsteadOfCycles(spec);
    notices.push(
      `cycles: this machine has no hardware counters (${code}); recording ${substitute.name} ` +
        'instead, a timer at the same rate',
    );
    return openable(substitute, options, rate, member, environment, notices);
  }
  if (code !== '') throw cannotOpen(name, code, options, environment, attr);
  return { name, spec, attr };
}

function probe(attr: EventAttr, options: RecordOptions, environment: PlanEnvironment): string {
  const systemWide = options.systemWide === true;
  const pid = systemWide ? -1 : 0;
  const cpu = systemWide ? (environment.cpus[0] ?? 0) : -1;
  const asked = { ...attr, flags: { ...attr.flags, disabled: true, enableOnExec: false } };
  const result = environment.probe(encodeAttr(asked), pid, cpu);
  return result.errno === 0 ? '' : result.code;
}

/** The attr of a sampled event, before the kernel was asked. */
function sampleAttr(
  spec: EventSpec,
  options: RecordOptions,
  rate: Rate,
  member: boolean,
  features: KernelFeatures,
): EventAttr {
  const frequencyHz =
    spec.frequency ?? (spec.period === null && 'frequencyHz' in rate ? rate.frequencyHz : null);
  const period = spec.period ?? ('period' in rate ? rate.period : null);
  const readFormat =
    PERF_FORMAT.ID |
    PERF_FORMAT.TOTAL_TIME_ENABLED |
    PERF_FORMAT.TOTAL_TIME_RUNNING |
    (features.lost ? PERF_FORMAT.LOST : 0) |
    (spec.sampleGroup ? PERF_FORMAT.GROUP : 0);
  let sampleType =
    PERF_SAMPLE.IDENTIFIER |
    PERF_SAMPLE.IP |
    PERF_SAMPLE.TID |
    PERF_SAMPLE.TIME |
    PERF_SAMPLE.CPU |
    PERF_SAMPLE.STREAM_ID;
  if (options.callGraph === 'fp') sampleType |= PERF_SAMPLE.CALLCHAIN;
  if (options.counts || spec.sampleGroup) sampleType |= PERF_SAMPLE.READ;
  if (spec.isTracepoint !== null) sampleType |= PERF_SAMPLE.RAW;
  if (frequencyHz !== null || takesPeriodField(spec, period)) sampleType |= PERF_SAMPLE.PERIOD;
  return newAttr({
    type: spec.type,
    config: spec.config,
    config1: spec.config1,
    config2: spec.config2,
    config3: spec.config3,
    bpType: spec.bpType,
    samplePeriod: member ? 0 : (frequencyHz ?? period ?? 1),
    sampleType,
    readFormat,
    clockid: CLOCK_IDS[options.clock ?? 'monotonic'],
    flags: {
      freq: !member && frequencyHz !== null,
      inherit: options.inherit !== false && options.systemWide !== true,
      sampleIdAll: true,
      useClockid: features.clockid,
      excludeUser: spec.exclude.user,
      excludeKernel: spec.exclude.kernel,
      excludeHv: spec.exclude.hv,
      excludeIdle: spec.exclude.idle,
      excludeHost: spec.exclude.host,
      excludeGuest: spec.exclude.guest,
      preciseIp: spec.preciseIp,
      pinned: spec.pinned,
      exclusive: spec.exclusive,
    },
  });
}

/**
 * In period mode PERF_SAMPLE_PERIOD is asked only where it changes nothing. A software event or
 * tracepoint with a fixed period *and* that bit is sampled at every event (the kernel's
 * `perf_swevent_event` then overflows at once with the event's own count): 87 381 samples and the
 * rest lost instead of 204 for 204 800 page faults at a period of 1000. At a period of 1 every
 * event is sampled anyway, and the field tells how much it counted for.
 */
function takesPeriodField(spec: EventSpec, period: number | null): boolean {
  return period === 1 || !(spec.isSoftware || spec.isTracepoint !== null || spec.isClock);
}

/** The dummy event: it counts nothing, and its rings carry what must not be lost. */
function sidebandAttr(
  options: RecordOptions,
  features: KernelFeatures,
  userOnly: boolean,
): EventAttr {
  return newAttr({
    type: PERF_TYPE.SOFTWARE,
    config: BigInt(PERF_COUNT_SW.DUMMY),
    samplePeriod: 1,
    sampleType:
      PERF_SAMPLE.IDENTIFIER |
      PERF_SAMPLE.IP |
      PERF_SAMPLE.TID |
      PERF_SAMPLE.TIME |
      PERF_SAMPLE.CPU |
      PERF_SAMPLE.STREAM_ID,
    readFormat:
      PERF_FORMAT.ID |
      PERF_FORMAT.TOTAL_TIME_ENABLED |
      PERF_FORMAT.TOTAL_TIME_RUNNING |
      (features.lost ? PERF_FORMAT.LOST : 0),
    clockid: CLOCK_IDS[options.clock ?? 'monotonic'],
    flags: {
      inherit: options.inherit !== false && options.systemWide !== true,
      sampleIdAll: true,
      useClockid: features.clockid,
      excludeKernel: userOnly,
      excludeHv: userOnly,
      mmap: true,
      mmap2: true,
      buildId: features.buildId,
      comm: true,
      commExec: true,
      task: true,
      ksymbol: features.ksymbol,
      bpfEvent: features.bpfEvent,
    },
  });
}

function isCycles(spec: EventSpec): boolean {
  return spec.type === PERF_TYPE.HARDWARE && spec.config === 0n;
}

function clockInsteadOfCycles(spec: EventSpec): EventSpec {
  const modifiers = /(:[a-zA-Z]+)$/.exec(spec.name)?.[1]?.replace(/[pP]/g, '') ?? '';
  return {
    ...spec,
    name: `cpu-clock${modifiers === ':' ? '' : modifiers}`,
    type: PERF_TYPE.SOFTWARE,
    config: BigInt(PERF_COUNT_SW.CPU_CLOCK),
    preciseIp: 0,
    isSoftware: true,
    isClock: true,
    unit: 'nanoseconds',
  };
}

function withUserModifier(name: string): string {
  return /:[a-zA-Z]+$/.test(name) ? `${name}u` : `${name}:u`;
}

function cannotOpen(
  name: string,
  code: string,
  options: RecordOptions,
  environment: PlanEnvironment,
  attr: EventAttr,
): FailedError {
  if (REFUSED.has(code)) {
    const wants = {
      kernel: !attr.flags.excludeKernel,
      systemWide: options.systemWide === true,
      foreignProcess: false,
    };
    return new FailedError(
      `${name}: the kernel refuses to open this event (${code})`,
      explainRefusal(environment.settings, wants),
    );
  }
  const reasons: Record<string, string> = {
    ENOENT: 'this machine does not have it',
    ENODEV: 'this machine does not have it',
    EOPNOTSUPP: 'its PMU cannot sample, or not with these modifiers',
    EINVAL: 'the kernel finds its settings invalid',
    EMFILE: 'too many files are open (ulimit -n)',
    EBUSY: 'another user of the counters has them pinned',
    ENOSYS: 'this kernel has no perf events (or a seccomp filter hides them)',
  };
  return new FailedError(`${name}: cannot be opened: ${reasons[code] ?? ''} (${code})`, [
    'perf-ts list shows what opens here',
  ]);
}
