// `union perf_mem_data_src`: where a load or store found its data. From the low end, in both byte
// orders:
//
//   mem_op:5  mem_lvl:14  mem_snoop:5  mem_lock:2  mem_dtlb:7  mem_lvl_num:4  mem_remote:1
//   mem_snoopx:2  mem_blk:3  mem_hops:3

/** The access in perf's words, one per part. */
export type DataSource = {
  /** LOAD, STORE, PFETCH, EXEC. */
  readonly operation: string;
  /** Which level of the memory answered, and whether that was a hit. */
  readonly level: string;
  readonly snoop: string;
  readonly tlb: string;
  readonly lock: string;
  /** The reason why the access had to wait. */
  readonly blocked: string;
};

const OPERATIONS = ['N/A', 'LOAD', 'STORE', 'PFETCH', 'EXEC'];

const HIT = 1 << 1;
const MISS = 1 << 2;
const HIT_OR_MISS = HIT | MISS;

/** Bits of `mem_lvl`. The first three are not levels. */
const LEVELS = [
  ...['N/A', 'HIT', 'MISS', 'L1', 'LFB/MAB', 'L2', 'L3', 'Local RAM'],
  ...['Remote RAM (1 hop)', 'Remote RAM (2 hops)'],
  ...['Remote Cache (1 hop)', 'Remote Cache (2 hops)', 'I/O', 'Uncached'],
];

/** Values of `mem_lvl_num`; 0 is not set. L0 came with Linux 6.19. */
const LEVEL_NUMBERS = [
  ...['', 'L1', 'L2', 'L3', 'L4', 'L2 MHB', 'Memory-side Cache', 'L0', 'Uncached'],
  ...['CXL', 'I/O', 'Any cache', 'LFB/MAB', 'RAM', 'PMEM', 'N/A'],
];
const LEVEL_NUMBER_NA = 15;

/** Values of `mem_hops`, which stand behind "Remote". */
const HOPS = ['', 'core, same node', 'node, same socket', 'socket, same board', 'board'];

const SNOOPS = ['N/A', 'None', 'Hit', 'Miss', 'HitM'];
const EXTENDED_SNOOPS = ['Fwd', 'Peer'];
const TLBS = ['N/A', 'HIT', 'MISS', 'L1', 'L2', 'Walker', 'Fault'];

export function decodeDataSource(value: bigint): DataSource {
  const field = (shift: number, bits: number) =>
    Number((value >> BigInt(shift)) & ((1n << BigInt(bits)) - 1n));
  const level = field(5, 14);
  const number = field(33, 4);
  return {
    operation: OPERATIONS[lowestBit(field(0, 5))] ?? 'No',
    level:
      number !== 0 && number !== LEVEL_NUMBER_NA
        ? levelByNumber(number, field(37, 1) !== 0, field(43, 3), hitOrMiss(level))
        : levelByBits(level),
    snoop:
      [...namesOfBits(SNOOPS, field(19, 5)), ...namesOfBits(EXTENDED_SNOOPS, field(38, 2))].join(
        ' or ',
      ) || 'N/A',
    tlb: tlbText(field(26, 7)),
    lock: ['No', 'N/A', 'Yes', 'N/A'][field(24, 2)],
    blocked: blockedText(field(40, 3)),
  };
}

/** The access as `perf script -F data_src` writes it: `|OP LOAD|LVL L1 hit|SNP None|…`. */
export function formatDataSource(value: bigint): string {
  const { operation, level, snoop, tlb, lock, blocked } = decodeDataSource(value);
  return `|OP ${operation}|LVL ${level}|SNP ${snoop}|TLB ${tlb}|LCK ${lock}|BLK  ${blocked}`;
}

/** The composite form, that newer kernels fill in beside or in place of the bits. */
function levelByNumber(number: number, isRemote: boolean, hops: number, hit: string): string {
  const distance = hops === 0 ? '' : `${HOPS[hops] ?? `hops ${hops}`} `;
  return `${isRemote ? 'Remote ' : ''}${distance}${LEVEL_NUMBERS[number]}${hit}`;
}

function levelByBits(level: number): string {
  const levels = namesOfBits(LEVELS, level & ~HIT_OR_MISS & ~1);
  return levels.length === 0 ? 'N/A' : `${levels.join(' or ')}${hitOrMiss(level)}`;
}

/** The word with a space in front, which perf writes also where it is neither. */
function hitOrMiss(level: number): string {
  if (level & HIT) return ' hit';
  return level & MISS ? ' miss' : ' ';
}

function tlbText(bits: number): string {
  const levels = namesOfBits(TLBS, bits & ~HIT_OR_MISS).join(' or ') || 'N/A';
  return `${levels}${bits & HIT ? ' hit' : ''}${bits & MISS ? ' miss' : ''}`;
}

function blockedText(bits: number): string {
  if (bits === 0 || bits & 1) return 'N/A';
  return [...(bits & 2 ? ['Data'] : []), ...(bits & 4 ? ['Addr'] : [])].join(' ');
}

function namesOfBits(names: readonly string[], bits: number): string[] {
  return names.filter((_, bit) => bits & (1 << bit));
}

/** 32, which names nothing, for 0. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits) + (bits === 0 ? 33 : 0);
}
