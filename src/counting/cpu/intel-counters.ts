import { bitsOf, type LeafReader } from './leaf-reader.ts';

/**
 * Architectural performance monitoring. CPUID[0x0A] says what all cores of the machine have in
 * common, CPUID[0x23] what this one has, so the second goes first where it is:
 *
 *   CPUID[0x0A].EAX   7:0 version  15:8 general counters  23:16 their width  31:24 events in EBX
 *              .EBX   bit n set: architectural event n is not there
 *              .ECX   bit n set: fixed counter n is there (version 5)
 *              .EDX   4:0 contiguous fixed counters  12:5 their width  15 AnyThread deprecated
 *   CPUID[0x23,0]     .EAX sub-leaves  .EBX 0 UnitMask2, 1 EQ, 2 user RDPMC can be disabled
 *         [0x23,1]    .EAX general counters, .EBX fixed counters, as bits
 *         [0x23,2]    counters that reload by themselves: .EAX, .EBX; that trigger it: .ECX, .EDX
 *         [0x23,3]    .EAX architectural events, as bits
 *         [0x23,5]    counters with PEBS: .EAX general, .ECX fixed; with PDist: .EBX, .EDX
 */
export type IntelCounters = {
  /** Version of architectural performance monitoring; 0: none. */
  readonly version: number;
  /**
   * The cores that the numbers below describe: this core, or what all cores of a hybrid processor have in common,
   * of which this one may have more.
   */
  readonly scope: 'this core' | 'all cores';
  /** Numbers of the general counters, ascending. */
  readonly general: readonly number[];
  readonly generalWidthBits: number;
  readonly fixed: readonly FixedCounter[];
  readonly fixedWidthBits: number;
  /** All that this version knows of, there or not. */
  readonly events: readonly EventAvailability[];
  /** The ANY bit of event selects has lost its meaning. */
  readonly anyThreadDeprecated: boolean;
  /** Event selects have the fields UnitMask2 and EQ (version 6). */
  readonly hasUnitMask2: boolean;
  readonly hasEqual: boolean;
  readonly pebs: IntelPebs;
};

export type FixedCounter = { readonly number: number; readonly event: string };

export type EventAvailability = {
  /** Its bit in CPUID[0x0A].EBX. */
  readonly bit: number;
  readonly name: string;
  readonly event: number;
  readonly unitMask: number;
  readonly isAvailable: boolean;
};

/** Precise event-based sampling. */
export type IntelPebs = {
  /** CPUID[0x01].EDX[21]: the debug store, into which the processor writes its samples. */
  readonly hasDebugStore: boolean;
  /** CPUID[0x01].ECX[15]: IA32_PERF_CAPABILITIES, which holds the format of the samples, exists. */
  readonly hasCapabilitiesRegister: boolean;
  /** Numbers of counters, where CPUID says them (architectural PEBS); null where it does not. */
  readonly general: readonly number[] | null;
  readonly fixed: readonly number[] | null;
};

const LEAF = 0x0a;
const EXTENDED = 0x23;
/** CPUID[0x23,0].EAX: sub-leaves that mean something. */
const COUNTERS = 1;
const RELOAD = 2;
const EVENTS = 3;
const PEBS_COUNTERS = 5;

/** Null where the processor has no such leaf, or says version 0 in it. */
export function decodeIntelCounters(reader: LeafReader): IntelCounters | null {
  const version = reader.bits('monitoring version', LEAF, 'eax', 7, 0) ?? 0;
  if (version === 0) return null;
  const common = reader.bits('general counters', LEAF, 'eax', 15, 8) ?? 0;
  const generalWidthBits = reader.bits('width of general counters', LEAF, 'eax', 23, 16) ?? 0;
  const eventBits = reader.bits('architectural events', LEAF, 'eax', 31, 24) ?? 0;
  const missing = reader.bits('events not available', LEAF, 'ebx', 31, 0) ?? 0;
  const { numbers: commonFixed, widthBits: fixedWidthBits } = decodeFixed(reader, version);
  const anyThreadDeprecated = reader.flag('AnyThread deprecated', LEAF, 'edx', 15);
  const extended = decodeExtended(reader);
  const general = extended.general ?? Array.from({ length: common }, (_, number) => number);
  const fixed = (extended.fixed ?? commonFixed).map(namedFixed);
  const isHybrid = reader.peek(7, 'edx', 15, 15) === 1;
  return {
    version,
    scope: isHybrid && extended.general === null ? 'all cores' : 'this core',
    general,
    generalWidthBits,
    fixed,
    fixedWidthBits,
    events: listEvents(eventBits, missing, extended.events),
    anyThreadDeprecated,
    hasUnitMask2: extended.hasUnitMask2,
    hasEqual: extended.hasEqual,
    pebs: {
      hasDebugStore: reader.flag('debug store', 1, 'edx', 21),
      hasCapabilitiesRegister: reader.flag('IA32_PERF_CAPABILITIES', 1, 'ecx', 15),
      general: extended.pebsGeneral,
      fixed: extended.pebsFixed,
    },
  };
}

