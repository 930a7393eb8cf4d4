import { PERF_COUNT_HW, PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';
import { detail } from '../../base/words.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { type EventAttr, hasLbrCallchain, newAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE_BRANCH } from '../../kernel/perf-event/constants.ts';
import { debugLog } from '../../system/debug-log.ts';
import {
  hasUserSpacePart,
  nameInUserSpace,
  withModifiers,
} from '../../system/kernel/event-name.ts';
import { isAbsent, isRefused, type Refusal } from '../../system/kernel/open-refusal.ts';
import type { Notices } from './notices.ts';
import type { OpenableEvent } from './sample-groups.ts';
import type { Probe } from './shared-probe.ts';

const debug = debugLog('record');

/** The facts that the search for an attr that opens needs. */
export type OpeningContext = {
  /** The attr of a spec as the user asked for it. */
  readonly attrOf: (spec: EventSpec) => EventAttr;
  /** Asks the kernel whether an attr opens, on a CPU and task of the recording's target. */
  readonly probe: Probe;
  readonly notices: Notices;
  /** Nobody has asked for these events: they are what is usual, and the recording names those in their place. */
  readonly isUsual: boolean;
};

/** An attr and what the kernel said to it. */
type Attempt = { readonly attr: EventAttr; readonly code: string };

/**
 * The event as the kernel opens it: as asked for, or with less. In this order:
 *
 *   EINVAL           call stacks of branch records without the setting that came later
 *   no such skid     `P` is a wish: one `p` less, down to none
 *   EACCES, EPERM    user space only
 *   no PMU           cpu-clock instead of cycles
 */
export function findOpenable(spec: EventSpec, context: OpeningContext): OpenableEvent | Refusal {
  const { notices } = context;
  const asked = attemptAll(spec, context.attrOf(spec), context);
  let found = asked;
  let name = spec.name;
  if (isRefused(asked.code) && hasUserSpacePart(spec)) {
    const { flags } = asked.attr;
    const userOnly = { ...asked.attr, flags: { ...flags, excludeKernel: true, excludeHv: true } };
    const second = attemptAll(spec, userOnly, context);
    // A fault of the event itself is more worth reporting than the permission; where both are refused, what the lesser needs.
    found = second;
    name = nameInUserSpace(spec);
  }
  // A clock has no branch records, so that it could not stand in.
  const wantsBranches = found.attr.branchSampleType !== 0n;
  if (
    isAbsent(found.code) &&
    !wantsBranches &&
    isCycles(spec) &&
    !countsCycles(found.attr, context)
  ) {
    const substitute = clockInsteadOfCycles(spec);
    const opened = findOpenable(substitute, context);
    if ('code' in opened) return opened;
    const notice =
      `cycles: this machine has no hardware counters (${found.code}); recording ${opened.name} ` +
      `instead, ${describeTimer(opened.attr)}`;
    notices.add(context.isUsual ? detail(notice) : notice);
    return opened;
  }
  if (found.code !== '') return { spec, code: found.code, attr: found.attr };
  return { name, spec, attr: found.attr };
}

/** Tries an attr, with `P` at all lower precisions too. */
function attemptAll(spec: EventSpec, attr: EventAttr, context: OpeningContext): Attempt {
  const first = attempt(attr, context);
  if (!spec.preciseIsMax) return first;
  let best = first;
  while (isAbsent(best.code) && best.attr.flags.preciseIp > 0) {
    const flags = { ...best.attr.flags, preciseIp: best.attr.flags.preciseIp - 1 };
    best = attempt({ ...best.attr, flags }, context);
  }
  return isAbsent(best.code) ? first : best;
}

/**
 * A setting of `--call-graph lbr` that an older kernel may not know: what it adds
 * is not read anyway. HW_INDEX came with Linux 5.7.
 */
const HW_INDEX = BigInt(PERF_SAMPLE_BRANCH.HW_INDEX);

/** Tries an attr, and that of a call stack of branch records without the setting that the kernel may not know. */
function attempt(attr: EventAttr, context: OpeningContext): Attempt {
  const first = attemptOnce(attr, context);
  if (first.code !== 'EINVAL' || !hasLbrCallchain(attr)) return first;
  const without = { ...attr, branchSampleType: attr.branchSampleType & ~HW_INDEX };
  const second = attemptOnce(without, context);
  return second.code === 'EINVAL' ? first : second;
}

function attemptOnce(attr: EventAttr, { probe }: OpeningContext): Attempt {
  const { code } = probe(attr);
  debug?.(`perf_event_open ${describeAttempt(attr)}: ${code || 'opens'}`);
  return { attr, code };
}

/** The fields of an attr that decide whether it opens, by their names in the kernel. */
function describeAttempt({ type, config, samplePeriod, flags }: EventAttr): string {
  const excluded = Object.entries(flags).filter(([key, value]) => /^exclude/.test(key) && value);
  return [
    `type ${type} config 0x${config.toString(16)}`,
    `${flags.freq ? 'sample_freq' : 'sample_period'} ${samplePeriod}`,
    `precise_ip ${flags.preciseIp}`,
    ...excluded.map(([key]) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  ].join(' ');
}

/** Looks at one kind of core, too: the type of its PMU is the upper half of config. */
function isCycles({ type, config }: EventSpec): boolean {
  return (
    type === PERF_TYPE.HARDWARE && BigInt.asUintN(32, config) === BigInt(PERF_COUNT_HW.CPU_CYCLES)
  );
}

/** Whether the machine counts cycles at all, if not with what the modifiers ask for. */
function countsCycles(attr: EventAttr, { probe }: OpeningContext): boolean {
  const { excludeKernel, excludeHv } = attr.flags;
  const plain = newAttr({
    type: attr.type,
    config: attr.config,
    flags: { excludeKernel, excludeHv, excludeGuest: true },
  });
  return probe(plain).code === '';
}

function clockInsteadOfCycles(spec: EventSpec): EventSpec {
  const modifiers = spec.modifiers.replace(/[pP]/g, '');
  const name = 'cpu-clock';
  return {
    ...spec,
    name: withModifiers({ ...spec, name, modifiers: '' }, modifiers),
    modifiers,
    type: PERF_TYPE.SOFTWARE,
    config: BigInt(PERF_COUNT_SW.CPU_CLOCK),
    preciseIp: 0,
    preciseIsMax: false,
    // A group stays on its kind of core, as its other events do.
    ...(spec.group < 0 && spec.corePmu !== null && { cpus: null, corePmu: null }),
    isSoftware: true,
    isClock: true,
    unit: 'nanoseconds',
  };
}

function describeTimer({ flags, samplePeriod }: EventAttr): string {
  if (samplePeriod === 0) return 'the time on a CPU, which is counted and not sampled';
  return flags.freq
    ? 'a timer at the same rate'
    : `a timer: one sample every ${samplePeriod} ns, not cycles`;
}
