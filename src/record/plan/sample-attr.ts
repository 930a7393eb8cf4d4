// The perf_event_attr of a sampled event: every field, and what decides it.
//
//   type, config, bp_type …       the event's text
//   sample_period, freq           -c, -F and the event's terms (choose-rate.ts); 0 without samples
//   sample_type                   the fields of every trailer (common-attr.ts), stacks, --counts, and
//                                 what the options name
//   read_format                   common-attr.ts
//   clockid, use_clockid          --clock (common-attr.ts)
//   branch_sample_type            -b, -j, else --call-graph lbr
//   sample_stack_user             --call-graph dwarf and auto (call-graph.ts)
//   sample_regs_user              the same, and --user-regs (dumped-registers.ts)
//   sample_regs_intr              --intr-regs; --call-graph fp with a copy (dumped-registers.ts)
//   sample_max_stack              the event's term max-stack
//   inherit, inherit_stat         the target, --no-inherit, --per-thread, -s
//   exclude_*, precise_ip,
//   pinned, exclusive             the event's modifiers
//   write_backward                --overwrite
//   disabled, enable_on_exec      the addon, by the target
//
// Two later steps need the kernel's answers: open-fallbacks.ts takes from an attr what this kernel
// refuses, and sample-groups.ts makes the members of a group read with their leader.

import { UsageError } from '../../base/errors.ts';
import { PERF_TYPE } from '../../base/event-type.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { type EventAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE, PERF_SAMPLE_BRANCH } from '../../kernel/perf-event/constants.ts';
import { FIELDS, type RecordSettings } from '../../options/record.ts';
import type { KernelFeatures } from '../../system/kernel/kernel-features.ts';
import { eventFields, exclusionFlags } from '../../system/kernel/spec-attr.ts';
import { chooseStackFields, type StackFields } from './call-graph.ts';
import type { SamplingRate } from './choose-rate.ts';
import { COMMON_SAMPLE_TYPE, clockIdOf, commonReadFormat } from './common-attr.ts';
import { generalRegisterMask, leafRegisterMask, namedRegisterMask } from './dumped-registers.ts';

/** The attr of a sampled event by itself. Throws UsageError for an unknown register, branch or stack. */
export function sampleAttr(
  spec: EventSpec,
  rate: SamplingRate,
  options: RecordSettings,
  features: KernelFeatures,
): EventAttr {
  const stack = chooseStackFields(spec, options.callGraph);
  const usesLbr = stack.branchRecords && whyNotLbr(spec, options) === null;
  const isSampled = options.samples !== false;
  const isFrequency = rate.kind === 'frequency';
  return newAttr({
    ...eventFields(spec),
    samplePeriod: isSampled ? (isFrequency ? rate.hz : rate.events) : 0,
    sampleType:
      COMMON_SAMPLE_TYPE |
      stackSampleType(stack, usesLbr) |
      optionalSampleType(options, features) |
      (readsCounter(spec, options, features) ? PERF_SAMPLE.READ : 0) |
      (spec.tracepoint === null ? 0 : PERF_SAMPLE.RAW) |
      (takesPeriodField(spec, rate) ? PERF_SAMPLE.PERIOD : 0),
    readFormat: commonReadFormat(features),
    clockid: clockIdOf(options),
    branchSampleType: branchSampleType(options, usesLbr),
    sampleStackUser: stack.stackBytes,
    ...registerMasks(stack, options),
    sampleMaxStack: stack.callchain === 'none' ? 0 : (spec.maxStack ?? 0),
    flags: {
      freq: isSampled && isFrequency,
      inherit: inherits(spec, options),
      inheritStat: writesExitCounts(spec, options, features),
      sampleIdAll: true,
      useClockid: true,
      ...exclusionFlags(spec.exclude),
      excludeCallchainUser: stack.callchain === 'kernel',
      preciseIp: spec.preciseIp,
      pinned: spec.pinned,
      exclusive: spec.exclusive,
      writeBackward: options.overwrite === true,
    },
  });
}

