/**
 * The registers behind a general counter: one that selects the event, one that counts. The kernel
 * writes them; here they are only read and explained.
 *
 *             63       47  40  36 35 32 31    24 23  22  21  20  19 18 17  16 15    8 7     0
 *   Intel     │ UMASK2 │   EQ │ TX     │ CMASK │INV│EN │ANY│INT│PC│E │OS│USR│ UMASK │ EVENT │
 *   AMD       │ HOST, GUEST 41:40│EVENT│ CMASK │INV│EN │ – │INT│– │E │OS│USR│ UMASK │ EVENT │
 *
 * Intel SDM volume 3, IA32_PERFEVTSELx; AMD APM volume 2, PERF_CTL; Arm ARM, PMEVTYPER<n>_EL0.
 */
export type EventSelectLayout = {
  readonly vendor: SelectVendor;
  /** Formats of the PMU `cpu`, for machines whose sysfs does not have it. */
  readonly formats: ReadonlyMap<string, string>;
  readonly fields: readonly SelectField[];
  /** The registers of counter `n`. */
  registersOf(n: number): { readonly select: string; readonly counter: string };
  /** The registers of every counter as a formula. */
  readonly registers: string;
};

export type SelectVendor = 'intel' | 'amd' | 'arm';

export type SelectField = {
  readonly name: string;
  /** Bits of the register, from the value's lowest bit up. */
  readonly bits: readonly number[];
  /** The meaning of this value. */
  readonly meaning: (value: number) => string;
};

const hex = (value: number) => `0x${value.toString(16)}`;
const range = (low: number, high: number) =>
  Array.from({ length: high - low + 1 }, (_, i) => low + i);
const ifSet = (set: string, unset: string) => (value: number) => (value === 0 ? unset : set);

const KERNELS = 'the kernel sets it, whatever an event asks for';

/** The fields that Intel and AMD have in common, at the same bits. */
const COMMON: readonly SelectField[] = [
  { name: 'UMASK', bits: range(8, 15), meaning: (value) => `unit mask ${hex(value)}` },
  {
    name: 'USR',
    bits: [16],
    meaning: ifSet('counts in user mode (rings 1 to 3)', 'not in user mode'),
  },
  { name: 'OS', bits: [17], meaning: ifSet('counts in the kernel (ring 0)', 'not in the kernel') },
  {
    name: 'E',
    bits: [18],
    meaning: ifSet(
      'edge: counts occurrences, when the condition becomes true',
      'counts all events, or cycles during which the condition holds',
    ),
  },
  {
    name: 'INT',
    bits: [20],
    meaning: ifSet(
      `raises the performance-monitoring interrupt on overflow; ${KERNELS}`,
      `no interrupt on overflow; ${KERNELS}`,
    ),
  },
  {
    name: 'EN',
    bits: [22],
    meaning: ifSet(`the counter counts; ${KERNELS}`, `the counter stands; ${KERNELS}`),
  },
  {
    name: 'INV',
    bits: [23],
    meaning: ifSet(
      'with CMASK: cycles with fewer events than that',
      'with CMASK: cycles with so many events or more',
    ),
  },
  {
    name: 'CMASK',
    bits: range(24, 31),
    meaning: (value) =>
      value === 0 ? 'no threshold' : `threshold: compares the events of a cycle with ${value}`,
  },
];

