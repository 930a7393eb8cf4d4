// AMD's instruction-based sampling: the registers that PERF_SAMPLE_RAW carries for the PMUs ibs_fetch
// and ibs_op, behind a u32 of capabilities. AMD64 Architecture Programmer's Manual volume 2, 13.3;
// bit fields in arch/x86/include/asm/amd-ibs.h. Only on x86, so always little-endian.

/** The facts that decide how the registers are read; from the recording's CPUID and PMU_CAPS sections. */
export type IbsMachine = {
  readonly family: number;
  readonly model: number;
  /** PMU capability `zen4_ibs_extensions`: registers tell of level 3 and of more data sources. */
  readonly hasZen4Extensions: boolean;
  /** PMU capability `ldlat`: samples can be filtered by load latency. */
  readonly hasLoadLatency: boolean;
};

/** Which of the two PMUs a raw dump comes from, by the PMU's name; null for others. */
export function ibsKindOf(pmuName: string): 'op' | 'fetch' | null {
  if (pmuName.startsWith('ibs_op')) return 'op';
  return pmuName.startsWith('ibs_fetch') ? 'fetch' : null;
}

/**
 * The family and model of an AMD machine from what the CPUID section states:
 * `AuthenticAMD,25,97,2`. Null for other CPUs.
 */
export function amdFamilyAndModel(cpuid: string): { family: number; model: number } | null {
  const match = /^(?:AuthenticAMD|HygonGenuine),(\d+),(\d+)/.exec(cpuid);
  return match ? { family: Number(match[1]), model: Number(match[2]) } : null;
}

/** The capabilities word stands in front of the registers. */
const REGISTERS_AT = 4;
const OP_REGISTERS = 7;
const FETCH_REGISTERS = 4;

/**
 * The dump in lines, name and value separated by a tab, as `perf report -D` writes it. Null if it is
 * too short, or if the CPU did not mark it valid.
 *
 *   struct perf_ibs_data { u32 caps; u64 regs[]; };
 */
export function describeIbs(
  view: DataView,
  offset: number,
  length: number,
  kind: 'op' | 'fetch',
  machine: IbsMachine,
): string[] | null {
  const count = kind === 'op' ? OP_REGISTERS : FETCH_REGISTERS;
  if (length < REGISTERS_AT + 8 * count) return null;
  const read = (index: number) => {
    const at = REGISTERS_AT + 8 * index;
    return at + 8 <= length ? view.getBigUint64(offset + at, true) : 0n;
  };
  return kind === 'op' ? describeOp(read, machine) : describeFetch(read, machine);
}

/** Registers: op_ctl, rip, op_data, op_data2, op_data3, dc_linear, dc_physical, branch target. */
function describeOp(read: (index: number) => bigint, machine: IbsMachine): string[] | null {
  const control = new Bits(read(0));
  if (!control.has(17) || !control.has(18)) return null;
  const data = new Bits(read(2));
  const data3 = new Bits(read(4));
  // Erratum 1293: with DcMissNoMabAlloc or SwPf these CPUs fill in op_data2 and L2Miss wrongly.
  const isDoubtful = isEarlyZen3(machine) && (data3.has(16) || data3.has(21));
  const lines = [opControl(control, machine)];
  if (!data.has(38)) lines.push(`IbsOpRip:\t${hex(read(1))}`);
  lines.push(opData(data));
  if (!isDoubtful) lines.push(opData2(new Bits(read(3)), machine));
  lines.push(opData3(data3, isDoubtful));
  if (data3.has(17)) lines.push(`IbsDCLinAd:\t${hex(read(5))}`);
  if (data3.has(18)) lines.push(`IbsDCPhysAd:\t${hex(read(6))}`);
  if (data.has(37) && read(7) !== 0n) lines.push(`IbsBrTarget:\t${hex(read(7))}`);
  return lines;
}

