import { readU64 } from '../../base/u64.ts';
import { PERF_SAMPLE, PERF_SAMPLE_BRANCH } from './constants.ts';

/** The bits of `perf_event_attr`, named as in the kernel. */
export type AttrFlags = {
  disabled: boolean;
  inherit: boolean;
  pinned: boolean;
  exclusive: boolean;
  excludeUser: boolean;
  excludeKernel: boolean;
  excludeHv: boolean;
  excludeIdle: boolean;
  mmap: boolean;
  comm: boolean;
  freq: boolean;
  inheritStat: boolean;
  enableOnExec: boolean;
  task: boolean;
  watermark: boolean;
  /** 0: any skid … 3: none. */
  preciseIp: number;
  mmapData: boolean;
  sampleIdAll: boolean;
  excludeHost: boolean;
  excludeGuest: boolean;
  excludeCallchainKernel: boolean;
  excludeCallchainUser: boolean;
  mmap2: boolean;
  commExec: boolean;
  useClockid: boolean;
  contextSwitch: boolean;
  writeBackward: boolean;
  namespaces: boolean;
  ksymbol: boolean;
  bpfEvent: boolean;
  auxOutput: boolean;
  cgroup: boolean;
  textPoke: boolean;
  buildId: boolean;
  inheritThread: boolean;
  removeOnExec: boolean;
  sigtrap: boolean;
  deferCallchain: boolean;
  deferOutput: boolean;
};

/** The configuration of one event: `struct perf_event_attr`. */
export type EventAttr = {
  /** `PERF_TYPE`, or the number of one of the machine's PMUs. */
  readonly type: number;
  /** Bytes of the struct as found; `encodeAttr` chooses its own. */
  readonly size: number;
  readonly config: bigint;
  /** Extension of config; breakpoint address. */
  readonly config1: bigint;
  /** Extension of config1; breakpoint length. */
  readonly config2: bigint;
  readonly config3: bigint;
  readonly config4: bigint;
  /** Events per sample; Hz where `flags.freq`. */
  readonly samplePeriod: number;
  /** `PERF_SAMPLE` bits. */
  readonly sampleType: number;
  /** `PERF_FORMAT` bits. */
  readonly readFormat: number;
  readonly flags: Readonly<AttrFlags>;
  /** Samples before a wake-up; bytes where `flags.watermark`. */
  readonly wakeup: number;
  /** `HW_BREAKPOINT` bits. */
  readonly bpType: number;
  /** `PERF_SAMPLE_BRANCH` bits. */
  readonly branchSampleType: bigint;
  /** One bit per register to dump; asm/perf_regs.h has the numbers of each architecture. */
  readonly sampleRegsUser: bigint;
  readonly sampleRegsIntr: bigint;
  /** Bytes of user stack to dump. */
  readonly sampleStackUser: number;
  /** `CLOCK_…` of record times where `flags.useClockid`. */
  readonly clockid: number;
  readonly auxWatermark: number;
  /** Most callchain entries; 0: the sysctl's. */
  readonly sampleMaxStack: number;
  readonly auxSampleSize: number;
  /** `aux_start_paused`, `aux_pause`, `aux_resume`, as the u32 that holds their bits. */
  readonly auxAction: number;
  readonly sigData: bigint;
};

/** The argument of `newAttr`: any field, any flag; the rest is zero. */
export type AttrFields = Partial<Omit<EventAttr, 'flags'>> & {
  readonly flags?: Readonly<Partial<AttrFlags>>;
};

/**
 * Order of the one-bit flags in the word at offset 40. `precise_ip` takes the two bits 15 and 16,
 * between `watermark` and `mmap_data`.
 */
const FLAG_ORDER = [
  'disabled',
  'inherit',
  'pinned',
  'exclusive',
  'excludeUser',
  'excludeKernel',
  'excludeHv',
  'excludeIdle',
  'mmap',
  'comm',
  'freq',
  'inheritStat',
  'enableOnExec',
  'task',
  'watermark',
  null,
  null,
  'mmapData',
  'sampleIdAll',
  'excludeHost',
  'excludeGuest',
  'excludeCallchainKernel',
  'excludeCallchainUser',
  'mmap2',
  'commExec',
  'useClockid',
  'contextSwitch',
  'writeBackward',
  'namespaces',
  'ksymbol',
  'bpfEvent',
  'auxOutput',
  'cgroup',
  'textPoke',
  'buildId',
  'inheritThread',
  'removeOnExec',
  'sigtrap',
  'deferCallchain',
  'deferOutput',
] as const satisfies readonly (keyof AttrFlags | null)[];

