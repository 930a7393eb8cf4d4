import { UsageError } from '../base/errors.ts';
import { PERF_TYPE } from '../base/event-type.ts';
import type { EventSpec } from '../kernel/events/event-spec.ts';
import { type EventAttr, newAttr } from '../kernel/perf-event/attr.ts';
import { PERF_SAMPLE, PERF_SAMPLE_BRANCH } from '../kernel/perf-event/constants.ts';
import type { KernelFeatures } from '../system/kernel/kernel-features.ts';
import { eventFields, exclusionFlags } from '../system/kernel/spec-attr.ts';
import {
  checkCallGraph,
  DEFAULT_STACK_BYTES,
  dropsCopies,
  type StackFields,
  stackFieldsOf,
  userRegisterMask,
} from './call-graph.ts';
import type { SamplingRate } from './choose-rate.ts';
import { COMMON_SAMPLE_TYPE, clockFields, commonReadFormat } from './common-attr.ts';
import type { RecordOptions } from './record-options.ts';

/**
 * The attr of a sampled event by itself, before the kernel was asked and before groups are put
 * together.
 */
export function sampleAttr(
  spec: EventSpec,
  rate: SamplingRate,
  options: RecordOptions,
  features: KernelFeatures,
): EventAttr {
  const { callchain, stackBytes, branchRecords } = stackFields(spec, options);
  const isLbr = branchRecords && whyNotLbr(spec, options) === null;
  let sampleType = COMMON_SAMPLE_TYPE;
  if (callchain !== 'none') sampleType |= PERF_SAMPLE.CALLCHAIN;
  if (stackBytes > 0) sampleType |= PERF_SAMPLE.REGS_USER | PERF_SAMPLE.STACK_USER;
  if (isLbr) sampleType |= PERF_SAMPLE.BRANCH_STACK;
  if (readsCounter(spec, options, features)) sampleType |= PERF_SAMPLE.READ;
  if (spec.tracepoint !== null) sampleType |= PERF_SAMPLE.RAW;
  if (takesPeriodField(spec, rate)) sampleType |= PERF_SAMPLE.PERIOD;
  const { clockid, useClockid } = clockFields(options, features);
  return newAttr({
    ...eventFields(spec),
    samplePeriod: rate.kind === 'frequency' ? rate.hz : rate.events,
    sampleType,
    readFormat: commonReadFormat(features),
    clockid,
    branchSampleType: isLbr ? LBR_CALLS : 0n,
    sampleRegsUser: stackBytes > 0 ? userRegisterMask() : 0n,
    sampleStackUser: stackBytes,
    sampleMaxStack: callchain === 'none' ? 0 : (spec.maxStack ?? 0),
    flags: {
      freq: rate.kind === 'frequency',
      inherit: inherits(spec, options),
      inheritStat: writesExitCounts(spec, options, features),
      sampleIdAll: true,
      useClockid,
      ...exclusionFlags(spec.exclude),
      excludeCallchainUser: callchain === 'kernel',
      preciseIp: spec.preciseIp,
      pinned: spec.pinned,
      exclusive: spec.exclusive,
    },
  });
}

/** What `--call-graph lbr` asks of the branch records: calls that have not returned, of user code. */
const LBR_CALLS = BigInt(
  PERF_SAMPLE_BRANCH.USER |
    PERF_SAMPLE_BRANCH.CALL_STACK |
    PERF_SAMPLE_BRANCH.NO_FLAGS |
    PERF_SAMPLE_BRANCH.NO_CYCLES |
    PERF_SAMPLE_BRANCH.HW_INDEX,
);

/**
 * Why an event for which `lbr` is asked has its callchain by frame pointers only, in words; null where
 * it does not have to. As in perf.
 */
export function whyNotLbr(spec: EventSpec, options: RecordOptions): string | null {
  if (!stackFields(spec, options).branchRecords) return null;
  if (spec.exclude.user) return 'branch records have the calls of user code only';
  if (options.fields?.branches) return 'the branch records are taken by -b or -j';
  return null;
}

/** Whether the event follows the threads and children that its target starts. */
export function inherits(spec: EventSpec, options: RecordOptions): boolean {
  // On a whole CPU there is nobody to follow: all are in already.
  if (options.systemWide) return false;
  return spec.inherit ?? options.inherit !== false;
}

/** Whether `--counts` can be had: older kernels read no inherited counters with a sample. */
export function readsCounter(
  spec: EventSpec,
  options: RecordOptions,
  features: KernelFeatures,
): boolean {
  return options.counts === true && (features.inheritedRead || !inherits(spec, options));
}

/**
 * Whether the kernel is to write a READ record when a thread or child exits (`inherit_stat`). Without
 * reading the counter in samples that would also swap the counts of two tasks at context switches.
 */
function writesExitCounts(
  spec: EventSpec,
  options: RecordOptions,
  features: KernelFeatures,
): boolean {
  if (!options.exitCounts || !features.inheritStat || !features.inheritedRead) return false;
  return inherits(spec, options) && (options.counts === true || spec.sampleGroup);
}

/**
 * What the event's own terms, or else the options, want of stacks. As in perf, a `max-stack` term
 * alone asks for callchains too, and `stack-size` says how much `call-graph=dwarf` copies.
 */
export function stackFields(spec: EventSpec, options: RecordOptions): StackFields {
  const { callGraph, stackSizeBytes } = spec;
  const asked = options.callGraph ?? 'none';
  const where =
    callGraph === null ? `--call-graph ${asked}` : `${spec.text}: call-graph=${callGraph}`;
  let chosen = checkCallGraph(callGraph ?? asked, where);
  if (chosen === 'none' && callGraph === null && spec.maxStack !== null) chosen = 'fp';
  const fields = stackFieldsOf(chosen);
  if (stackSizeBytes === null) return fields;
  if (fields.stackBytes === 0) {
    throw new UsageError(`${spec.text}: stack-size belongs to call-graph=dwarf`, [
      `as in call-graph=dwarf,stack-size=${DEFAULT_STACK_BYTES}`,
    ]);
  }
  const way = dropsCopies(chosen) ? 'auto' : 'dwarf';
  return stackFieldsOf(checkCallGraph(`${way},${stackSizeBytes}`, `${spec.text}: stack-size`));
}

/** Events that a CPU's counter counts; all others overflow in the kernel's software. */
const COUNTER_TYPES: readonly number[] = [PERF_TYPE.HARDWARE, PERF_TYPE.HW_CACHE, PERF_TYPE.RAW];

/**
 * In period mode PERF_SAMPLE_PERIOD is asked only where it changes nothing. A software event,
 * tracepoint or breakpoint with a fixed period *and* that bit is sampled at every event (the
 * kernel's `perf_swevent_event` then overflows at once with the event's own count): 87 381 samples
 * and the rest lost instead of 204 for 204 800 page faults at a period of 1000. At a period of 1
 * every event is sampled anyway, and the field tells how much it counted for.
 */
function takesPeriodField(spec: EventSpec, rate: SamplingRate): boolean {
  if (rate.kind === 'frequency' || rate.events === 1) return true;
  return COUNTER_TYPES.includes(spec.type);
}