/** EDX says how many in a row from 0, ECX which others; version 1 has none. */
function decodeFixed(reader: LeafReader, version: number) {
  if (version < 2) return { numbers: [], widthBits: 0 };
  const inRow = reader.bits('fixed counters in a row', LEAF, 'edx', 4, 0) ?? 0;
  const widthBits = reader.bits('width of fixed counters', LEAF, 'edx', 12, 5) ?? 0;
  const mask = version < 5 ? 0 : (reader.bits('fixed counters, as bits', LEAF, 'ecx', 31, 0) ?? 0);
  const numbers = Array.from({ length: 32 }, (_, number) => number).filter(
    (number) => number < inRow || ((mask >>> number) & 1) === 1,
  );
  return { numbers, widthBits };
}

function namedFixed(number: number): FixedCounter {
  return { number, event: FIXED_COUNTER_EVENTS[number] ?? 'an event that is not known here' };
}

function decodeExtended(reader: LeafReader) {
  const valid = reader.bits('sub-leaves of counters', EXTENDED, 'eax', 31, 0) ?? 0;
  const has = (subleaf: number) => ((valid >>> subleaf) & 1) === 1 && reader.has(EXTENDED, subleaf);
  const mask = (name: string, subleaf: number, register: 'eax' | 'ebx' | 'ecx' | 'edx') =>
    has(subleaf) ? (reader.bits(name, EXTENDED, register, 31, 0, subleaf) ?? 0) : null;
  const numbers = (bits: number | null) => (bits === null ? null : bitsOf(bits));
  const found = {
    hasUnitMask2: reader.flag('UnitMask2', EXTENDED, 'ebx', 0),
    hasEqual: reader.flag('EQ', EXTENDED, 'ebx', 1),
    general: numbers(mask('general counters of this core', COUNTERS, 'eax')),
    fixed: numbers(mask('fixed counters of this core', COUNTERS, 'ebx')),
    events: mask('events of this core', EVENTS, 'eax'),
    pebsGeneral: numbers(mask('general counters with PEBS', PEBS_COUNTERS, 'eax')),
    pebsFixed: numbers(mask('fixed counters with PEBS', PEBS_COUNTERS, 'ecx')),
  };
  reader.flag('user RDPMC can be disabled', EXTENDED, 'ebx', 2);
  mask('general counters that reload', RELOAD, 'eax');
  mask('fixed counters that reload', RELOAD, 'ebx');
  mask('general counters with PDist', PEBS_COUNTERS, 'ebx');
  mask('fixed counters with PDist', PEBS_COUNTERS, 'edx');
  return found;
}

/** The bits are inverted, and those beyond the length in EAX say nothing: not there. */
function listEvents(
  length: number,
  missing: number,
  ofThisCore: number | null,
): EventAvailability[] {
  return ARCHITECTURAL_EVENTS.map((known, bit) => ({
    bit,
    ...known,
    isAvailable:
      ofThisCore !== null
        ? ((ofThisCore >>> bit) & 1) === 1
        : bit < length && ((missing >>> bit) & 1) === 0,
  }));
}

/**
 * The events that mean the same on every Intel processor that has them, in the order of the bits of
 * CPUID[0x0A].EBX (a set bit: *not* there) and of CPUID[0x23,3].EAX (a set bit: there).
 *
 * Intel SDM volume 3, "Pre-defined architectural performance events". Unhalted core cycles have the
 * unit mask 00; 01 with the same event are reference cycles.
 */
type ArchitecturalEvent = {
  readonly name: string;
  readonly event: number;
  readonly unitMask: number;
};

const ARCHITECTURAL_EVENTS: readonly ArchitecturalEvent[] = [
  { name: 'unhalted core cycles', event: 0x3c, unitMask: 0x00 },
  { name: 'instructions retired', event: 0xc0, unitMask: 0x00 },
  { name: 'unhalted reference cycles', event: 0x3c, unitMask: 0x01 },
  { name: 'last level cache references', event: 0x2e, unitMask: 0x4f },
  { name: 'last level cache misses', event: 0x2e, unitMask: 0x41 },
  { name: 'branch instructions retired', event: 0xc4, unitMask: 0x00 },
  { name: 'branch misses retired', event: 0xc5, unitMask: 0x00 },
  { name: 'topdown slots', event: 0xa4, unitMask: 0x01 },
  { name: 'topdown backend bound', event: 0xa4, unitMask: 0x02 },
  { name: 'topdown bad speculation', event: 0x73, unitMask: 0x00 },
  { name: 'topdown frontend bound', event: 0x9c, unitMask: 0x01 },
  { name: 'topdown retiring', event: 0xc2, unitMask: 0x02 },
  { name: 'LBR inserts', event: 0xe4, unitMask: 0x01 },
];

/**
 * Event of each fixed counter, by its number (IA32_FIXED_CTR0 is MSR 0x309). This order is not
 * that of the events above, although both lists hold the same things.
 *
 * Intel SDM volume 3, "Association of fixed-function performance counters with architectural
 * performance events"; counters 4 to 6 are those of efficient cores.
 */
const FIXED_COUNTER_EVENTS: readonly string[] = [
  'instructions retired',
  'unhalted core cycles',
  'unhalted reference cycles',
  'topdown slots',
  'topdown bad speculation',
  'topdown frontend bound',
  'topdown retiring',
];
