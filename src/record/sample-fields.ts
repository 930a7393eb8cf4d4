import { UsageError } from '../base/errors.ts';
import type { EventAttr } from '../kernel/perf-event/attr.ts';
import { PERF_SAMPLE, PERF_SAMPLE_BRANCH } from '../kernel/perf-event/constants.ts';
import {
  type RegisterArchitecture,
  registerArchitectureOf,
  registerName,
} from '../kernel/perf-event/register-names.ts';
import type { KernelFeatures } from '../system/kernel/kernel-features.ts';
import type { RecordOptions } from './record-options.ts';

/**
 * A sampled event's attr with what the options want of all events alike. Throws UsageError for a register or a kind of
 * branch that there is not.
 */
export function addSampleFields(
  attr: EventAttr,
  { fields = {}, cgroups, samples, overwrite, perThread }: RecordOptions,
  features: KernelFeatures,
  machine: string = process.arch === 'arm64' ? 'aarch64' : 'x86_64',
): EventAttr {
  const architecture = registerArchitectureOf(machine);
  let { sampleType } = attr;
  if (fields.dataAddresses) sampleType |= PERF_SAMPLE.ADDR | PERF_SAMPLE.DATA_SRC;
  if (fields.physicalAddresses) sampleType |= PERF_SAMPLE.PHYS_ADDR;
  if (fields.dataPageSizes) sampleType |= PERF_SAMPLE.DATA_PAGE_SIZE;
  if (fields.codePageSizes) sampleType |= PERF_SAMPLE.CODE_PAGE_SIZE;
  if (fields.raw) sampleType |= PERF_SAMPLE.RAW;
  if (fields.userRegs) sampleType |= PERF_SAMPLE.REGS_USER;
  if (fields.interruptRegs) sampleType |= PERF_SAMPLE.REGS_INTR;
  if (fields.branches) sampleType |= PERF_SAMPLE.BRANCH_STACK;
  if (fields.weights) {
    sampleType |= features.weightStruct ? PERF_SAMPLE.WEIGHT_STRUCT : PERF_SAMPLE.WEIGHT;
  }
  if (cgroups) sampleType |= PERF_SAMPLE.CGROUP;
  return {
    ...attr,
    ...(samples === false && { samplePeriod: 0 }),
    flags: {
      ...attr.flags,
      freq: attr.flags.freq && samples !== false,
      writeBackward: overwrite === true,
      // An event that follows its thread from CPU to CPU can't have a ring and heirs.
      inherit: attr.flags.inherit && !perThread,
    },
    sampleType,
    // Unwinding may have asked for some already.
    sampleRegsUser:
      attr.sampleRegsUser | registerMask(fields.userRegs, '--user-regs', architecture),
    sampleRegsIntr: registerMask(fields.interruptRegs, '--intr-regs', architecture),
    branchSampleType: fields.branches ? branchMask(fields.branches) : attr.branchSampleType,
  };
}

/** Numbers of the registers that each architecture dumps: general ones, with ip and flags. */
const GENERAL_REGISTERS: Partial<Record<RegisterArchitecture, readonly number[]>> = {
  // 12 to 15 are ds, es, fs and gs, which the kernel refuses on 64-bit machines.
  x86: [...range(0, 11), ...range(16, 23)],
  arm64: range(0, 32),
};

function registerMask(
  names: readonly string[] | undefined,
  option: string,
  architecture: RegisterArchitecture | null,
): bigint {
  if (names === undefined) return 0n;
  const numbers = (architecture === null ? undefined : GENERAL_REGISTERS[architecture]) ?? [];
  const known = new Map(
    numbers.map((number) => [registerName(architecture, number).toLowerCase(), number]),
  );
  const chosen = names.length === 0 ? numbers : names.map(numberOf);
  return chosen.reduce((mask, number) => mask | (1n << BigInt(number)), 0n);

  function numberOf(name: string): number {
    const number = known.get(name.toLowerCase());
    if (number !== undefined) return number;
    throw new UsageError(`${option}=${name}: no such register`, [
      `known: ${[...known.keys()].join(', ')}`,
    ]);
  }
}

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

/** Those of the bits that say whose branches; without any the event's own exclusions say it. */
const PRIVILEGES = PERF_SAMPLE_BRANCH.USER | PERF_SAMPLE_BRANCH.KERNEL | PERF_SAMPLE_BRANCH.HV;

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

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