const PRECISE_IP_BIT = 15;
const FLAGS_OFFSET = 40;

/** Published sizes of the struct, PERF_ATTR_SIZE_VER0 … VER9. */
export const ATTR_SIZES = [64, 72, 80, 96, 104, 112, 120, 128, 136, 144] as const;
export const ATTR_SIZE_VER0 = 64;
const LARGEST_KNOWN_SIZE = 144;

/** An attr with the given fields, everything else zero or false. */
export function newAttr(fields: AttrFields = {}): EventAttr {
  return {
    type: 0,
    size: 0,
    config: 0n,
    config1: 0n,
    config2: 0n,
    config3: 0n,
    config4: 0n,
    samplePeriod: 0,
    sampleType: 0,
    readFormat: 0,
    wakeup: 0,
    bpType: 0,
    branchSampleType: 0n,
    sampleRegsUser: 0n,
    sampleRegsIntr: 0n,
    sampleStackUser: 0,
    clockid: 0,
    auxWatermark: 0,
    sampleMaxStack: 0,
    auxSampleSize: 0,
    auxAction: 0,
    sigData: 0n,
    ...fields,
    flags: { ...noFlags(), ...fields.flags },
  };
}

function noFlags(): AttrFlags {
  const flags = { preciseIp: 0 } as AttrFlags;
  for (const name of FLAG_ORDER) if (name !== null) flags[name] = false;
  return flags;
}

/**
 * Reads an attr from the `available` bytes at `offset`. Fields beyond the attr's own size, beyond
 * `available`, or beyond what is known here are zero or ignored: older and newer structs differ
 * only in their length. At least the 64 bytes of VER0 must be available.
 *
 *   offset  struct perf_event_attr {
 *        0    u32 type;
 *        4    u32 size;
 *        8    u64 config;
 *       16    u64 sample_period;         // or sample_freq
 *       24    u64 sample_type;
 *       32    u64 read_format;
 *       40    u64 flags;                 // bit fields
 *       48    u32 wakeup_events;         // or wakeup_watermark
 *       52    u32 bp_type;
 *       56    u64 config1;               // VER0: 64 bytes
 *       64    u64 config2;               // VER1: 72
 *       72    u64 branch_sample_type;    // VER2: 80
 *       80    u64 sample_regs_user;
 *       88    u32 sample_stack_user;
 *       92    s32 clockid;               // VER3: 96
 *       96    u64 sample_regs_intr;      // VER4: 104
 *      104    u32 aux_watermark;
 *      108    u16 sample_max_stack;
 *      110    u16 __reserved_2;          // VER5: 112
 *      112    u32 aux_sample_size;
 *      116    u32 aux_action;            // VER6: 120
 *      120    u64 sig_data;              // VER7: 128
 *      128    u64 config3;               // VER8: 136
 *      136    u64 config4;               // VER9: 144
 *           };
 */
export function parseAttr(view: DataView, available: number, littleEndian: boolean): EventAttr {
  if (available < ATTR_SIZE_VER0 || available > view.byteLength) {
    throw new RangeError(
      `an attr needs ${ATTR_SIZE_VER0} bytes: ${available} of ${view.byteLength} given`,
    );
  }
  const size = view.getUint32(4, littleEndian);
  // The kernel takes size 0 as VER0, and there is nothing smaller.
  const end = Math.min(available, Math.max(size, ATTR_SIZE_VER0));
  const u16 = (at: number) => (at + 2 <= end ? view.getUint16(at, littleEndian) : 0);
  const u32 = (at: number) => (at + 4 <= end ? view.getUint32(at, littleEndian) : 0);
  const s32 = (at: number) => (at + 4 <= end ? view.getInt32(at, littleEndian) : 0);
  const u64 = (at: number) => (at + 8 <= end ? view.getBigUint64(at, littleEndian) : 0n);
  const number = (at: number) => (at + 8 <= end ? readU64(view, at, littleEndian) : 0);
  return {
    type: u32(0),
    size,
    config: u64(8),
    samplePeriod: number(16),
    sampleType: number(24),
    readFormat: number(32),
    flags: parseFlags(view, littleEndian),
    wakeup: u32(48),
    bpType: u32(52),
    config1: u64(56),
    config2: u64(64),
    branchSampleType: u64(72),
    sampleRegsUser: u64(80),
    sampleStackUser: u32(88),
    clockid: s32(92),
    sampleRegsIntr: u64(96),
    auxWatermark: u32(104),
    sampleMaxStack: u16(108),
    auxSampleSize: u32(112),
    auxAction: u32(116),
    sigData: u64(120),
    config3: u64(128),
    config4: u64(136),
  };
}

