import { PERF_TYPE } from '../base/event-type.ts';
import type { RecordedEvent } from '../formats/perf-data/event-list.ts';
import type { EventAttr } from '../kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../kernel/perf-event/constants.ts';
import type { RewriteOptions } from '../options/inject.ts';
import { completesStacks, copiesLeaf } from '../read/unwind/unwind-stacks.ts';

/** Change to one event's samples. */
export type EventChange = {
  /** The attr as the output has it. */
  readonly attr: EventAttr;
  /** `PERF_SAMPLE` bits of the fields that samples lose. */
  readonly removed: number;
  /** Whether its samples have to be taken apart at all. */
  readonly isDecoded: boolean;
};

const USER_COPIES = PERF_SAMPLE.REGS_USER | PERF_SAMPLE.STACK_USER;
// Registers hold kernel pointers, physical addresses tell where the kernel lies as well, and AUX
// data are an encoded stream of addresses.
const KERNEL_SECRETS = PERF_SAMPLE.REGS_INTR | PERF_SAMPLE.PHYS_ADDR | PERF_SAMPLE.AUX;
const FIELDS_WITH_ADDRESSES =
  PERF_SAMPLE.IP |
  PERF_SAMPLE.ADDR |
  PERF_SAMPLE.CALLCHAIN |
  PERF_SAMPLE.RAW |
  PERF_SAMPLE.BRANCH_STACK;

/** Bits are removed where they are set, so that the attr says what its samples have. */
export function changeEvent({ attr }: RecordedEvent, options: RewriteOptions): EventChange {
  const isUnwound = dropsStacks(options) && completesStacks(attr);
  const unwanted =
    (dropsStacks(options) ? USER_COPIES : 0) |
    (isUnwound && copiesLeaf(attr) ? PERF_SAMPLE.REGS_INTR : 0) |
    (options.stripKernel === true ? KERNEL_SECRETS : 0) |
    // What AUX samples refer to, the trace, is never in the output.
    PERF_SAMPLE.AUX;
  const removed = attr.sampleType & unwanted;
  const hidesConfig = options.stripKernel === true && attr.type >= PERF_TYPE.BREAKPOINT;
  const isDecoded =
    removed !== 0 ||
    (options.stripKernel === true && (attr.sampleType & FIELDS_WITH_ADDRESSES) !== 0) ||
    (options.anonymize === true && (attr.sampleType & PERF_SAMPLE.RAW) !== 0);
  return {
    removed,
    isDecoded,
    attr: {
      ...attr,
      sampleType: (attr.sampleType - removed) | (isUnwound ? PERF_SAMPLE.CALLCHAIN : 0),
      // The user part is in the callchain now.
      ...(isUnwound && { flags: { ...attr.flags, excludeCallchainUser: false } }),
      ...(removed & PERF_SAMPLE.REGS_USER && { sampleRegsUser: 0n }),
      ...(removed & PERF_SAMPLE.STACK_USER && { sampleStackUser: 0 }),
      ...(removed & PERF_SAMPLE.REGS_INTR && { sampleRegsIntr: 0n }),
      ...(removed & PERF_SAMPLE.AUX && { auxSampleSize: 0 }),
      // A breakpoint's or a kprobe's address.
      ...(hidesConfig && { config1: hidden(attr.config1), config2: hidden(attr.config2) }),
    },
  };
}

/** Stack dumps are removed, so the stacks are unwound first. */
export function dropsStacks({ dropStacks, anonymize }: RewriteOptions): boolean {
  return dropStacks === true || anonymize === true;
}

function hidden(config: bigint): bigint {
  return config >> 63n === 1n ? 0n : config;
}
