import { PERF_TYPE } from '../../base/event-type.ts';
import { isCorePmu, type PmuDescription } from '../../kernel/events/event-sources.ts';
import { isClock } from '../../kernel/events/generic-events.ts';
import { type EventAttr, encodeAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import type { NativeBinding } from '../../native/types.ts';
import { isCountedInSoftware } from '../../period/controller.ts';
import { ruleOfProbe } from '../../period/probed-rule.ts';
import type { ProbedRule } from '../../profile/types.ts';
import { debugLog } from '../../system/debug-log.ts';
import type { KernelSettings } from '../../system/kernel/kernel-settings.ts';
import type { PlannedEvent } from './sample-groups.ts';

/** A start gives some four pairs of unequal periods; eight of them decide (`period-rule.ts`). */
const STARTS = 4;
const SAMPLES_A_START = 16;
const MOST_HZ = 20_000;
/** Sixteen samples at the rate above take less than one. */
const MOST_CPU_NS_A_START = 5e6;
/** Most CPU time of a probe, milliseconds. */
export const MOST_PROBE_MS = (STARTS * MOST_CPU_NS_A_START) / 1e6;

const debug = debugLog('record');

type ProbeEnvironment = {
  readonly binding: NativeBinding;
  readonly settings: Pick<KernelSettings, 'maxSampleRateHz'>;
  /** Asked only for an event of a PMU's own type: they are read from many files. */
  readonly pmus: () => readonly PmuDescription[];
};

/**
 * Whether the rule of an event is measured before it is recorded: it is counted in hardware, by a driver
 * whose order of steps only its release's sources tell, and its period adapts.
 */
export function isProbed({ attr }: Pick<PlannedEvent, 'attr'>): boolean {
  const isAdapted = attr.flags.freq && attr.samplePeriod > 0 && !isClock(attr.type, attr.config);
  return isAdapted && !isCountedInSoftware(attr.type);
}

/**
 * The events with the rule that this machine has for each. The rule is a property of the kernel, of the
 * driver, and of whether samples are precise: each such kind is measured once in a process. An event that
 * seldom happens is not asked itself: cycles of its PMU, which always pass, are.
 */
export function probeRules(
  events: readonly PlannedEvent[],
  environment: ProbeEnvironment,
): PlannedEvent[] {
  return events.map((event) => {
    if (!isProbed(event)) return event;
    const probedRule = findRule(event.attr, environment);
    return probedRule === null ? event : { ...event, probedRule };
  });
}

function findRule(attr: EventAttr, environment: ProbeEnvironment): ProbedRule | null {
  const cycles = cyclesBeside(attr, environment.pmus);
  return (cycles && measure(cycles, attr, environment)) ?? measure(attr, attr, environment);
}

type AskedEvent = Pick<EventAttr, 'type' | 'config' | 'config1' | 'config2' | 'config3'>;

/** Upper half of a hardware event's config: the PMU that is meant, on machines with several. */
const PMU_BITS = 32n;

/** Cycles on the PMU of an event; null where it is none of the cores, and for a probe of the kernel's code. */
function cyclesBeside(
  { type, config }: EventAttr,
  pmus: () => readonly PmuDescription[],
): AskedEvent | null {
  const cycles = { type: PERF_TYPE.HARDWARE, config1: 0n, config2: 0n, config3: 0n };
  if (type === PERF_TYPE.RAW) return { ...cycles, config: 0n };
  if (type === PERF_TYPE.HARDWARE || type === PERF_TYPE.HW_CACHE) {
    return { ...cycles, config: (config >> PMU_BITS) << PMU_BITS };
  }
  const pmu = pmus().find((each) => each.type === type);
  return pmu !== undefined && isCorePmu(pmu)
    ? { ...cycles, config: BigInt(type) << PMU_BITS }
    : null;
}

/** Attr bytes -> what was measured of it. */
const measured = new WeakMap<NativeBinding, Map<string, ProbedRule | null>>();

/** Null where it does not open on this thread, does not happen there, or does not tell. */
function measure(
  { type, config, config1, config2, config3 }: AskedEvent,
  { flags }: EventAttr,
  { binding, settings }: ProbeEnvironment,
): ProbedRule | null {
  const { excludeUser, excludeKernel, excludeHv, excludeIdle, excludeHost, excludeGuest } = flags;
  const attr = encodeAttr(
    newAttr({
      ...{ type, config, config1, config2, config3 },
      samplePeriod: Math.min(MOST_HZ, Math.ceil((settings.maxSampleRateHz ?? MOST_HZ) / 2)),
      sampleType: PERF_SAMPLE.TIME | PERF_SAMPLE.PERIOD | PERF_SAMPLE.READ,
      flags: {
        ...{ excludeUser, excludeKernel, excludeHv, excludeIdle, excludeHost, excludeGuest },
        freq: true,
        preciseIp: flags.preciseIp,
      },
    }),
  );
  const known = measured.get(binding) ?? new Map<string, ProbedRule | null>();
  measured.set(binding, known);
  const key = Buffer.from(attr).toString('latin1');
  let rule = known.get(key);
  if (rule === undefined) {
    rule = sampleOwnWork(attr, binding);
    known.set(key, rule);
    const reported = rule === null ? 'does not tell' : `${rule.rule}, ${rule.votes} votes`;
    debug?.(`probe of type ${type}, config 0x${config.toString(16)}: ${reported}`);
  }
  return rule;
}

function sampleOwnWork(attr: Uint8Array, binding: NativeBinding): ProbedRule | null {
  try {
    const starts = binding.probePeriods(attr, STARTS, SAMPLES_A_START, MOST_CPU_NS_A_START, false);
    return ruleOfProbe(starts);
  } catch {
    // The opening of the event itself reports why it is refused.
    return null;
  }
}
