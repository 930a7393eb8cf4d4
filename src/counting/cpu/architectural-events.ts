/**
 * The events that mean the same on every Intel processor that has them, in the order of the bits of
 * CPUID[0x0A].EBX (a set bit: *not* there) and of CPUID[0x23,3].EAX (a set bit: there).
 *
 * Intel SDM volume 3, "Pre-defined architectural performance events". Unhalted core cycles have the
 * unit mask 00; 01 with the same event are reference cycles.
 */
export type ArchitecturalEvent = {
  readonly name: string;
  readonly event: number;
  readonly unitMask: number;
};

export const ARCHITECTURAL_EVENTS: readonly ArchitecturalEvent[] = [
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
export const FIXED_COUNTER_EVENTS: readonly string[] = [
  'instructions retired',
  'unhalted core cycles',
  'unhalted reference cycles',
  'topdown slots',
  'topdown bad speculation',
  'topdown frontend bound',
  'topdown retiring',
];
