import { readAddress, readHigh32, readLow32 } from '../../base/u64.ts';

/** Bytes of `struct perf_branch_entry { u64 from, to; u64 flags; }`. */
export const BRANCH_ENTRY_BYTES = 24;

/** Values of `type`. 15 states that `new_type` has it. */
const TYPES = [
  ...['', 'COND', 'UNCOND', 'IND', 'CALL', 'IND_CALL', 'RET', 'SYSCALL', 'SYSRET'],
  ...['COND_CALL', 'COND_RET', 'ERET', 'IRQ', 'SERROR', 'NO_TX', ''],
];
const TYPE_EXTENDED = 15;

/** Values of `new_type`; the last five belong to the architecture. */
const NEW_TYPES = ['FAULT_ALGN', 'FAULT_DATA', 'FAULT_INST'];
const FIRST_OF_ARCHITECTURE = 3;
const ARM64_TYPES = [
  'ARM64_FIQ',
  'ARM64_DEBUG_HALT',
  'ARM64_DEBUG_EXIT',
  'ARM64_DEBUG_INST',
  'ARM64_DEBUG_DATA',
];

const SPECULATIONS = ['', 'SPEC_WRONG_PATH', 'NON_SPEC_CORRECT_PATH', 'SPEC_CORRECT_PATH'];
const PRIVILEGES = ['', 'user', 'kernel', 'hv'];

/** One taken branch. */
export type Branch = {
  /** Signed form. */
  readonly from: number;
  readonly to: number;
  /** Both false where the CPU does not report it. */
  readonly isMispredicted: boolean;
  readonly isPredicted: boolean;
  readonly isInTransaction: boolean;
  readonly isAbort: boolean;
  /** Since the branch before; 0 if not known. */
  readonly cycles: number;
  /** Empty if not known. */
  readonly type: string;
  readonly speculation: string;
  readonly privilege: string;
  /** Occurrences of the group's events since the branch before, 0 without branch counters. */
  readonly counters: bigint;
};

/** The place of a sample's branches, as `SampleView` has it. */
export type BranchPlace = {
  readonly branchOffset: number;
  readonly branchCount: number;
  readonly branchCountersOffset: number;
};

/**
 * Branch `index` of a sample, 0 being the newest.
 *
 *   u64 mispred:1 predicted:1 in_tx:1 abort:1 cycles:16 type:4 spec:2 new_type:4 priv:3
 *
 * The kernel declares these bits for one byte order only, so that a big-endian one lays them out
 * from the high end.
 */
function readBranch(
  view: DataView,
  place: BranchPlace,
  index: number,
  littleEndian: boolean,
  isArm64 = false,
): Branch {
  const at = place.branchOffset + BRANCH_ENTRY_BYTES * index;
  const high = readHigh32(view, at + 16, littleEndian);
  const low = readLow32(view, at + 16, littleEndian);
  const field = littleEndian
    ? (first: number, bits: number) => bitsFrom(low, high, first, bits)
    : (first: number, bits: number) => bitsFrom(low, high, 64 - first - bits, bits);
  const countersAt = place.branchCountersOffset;
  return {
    from: readAddress(view, at, littleEndian),
    to: readAddress(view, at + 8, littleEndian),
    isMispredicted: field(0, 1) !== 0,
    isPredicted: field(1, 1) !== 0,
    isInTransaction: field(2, 1) !== 0,
    isAbort: field(3, 1) !== 0,
    cycles: field(4, 16),
    type: typeName(field(20, 4), field(26, 4), isArm64),
    speculation: SPECULATIONS[field(24, 2)],
    privilege: PRIVILEGES[field(30, 3)] ?? '',
    counters: countersAt < 0 ? 0n : view.getBigUint64(countersAt + 8 * index, littleEndian),
  };
}

/** All branches of a sample, newest first. */
export function readBranches(
  view: DataView,
  place: BranchPlace,
  littleEndian: boolean,
  isArm64 = false,
): Branch[] {
  const branches: Branch[] = [];
  for (let i = 0; i < place.branchCount; i++) {
    branches.push(readBranch(view, place, i, littleEndian, isArm64));
  }
  return branches;
}

/** The flags as `perf script -F brstack` writes them behind the addresses: `/P/-/-/4/CALL/-`. */
export function formatBranchFlags(branch: Branch): string {
  const missed = branch.isMispredicted ? 'M' : '-';
  return [
    '',
    branch.isPredicted ? 'P' : missed,
    branch.isInTransaction ? 'X' : '-',
    branch.isAbort ? 'A' : '-',
    branch.cycles,
    branch.type,
    branch.speculation || '-',
  ].join('/');
}

function typeName(type: number, newType: number, isArm64: boolean): string {
  if (type !== TYPE_EXTENDED) return TYPES[type];
  const own = newType - FIRST_OF_ARCHITECTURE;
  if (isArm64 && ARM64_TYPES[own] !== undefined) return ARM64_TYPES[own];
  return NEW_TYPES[newType] ?? `ARCH_${own + 1}`;
}

/** `count` bits (at most 32) from bit `first` of the 64 in two halves. */
function bitsFrom(low: number, high: number, first: number, count: number): number {
  const mask = 2 ** count - 1;
  if (first >= 32) return (high >>> (first - 32)) & mask;
  const fromLow = low >>> first;
  const fromHigh = first + count > 32 ? high << (32 - first) : 0;
  return (fromLow | fromHigh) & mask;
}