function opControl(control: Bits, machine: IbsMachine): string {
  const maxCount = ((control.field(20, 7) << 16) | control.field(0, 16)) << 4;
  const level3 = machine.hasZen4Extensions ? ` L3MissOnly ${control.field(16, 1)}` : '';
  const latency = machine.hasLoadLatency
    ? ` LdLatThrsh ${width(control.field(59, 4), 2)} LdLatEn ${control.field(63, 1)}`
    : '';
  const unit = control.has(19) ? 'uOps' : 'cycles';
  return (
    `ibs_op_ctl:\t${hex(control.value)} MaxCnt ${width(maxCount, 9)}${level3} ` +
    `En ${control.field(17, 1)} Val ${control.field(18, 1)} ` +
    `CntCtl ${control.field(19, 1)}=${unit} CurCnt ${width(control.field(32, 27), 9)}${latency}`
  );
}

function opData(data: Bits): string {
  const branch = data.has(37)
    ? ` OpReturn ${data.field(34, 1)} OpBrnTaken ${data.field(35, 1)} OpBrnMisp ${data.field(36, 1)}`
    : '';
  return (
    `ibs_op_data:\t${hex(data.value)} CompToRetCtr ${width(data.field(0, 16), 5)} ` +
    `TagToRetCtr ${width(data.field(16, 16), 5)}${branch} BrnRet ${data.field(37, 1)} ` +
    ` RipInvalid ${data.field(38, 1)} BrnFuse ${data.field(39, 1)} Microcode ${data.field(40, 1)}`
  );
}

const DATA_SOURCES = [
  ...['', '(reserved)', 'Local node cache', 'DRAM', 'Remote node cache'],
  ...['(reserved)', '(reserved)', 'Other'],
];
/** Sources with the Zen 4 extensions; the sources behind these are reserved. */
const ZEN4_DATA_SOURCES = [
  '',
  'Local L3 or other L1/L2 in CCX',
  'Another CCX cache in the same NUMA node',
  'DRAM',
  '(reserved)',
  'Another CCX cache in a different NUMA node',
  'Long-latency DIMM',
  'MMIO/Config/PCI/APIC',
  'Extension Memory',
  ...['(reserved)', '(reserved)', '(reserved)'],
  'Coherent Memory of a different processor type',
];

function opData2(data2: Bits, { hasZen4Extensions }: IbsMachine): string {
  const low = data2.field(0, 3);
  const source = hasZen4Extensions ? (data2.field(6, 2) << 3) | low : low;
  const name = (hasZen4Extensions ? ZEN4_DATA_SOURCES : DATA_SOURCES)[source];
  const isCache = hasZen4Extensions ? [1, 2, 5].includes(source) : source === 2;
  const state = data2.has(5) ? 'CacheHitSt 1=O-State ' : 'CacheHitSt 0=M-state ';
  return (
    `ibs_op_data2:\t${hex(data2.value)} ${isCache ? state : ''}RmtNode ${data2.field(4, 1)}` +
    (name ? ` DataSrc ${source}=${name}` : '')
  );
}

/** Bits of op_data3 that are shown as they are, in perf's order. */
const OP_DATA3_FLAGS: readonly (readonly [string, number])[] = [
  ['LdOp', 0],
  ['StOp', 1],
  ['DcL1TlbMiss', 2],
  ['DcL2TlbMiss', 3],
  ['DcL1TlbHit2M', 4],
  ['DcL1TlbHit1G', 5],
  ['DcL2TlbHit2M', 6],
  ['DcMiss', 7],
  ['DcMisAcc', 8],
  ['DcWcMemAcc', 13],
  ['DcUcMemAcc', 14],
  ['DcLockedOp', 15],
  ['DcMissNoMabAlloc', 16],
  ['DcLinAddrValid', 17],
  ['DcPhyAddrValid', 18],
  ['DcL2TlbHit1G', 19],
];

