// The fields of a sample that profiles do not need, decoded on demand: `decodeSample` notes where
// they lie, these functions state what is there. Cold: for printing and for exports.

import { formatAddress } from '../../base/u64.ts';
import type { EventAttr } from './attr.ts';
import { type Branch, formatBranchFlags, readBranches } from './branch-stack.ts';
import { PERF_FORMAT, PERF_SAMPLE } from './constants.ts';
import { type DataSource, decodeDataSource, formatDataSource } from './data-source.ts';
import { readCookie } from './deferred-callchain.ts';
import type { RegisterArchitecture } from './register-names.ts';
import { formatRegisters, type Register, readRegisters, registerAbiName } from './registers.ts';
import type { SampleView } from './sample.ts';

/** A decoded sample and what is needed to read the rest of it. One object serves all samples. */
export type SampleContext = {
  sample: SampleView;
  /** Attr of the sample's event. */
  attr: EventAttr;
  littleEndian: boolean;
  /** Architecture of the machine that recorded; null: registers have numbers for names. */
  architecture: RegisterArchitecture | null;
};

/** One counter that was read with a sample. */
export type ReadCounter = {
  readonly value: number;
  /** Present, like `lost`, where `read_format` has it. Decimal, as every event id in JSON. */
  readonly id?: string;
  readonly lost?: number;
};

/** Registers by name, the values as `0x…`. */
export type DescribedRegisters = {
  readonly abi: string;
  readonly values: Readonly<Record<string, string>>;
};

export type DescribedBranch = Omit<Branch, 'from' | 'to' | 'counters'> & {
  readonly from: string;
  readonly to: string;
  /** Only with branch counters. */
  readonly counters?: string;
};

/**
 * The fields of a sample beyond its head and its callchain, for JSON: addresses and other values of 64
 * bits as `0x…`. Fields that the event did not record are absent.
 */
export type SampleFields = {
  readonly addr?: string;
  readonly read?: {
    readonly timeEnabled?: number;
    readonly timeRunning?: number;
    /** Leader first. */
    readonly counters: readonly ReadCounter[];
  };
  /** The user part of the callchain comes with the record that has this cookie. */
  readonly deferredCookie?: string;
  readonly rawSize?: number;
  readonly branchHwIndex?: number;
  readonly branches?: readonly DescribedBranch[];
  readonly userRegisters?: DescribedRegisters;
  readonly interruptRegisters?: DescribedRegisters;
  /** Bytes of user stack that the kernel copied, of so many reserved. */
  readonly userStack?: { readonly size: number; readonly dynamicSize: number };
  readonly weight?: number;
  /**
   * Parts two and three of a weight in three parts: on x86 the latency of the instruction and of
   * its retirement.
   */
  readonly weight2?: number;
  readonly weight3?: number;
  readonly dataSource?: DataSource & { readonly value: string };
  readonly transaction?: { readonly flags: number; readonly abortCode: number };
  readonly physAddr?: string;
  /** Inode number of the cgroup; CGROUP records have its path. */
  readonly cgroup?: number;
  /** Bytes; 0 where no page was mapped. */
  readonly dataPageSize?: number;
  readonly codePageSize?: number;
  readonly auxSize?: number;
};