function stackSampleType(
  { callchain, stackBytes, isLeafCopy }: StackFields,
  usesLbr: boolean,
): number {
  const registers = isLeafCopy ? PERF_SAMPLE.REGS_INTR : PERF_SAMPLE.REGS_USER;
  return (
    (callchain === 'none' ? 0 : PERF_SAMPLE.CALLCHAIN) |
    (stackBytes === 0 ? 0 : registers | PERF_SAMPLE.STACK_USER) |
    (usesLbr ? PERF_SAMPLE.BRANCH_STACK : 0)
  );
}

/** The fields that the options name, for all events alike. */
function optionalSampleType(
  { fields = {}, cgroups }: RecordSettings,
  features: KernelFeatures,
): number {
  const weight = features.weightStruct ? PERF_SAMPLE.WEIGHT_STRUCT : PERF_SAMPLE.WEIGHT;
  return (
    (fields.dataAddresses ? PERF_SAMPLE.ADDR | PERF_SAMPLE.DATA_SRC : 0) |
    (fields.physicalAddresses ? PERF_SAMPLE.PHYS_ADDR : 0) |
    (fields.dataPageSizes ? PERF_SAMPLE.DATA_PAGE_SIZE : 0) |
    (fields.codePageSizes ? PERF_SAMPLE.CODE_PAGE_SIZE : 0) |
    (fields.raw ? PERF_SAMPLE.RAW : 0) |
    (fields.userRegs ? PERF_SAMPLE.REGS_USER : 0) |
    (fields.interruptRegs ? PERF_SAMPLE.REGS_INTR : 0) |
    (fields.branches ? PERF_SAMPLE.BRANCH_STACK : 0) |
    (fields.weights ? weight : 0) |
    (cgroups ? PERF_SAMPLE.CGROUP : 0)
  );
}

function branchSampleType({ fields = {} }: RecordSettings, usesLbr: boolean): bigint {
  if (fields.branches) return branchMask(fields.branches);
  return usesLbr ? LBR_CALLS : 0n;
}

function registerMasks(
  { stackBytes, isLeafCopy }: StackFields,
  { fields = {} }: RecordSettings,
): Pick<EventAttr, 'sampleRegsUser' | 'sampleRegsIntr'> {
  const { userRegs, interruptRegs } = fields;
  const forUnwinding = stackBytes > 0 && !isLeafCopy ? generalRegisterMask() : 0n;
  const forLeaves = stackBytes > 0 && isLeafCopy ? leafRegisterMask() : 0n;
  const named = userRegs ? namedRegisterMask(userRegs, FIELDS.userRegs) : 0n;
  const interrupted = interruptRegs ? namedRegisterMask(interruptRegs, FIELDS.interruptRegs) : 0n;
  return {
    sampleRegsUser: forUnwinding | named,
    sampleRegsIntr: forLeaves | interrupted,
  };
}

/**
 * The reason why an event with `lbr` has its callchain by frame pointers only; null where
 * it does not have to. As in perf.
 */
export function whyNotLbr(spec: EventSpec, { callGraph, fields }: RecordSettings): string | null {
  if (!chooseStackFields(spec, callGraph).branchRecords) return null;
  if (spec.exclude.user) return 'branch records have the calls of user code only';
  if (fields?.branches) return 'the branch records are taken by -b or -j';
  return null;
}

/** Whether the event follows the threads and children that its target starts. */
function inherits(spec: EventSpec, options: RecordSettings): boolean {
  // On a whole CPU there is nobody to follow: all are in already.
  if (options.systemWide) return false;
  // The kernel maps no ring of an inherited event that follows its thread from CPU to CPU.
  if (options.perThread) return false;
  return spec.inherit ?? options.inherit !== false;
}

/** Whether `--counts` can be had: older kernels read no inherited counters with a sample. */
export function readsCounter(
  spec: EventSpec,
  options: RecordSettings,
  features: KernelFeatures,
): boolean {
  return options.counts === true && (features.inheritedRead || !inherits(spec, options));
}

/**
 * Whether the kernel is to write a READ record when a thread or child exits (`inherit_stat`). Without
 * reading the counter in samples that would also swap the counts of two tasks at context switches. That a kernel takes the flag does not mean that it writes
 * the record: 6.18 does; some older ones are said to take the task for dead too early.
 */