const INTEL: EventSelectLayout = {
  vendor: 'intel',
  formats: new Map([
    ['event', 'config:0-7'],
    ['umask', 'config:8-15'],
    ['edge', 'config:18'],
    ['inv', 'config:23'],
    ['cmask', 'config:24-31'],
  ]),
  fields: [
    { name: 'EVENT', bits: range(0, 7), meaning: (value) => `event ${hex(value)}` },
    ...COMMON,
    {
      name: 'PC',
      bits: [19],
      meaning: ifSet('pin control: toggles a pin, on old processors', 'no pin control'),
    },
    {
      name: 'ANY',
      bits: [21],
      meaning: ifSet(
        'counts all threads of the core; without effect where deprecated (CPUID[0x0A].EDX[15])',
        'counts this thread of the core',
      ),
    },
    {
      name: 'IN_TX',
      bits: [32],
      meaning: ifSet('only inside transactions', 'also outside of transactions'),
    },
    {
      name: 'IN_TXCP',
      bits: [33],
      meaning: ifSet('without transactions that aborted', 'with transactions that aborted'),
    },
    {
      name: 'ADAPTIVE',
      bits: [34],
      meaning: ifSet('samples of PEBS as MSR 0x3F2 describes', 'basic samples of PEBS'),
    },
    {
      name: 'EQ',
      bits: [36],
      meaning: ifSet('with CMASK: exactly so many (version 6)', 'no comparison for equality'),
    },
    {
      name: 'UMASK2',
      bits: range(40, 47),
      meaning: (value) => `upper unit mask ${hex(value)} (version 6)`,
    },
  ],
  registersOf: (n) => ({ select: hex(0x186 + n), counter: hex(0xc1 + n) }),
  registers: 'IA32_PERFEVTSELn is MSR 0x186 + n, IA32_PMCn is MSR 0xc1 + n',
};

const AMD: EventSelectLayout = {
  vendor: 'amd',
  formats: new Map([...INTEL.formats, ['event', 'config:0-7,32-35']]),
  fields: [
    {
      name: 'EVENT',
      bits: [...range(0, 7), ...range(32, 35)],
      meaning: (value) => `event ${hex(value)}`,
    },
    ...COMMON,
    {
      name: 'GUEST',
      bits: [40],
      meaning: ifSet('guests only, or with HOST both', 'not guests only'),
    },
    {
      name: 'HOST',
      bits: [41],
      meaning: ifSet('the host only, or with GUEST both', 'not the host only'),
    },
  ],
  registersOf: (n) => ({ select: hex(0xc0010200 + 2 * n), counter: hex(0xc0010201 + 2 * n) }),
  registers:
    'PERF_CTLn is MSR 0xc0010200 + 2n, PERF_CTRn is MSR 0xc0010201 + 2n ' +
    '(without PerfCtrExtCore 0xc0010000 + n and 0xc0010004 + n)',
};

const ARM: EventSelectLayout = {
  vendor: 'arm',
  formats: new Map([['event', 'config:0-15']]),
  fields: [
    { name: 'evtCount', bits: range(0, 15), meaning: (value) => `event ${hex(value)}` },
    { name: 'MT', bits: [25], meaning: ifSet('all threads of the core', 'this thread') },
    { name: 'M', bits: [26], meaning: ifSet('EL3, the other way than P', 'EL3 as P') },
    { name: 'NSH', bits: [27], meaning: ifSet('counts in EL2', 'not in EL2') },
    { name: 'NSU', bits: [28], meaning: ifSet('not-secure EL0, the other way than U', 'as U') },
    { name: 'NSK', bits: [29], meaning: ifSet('not-secure EL1, the other way than P', 'as P') },
    {
      name: 'U',
      bits: [30],
      meaning: ifSet('not in EL0 (user mode)', 'counts in EL0 (user mode)'),
    },
    { name: 'P', bits: [31], meaning: ifSet('not in EL1 (kernel)', 'counts in EL1 (kernel)') },
    { name: 'TH', bits: range(32, 43), meaning: (value) => `threshold ${value}` },
    { name: 'TE', bits: [60], meaning: ifSet('threshold by edges', 'threshold by cycles') },
    { name: 'TC', bits: range(61, 63), meaning: (value) => `threshold control ${value}` },
  ],
  registersOf: (n) => ({ select: `PMEVTYPER${n}_EL0`, counter: `PMEVCNTR${n}_EL0` }),
  registers: 'PMEVTYPERn_EL0 selects, PMEVCNTRn_EL0 counts',
};

const LAYOUTS: Readonly<Record<SelectVendor, EventSelectLayout>> = {
  intel: INTEL,
  amd: AMD,
  arm: ARM,
};

export function eventSelectLayout(vendor: SelectVendor): EventSelectLayout {
  return LAYOUTS[vendor];
}