/** The fields that the sample's event has; cold: a value is made for each. */
export function describeSampleFields(context: SampleContext): SampleFields {
  const { sample, attr, littleEndian } = context;
  const has = (bit: number) => (attr.sampleType & bit) !== 0;
  return {
    ...(has(PERF_SAMPLE.ADDR) && { addr: formatAddress(sample.addr) }),
    ...(has(PERF_SAMPLE.READ) && { read: describeRead(context) }),
    ...(sample.deferredCookieOffset >= 0 && {
      deferredCookie: readCookie(sample.view, sample.deferredCookieOffset, littleEndian),
    }),
    ...(has(PERF_SAMPLE.RAW) && { rawSize: sample.rawLength }),
    ...(has(PERF_SAMPLE.BRANCH_STACK) && describeBranches(context)),
    ...(has(PERF_SAMPLE.REGS_USER) && {
      userRegisters: describeRegisters(sample.userRegsAbi, userRegisters(context)),
    }),
    ...(has(PERF_SAMPLE.REGS_INTR) && {
      interruptRegisters: describeRegisters(sample.interruptRegsAbi, interruptRegisters(context)),
    }),
    ...(has(PERF_SAMPLE.STACK_USER) && {
      userStack: { size: sample.stackSize, dynamicSize: sample.stackDynamicSize },
    }),
    ...(has(PERF_SAMPLE.WEIGHT) && { weight: sample.weight }),
    ...(has(PERF_SAMPLE.WEIGHT_STRUCT) && {
      weight: sample.weight,
      weight2: sample.weight2,
      weight3: sample.weight3,
    }),
    ...(has(PERF_SAMPLE.DATA_SRC) && {
      dataSource: {
        value: formatAddress(sample.dataSrc),
        ...decodeDataSource(BigInt(sample.dataSrc)),
      },
    }),
    ...(has(PERF_SAMPLE.TRANSACTION) && {
      transaction: { flags: sample.transactionFlags, abortCode: sample.transactionAbortCode },
    }),
    ...(has(PERF_SAMPLE.PHYS_ADDR) && { physAddr: formatAddress(sample.physAddr) }),
    ...(has(PERF_SAMPLE.CGROUP) && { cgroup: sample.cgroup }),
    ...(has(PERF_SAMPLE.DATA_PAGE_SIZE) && { dataPageSize: sample.dataPageSize }),
    ...(has(PERF_SAMPLE.CODE_PAGE_SIZE) && { codePageSize: sample.codePageSize }),
    ...(has(PERF_SAMPLE.AUX) && { auxSize: sample.auxSize }),
  };
}

/** The registers of user space; none in a sample of a kernel thread. */
export function userRegisters(context: SampleContext): Register[] {
  const { sample, attr, architecture, littleEndian } = context;
  const dump = {
    abi: sample.userRegsAbi,
    offset: sample.userRegsOffset,
    count: sample.userRegsCount,
  };
  return readRegisters(sample.view, dump, attr.sampleRegsUser, architecture, littleEndian);
}

/** The registers when the event happened, kernel or user. */
export function interruptRegisters(context: SampleContext): Register[] {
  const { sample, attr, architecture, littleEndian } = context;
  const dump = {
    abi: sample.interruptRegsAbi,
    offset: sample.interruptRegsOffset,
    count: sample.interruptRegsCount,
  };
  return readRegisters(sample.view, dump, attr.sampleRegsIntr, architecture, littleEndian);
}

/** Newest first. */
export function branches(context: SampleContext): Branch[] {
  const { sample, littleEndian, architecture } = context;
  return readBranches(sample.view, sample, littleEndian, architecture === 'arm64');
}

/**
 * Fields as `perf script -F` writes them, by the name that perf gives them, without the spaces that
 * separate them. A field that the event did not record must not be asked for.
 */
export const SCRIPT_FIELDS = {
  addr: ({ sample }: SampleContext) => formatAddress(sample.addr).slice(2).padStart(16),
  uregs: (context: SampleContext) =>
    formatRegisters(context.sample.userRegsAbi, userRegisters(context)),
  iregs: (context: SampleContext) =>
    formatRegisters(context.sample.interruptRegsAbi, interruptRegisters(context)),
  brstack: (context: SampleContext) => branches(context).map(formatBranch).join(' '),
  weight: ({ sample }: SampleContext) => String(sample.weight).padStart(16),
  ins_lat: ({ sample }: SampleContext) => String(sample.weight2).padStart(16),
  retire_lat: ({ sample }: SampleContext) => String(sample.weight3).padStart(16),
  data_src: ({ sample }: SampleContext) =>
    `${sample.dataSrc.toString(16).padStart(16)} ${formatDataSource(BigInt(sample.dataSrc))}`,
  phys_addr: ({ sample }: SampleContext) => sample.physAddr.toString(16).padStart(16),
  data_page_size: ({ sample }: SampleContext) => formatPageSize(sample.dataPageSize),
  code_page_size: ({ sample }: SampleContext) => formatPageSize(sample.codePageSize),
  /** perf has no such field of `script`; the words are those of its sort key. */
  transaction: ({ sample }: SampleContext) =>
    formatTransaction(sample.transactionFlags, sample.transactionAbortCode),
} as const satisfies Readonly<Record<string, (context: SampleContext) => string>>;