function writesExitCounts(
  spec: EventSpec,
  options: RecordSettings,
  features: KernelFeatures,
): boolean {
  if (!options.exitCounts || !features.inheritedRead) return false;
  return inherits(spec, options) && (options.counts === true || spec.sampleGroup);
}

/** Events that a CPU's counter counts; all others overflow in the kernel's software. */
const COUNTER_TYPES: readonly number[] = [PERF_TYPE.HARDWARE, PERF_TYPE.HW_CACHE, PERF_TYPE.RAW];

/**
 * PERF_SAMPLE_PERIOD is asked in period mode only where it changes nothing. A software event,
 * tracepoint or breakpoint with a fixed period *and* that bit is sampled at every event (the
 * kernel's `perf_swevent_event` then overflows at once with the event's own count): 87 381 samples
 * and the rest lost instead of 204 for 204 800 page faults at a period of 1000. At a period of 1
 * every event is sampled anyway, and the field tells how much it counted for.
 */
function takesPeriodField(spec: EventSpec, rate: SamplingRate): boolean {
  if (rate.kind === 'frequency' || rate.events === 1) return true;
  return COUNTER_TYPES.includes(spec.type);
}

/** The branches of `--call-graph lbr`: calls that have not returned, of user code. */
const LBR_CALLS = BigInt(
  PERF_SAMPLE_BRANCH.USER |
    PERF_SAMPLE_BRANCH.CALL_STACK |
    PERF_SAMPLE_BRANCH.NO_FLAGS |
    PERF_SAMPLE_BRANCH.NO_CYCLES |
    PERF_SAMPLE_BRANCH.HW_INDEX,
);

/** perf's names of the bits. */
const BRANCHES: Readonly<Record<string, number>> = {
  u: PERF_SAMPLE_BRANCH.USER,
  k: PERF_SAMPLE_BRANCH.KERNEL,
  hv: PERF_SAMPLE_BRANCH.HV,
  any: PERF_SAMPLE_BRANCH.ANY,
  any_call: PERF_SAMPLE_BRANCH.ANY_CALL,
  any_ret: PERF_SAMPLE_BRANCH.ANY_RETURN,
  ind_call: PERF_SAMPLE_BRANCH.IND_CALL,
  abort_tx: PERF_SAMPLE_BRANCH.ABORT_TX,
  in_tx: PERF_SAMPLE_BRANCH.IN_TX,
  no_tx: PERF_SAMPLE_BRANCH.NO_TX,
  cond: PERF_SAMPLE_BRANCH.COND,
  stack: PERF_SAMPLE_BRANCH.CALL_STACK,
  ind_jmp: PERF_SAMPLE_BRANCH.IND_JUMP,
  call: PERF_SAMPLE_BRANCH.CALL,
  no_flags: PERF_SAMPLE_BRANCH.NO_FLAGS,
  no_cycles: PERF_SAMPLE_BRANCH.NO_CYCLES,
  save_type: PERF_SAMPLE_BRANCH.TYPE_SAVE,
  hw_index: PERF_SAMPLE_BRANCH.HW_INDEX,
  priv: PERF_SAMPLE_BRANCH.PRIV_SAVE,
};

/** The bits that select a privilege level; without any the event's own exclusions decide it. */
const PRIVILEGES = PERF_SAMPLE_BRANCH.USER | PERF_SAMPLE_BRANCH.KERNEL | PERF_SAMPLE_BRANCH.HV;

/** The bits of the branches that `-b` or `-j` names. Throws UsageError. */
function branchMask(names: readonly string[]): bigint {
  let mask = 0;
  for (const name of names) {
    const bit = BRANCHES[name];
    if (bit === undefined) {
      throw new UsageError(`-j ${name}: no such kind of branch`, [
        `known: ${Object.keys(BRANCHES).join(', ')}`,
      ]);
    }
    mask |= bit;
  }
  if ((mask & ~PRIVILEGES) === 0) mask |= PERF_SAMPLE_BRANCH.ANY;
  return BigInt(mask);
}