function opData3(data3: Bits, isDoubtful: boolean): string {
  const flags = OP_DATA3_FLAGS.map(([name, bit]) => `${name} ${data3.field(bit, 1)}`).join(' ');
  const bytes = data3.field(22, 4);
  const level2 = isDoubtful ? '' : ` L2Miss ${data3.field(20, 1)}`;
  const requests = isDoubtful ? '' : ` OpDcMissOpenMemReqs ${width(data3.field(26, 6), 2)}`;
  const access = bytes === 0 ? '' : ` OpMemWidth ${width(1 << (bytes - 1), 2)} bytes`;
  return (
    `ibs_op_data3:\t${hex(data3.value)} ${flags}${level2} SwPf ${data3.field(21, 1)}` +
    `${access}${requests} DcMissLat ${width(data3.field(32, 16), 5)} ` +
    `TlbRefillLat ${width(data3.field(48, 16), 5)}`
  );
}

const PAGE_SIZES = ['4KB', '2MB', '1GB', 'RESERVED'];
/** Erratum 1347. */
const EARLY_ZEN3_PAGE_SIZES = ['4KB', '16KB', '2MB', '1GB'];

/** Registers: fetch_ctl, linear address, physical address, extended control. */
function describeFetch(read: (index: number) => bigint, machine: IbsMachine): string[] | null {
  const control = new Bits(read(0));
  if (!control.has(48) || !control.has(49)) return null;
  const lines = [fetchControl(control, machine), `IbsFetchLinAd:\t${hex(read(1))}`];
  if (control.has(52)) lines.push(`IbsFetchPhysAd:\t${hex(read(2))}`);
  const extended = new Bits(read(3));
  const refill = width(extended.field(0, 16), 3);
  lines.push(`ic_ibs_ext_ctl:\t${hex(extended.value)} IbsItlbRefillLat ${refill}`);
  return lines;
}

function fetchControl(control: Bits, machine: IbsMachine): string {
  const isEarly = isEarlyZen3(machine);
  const sizes = isEarly ? EARLY_ZEN3_PAGE_SIZES : PAGE_SIZES;
  // Erratum 1238: IcMiss is not to be trusted on these CPUs.
  const cacheMiss = isEarly ? '' : ` IcMiss ${control.field(51, 1)}`;
  const pageSize = control.has(52) ? ` L1TlbPgSz ${sizes[control.field(53, 2)]}` : '';
  const level2 = control.has(50) ? ` L2Miss ${control.field(58, 1)}` : '';
  const level3 = machine.hasZen4Extensions
    ? ` L3MissOnly ${control.field(59, 1)} FetchOcMiss ${control.field(60, 1)}` +
      ` FetchL3Miss ${control.field(61, 1)}`
    : '';
  return (
    `ibs_fetch_ctl:\t${hex(control.value)} MaxCnt ${width(control.field(0, 16) << 4, 7)} ` +
    `Cnt ${width(control.field(16, 16) << 4, 7)} Lat ${width(control.field(32, 16), 5)} ` +
    `En ${control.field(48, 1)} Val ${control.field(49, 1)} Comp ${control.field(50, 1)}` +
    `${cacheMiss} PhyAddrValid ${control.field(52, 1)}${pageSize} ` +
    `L1TlbMiss ${control.field(55, 1)} L2TlbMiss ${control.field(56, 1)} ` +
    `RandEn ${control.field(57, 1)}${level2}${level3}`
  );
}

/** Family 19h before model 10h: the CPUs that the errata are about. */
function isEarlyZen3({ family, model }: IbsMachine): boolean {
  return family === 0x19 && model < 0x10;
}

/** A register of 64 bits and its fields. */
class Bits {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }

  field(first: number, count: number): number {
    return Number((this.value >> BigInt(first)) & ((1n << BigInt(count)) - 1n));
  }

  has(bit: number): boolean {
    return this.field(bit, 1) !== 0;
  }
}

function hex(value: bigint): string {
  return value.toString(16).padStart(16, '0');
}

function width(value: number, digits: number): string {
  return String(value).padStart(digits);
}