/** Which bits of `sample_type` the fields need: one of them. */
export const SCRIPT_FIELD_BITS: Readonly<Record<keyof typeof SCRIPT_FIELDS, number>> = {
  addr: PERF_SAMPLE.ADDR,
  uregs: PERF_SAMPLE.REGS_USER,
  iregs: PERF_SAMPLE.REGS_INTR,
  brstack: PERF_SAMPLE.BRANCH_STACK,
  weight: PERF_SAMPLE.WEIGHT | PERF_SAMPLE.WEIGHT_STRUCT,
  ins_lat: PERF_SAMPLE.WEIGHT_STRUCT,
  retire_lat: PERF_SAMPLE.WEIGHT_STRUCT,
  data_src: PERF_SAMPLE.DATA_SRC,
  phys_addr: PERF_SAMPLE.PHYS_ADDR,
  data_page_size: PERF_SAMPLE.DATA_PAGE_SIZE,
  code_page_size: PERF_SAMPLE.CODE_PAGE_SIZE,
  transaction: PERF_SAMPLE.TRANSACTION,
};

function formatBranch(branch: Branch): string {
  return `${formatAddress(branch.from)}/${formatAddress(branch.to)}${formatBranchFlags(branch)}`;
}

function describeRead({ sample, attr }: SampleContext): NonNullable<SampleFields['read']> {
  const { readFormat } = attr;
  const counters: ReadCounter[] = [];
  for (let i = 0; i < sample.readCount; i++) {
    counters.push({
      value: sample.readValues[i],
      ...(readFormat & PERF_FORMAT.ID && { id: String(sample.readIds[i]) }),
      ...(readFormat & PERF_FORMAT.LOST && { lost: sample.readLost[i] }),
    });
  }
  return {
    ...(readFormat & PERF_FORMAT.TOTAL_TIME_ENABLED && { timeEnabled: sample.timeEnabled }),
    ...(readFormat & PERF_FORMAT.TOTAL_TIME_RUNNING && { timeRunning: sample.timeRunning }),
    counters,
  };
}

function describeBranches(
  context: SampleContext,
): Pick<SampleFields, 'branches' | 'branchHwIndex'> {
  const { branchHwIndex, branchCountersOffset } = context.sample;
  return {
    ...(branchHwIndex >= 0 && { branchHwIndex }),
    branches: branches(context).map(({ from, to, counters, ...flags }) => ({
      from: formatAddress(from),
      to: formatAddress(to),
      ...flags,
      ...(branchCountersOffset >= 0 && { counters: `0x${counters.toString(16)}` }),
    })),
  };
}

/** The halves of a vector register have one name: they come as `XMM0` and `XMM0.high`. */
function describeRegisters(abi: number, registers: readonly Register[]): DescribedRegisters {
  const values: Record<string, string> = {};
  for (const { name, value } of registers) {
    values[name in values ? `${name}.high` : name] = `0x${value.toString(16)}`;
  }
  return { abi: registerAbiName(abi), values };
}

/** `PERF_TXN_*`, in the order of the bits, in perf's words. */
const FLAGS = ['EL', 'TX', 'SYNC', 'ASYNC', 'RETRY', 'CON', 'CAP-WRITE', 'CAP-READ'];
const SYNC_OR_ASYNC = (1 << 2) | (1 << 3);

/**
 * Why a hardware transaction ended: the flags, `NEITHER` where the aborting instruction is not known
 * to be the sampled one or another, and the program's own abort code in hex.
 */
export function formatTransaction(flags: number, abortCode: number): string {
  const words = FLAGS.filter((_, bit) => flags & (1 << bit));
  if (flags !== 0 && (flags & SYNC_OR_ASYNC) === 0) words.push('NEITHER');
  if (abortCode !== 0) words.push(`:${abortCode.toString(16)}`);
  return words.join(' ');
}

const UNITS = ['B', 'K', 'M', 'G'];

/**
 * A page size as perf writes it: `4K`, `2M`; `N/A` for 0, which the kernel reports where no page is
 * mapped. perf leaves a unit only above 1, so that a page of 1 GiB is `1024M`.
 */
export function formatPageSize(bytes: number): string {
  if (bytes === 0) return 'N/A';
  let size = bytes;
  let unit = 0;
  while (Math.floor(size / 1024) > 1 && unit < UNITS.length - 1) {
    size = Math.floor(size / 1024);
    unit++;
  }
  return `${size}${UNITS[unit]}`;
}