/** The bytes of the smallest version of the struct that holds all that is set. */
export function encodeAttr(
  attr: EventAttr,
  littleEndian = true,
  minimumSize: number = ATTR_SIZE_VER0,
): Uint8Array {
  const bytes = new Uint8Array(LARGEST_KNOWN_SIZE);
  const view = new DataView(bytes.buffer);
  const u64 = (at: number, value: bigint) => view.setBigUint64(at, value, littleEndian);
  const u32 = (at: number, value: number) => view.setUint32(at, value, littleEndian);
  u32(0, attr.type);
  u64(8, attr.config);
  u64(16, BigInt(attr.samplePeriod));
  u64(24, BigInt(attr.sampleType));
  u64(32, BigInt(attr.readFormat));
  writeFlags(view, attr.flags, littleEndian);
  u32(48, attr.wakeup);
  u32(52, attr.bpType);
  u64(56, attr.config1);
  u64(64, attr.config2);
  u64(72, attr.branchSampleType);
  u64(80, attr.sampleRegsUser);
  u32(88, attr.sampleStackUser);
  view.setInt32(92, attr.clockid, littleEndian);
  u64(96, attr.sampleRegsIntr);
  u32(104, attr.auxWatermark);
  view.setUint16(108, attr.sampleMaxStack, littleEndian);
  u32(112, attr.auxSampleSize);
  u32(116, attr.auxAction);
  u64(120, attr.sigData);
  u64(128, attr.config3);
  u64(136, attr.config4);
  const used = Math.max(minimumSize, 1 + bytes.findLastIndex((byte) => byte !== 0));
  const size = ATTR_SIZES.find((published) => published >= used) ?? LARGEST_KNOWN_SIZE;
  u32(4, size);
  return bytes.slice(0, size);
}

// C allocates bit fields from the least significant bit on little-endian machines and from the
// most significant one on big-endian machines: there `disabled` is bit 63. Seen as two u32 words
// in memory order, flag n is in word n / 32 either way, at bit n % 32 or 31 − n % 32.

function parseFlags(view: DataView, littleEndian: boolean): AttrFlags {
  const words = [FLAGS_OFFSET, FLAGS_OFFSET + 4].map((at) => view.getUint32(at, littleEndian));
  const bit = (n: number) => {
    const word = words[n >> 5];
    return (word >>> (littleEndian ? n & 31 : 31 - (n & 31))) & 1;
  };
  const flags = noFlags();
  for (let n = 0; n < FLAG_ORDER.length; n++) {
    const name = FLAG_ORDER[n] ?? null;
    if (name !== null) flags[name] = bit(n) === 1;
  }
  const [lowBit, highBit] = preciseIpBits(littleEndian);
  flags.preciseIp = bit(lowBit) + 2 * bit(highBit);
  return flags;
}

function writeFlags(view: DataView, flags: Readonly<AttrFlags>, littleEndian: boolean): void {
  const words = new Uint32Array(2);
  const set = (n: number) => {
    const mask = 1 << (littleEndian ? n & 31 : 31 - (n & 31));
    words[n >> 5] = words[n >> 5] | mask;
  };
  for (let n = 0; n < FLAG_ORDER.length; n++) {
    const name = FLAG_ORDER[n] ?? null;
    if (name !== null && flags[name]) set(n);
  }
  const [lowBit, highBit] = preciseIpBits(littleEndian);
  if (flags.preciseIp & 1) set(lowBit);
  if (flags.preciseIp & 2) set(highBit);
  view.setUint32(FLAGS_OFFSET, words[0], littleEndian);
  view.setUint32(FLAGS_OFFSET + 4, words[1], littleEndian);
}

/** A field of two bits: its more significant one comes first where the first bit is the top one. */
function preciseIpBits(littleEndian: boolean): readonly [low: number, high: number] {
  return littleEndian ? [PRECISE_IP_BIT, PRECISE_IP_BIT + 1] : [PRECISE_IP_BIT + 1, PRECISE_IP_BIT];
}

/**
 * Whether the branch stacks of the event are call stacks: with `PERF_SAMPLE_BRANCH_CALL_STACK` a CPU's
 * last branch records (LBR) hold the calls that have not returned, newest first. perf records so with
 * `--call-graph lbr`.
 */
export function hasLbrCallchain({ sampleType, branchSampleType }: EventAttr): boolean {
  const needed = PERF_SAMPLE.CALLCHAIN | PERF_SAMPLE.BRANCH_STACK;
  const isCallStack = (branchSampleType & BigInt(PERF_SAMPLE_BRANCH.CALL_STACK)) !== 0n;
  return isCallStack && (sampleType & needed) === needed;
}
