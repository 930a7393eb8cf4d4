import { describe, expect, it } from 'vitest';
import { explainEventSelect } from '../../../src/kernel/events/event-select.ts';
import {
  eventSelectLayout,
  type SelectVendor,
} from '../../../src/kernel/events/event-select-layouts.ts';
import { encodeRawCounter, type RawFormats } from '../../../src/kernel/events/raw-counter.ts';
import { outdent } from '../../helpers/format-tree.ts';
import { seededRandom } from '../../helpers/random.ts';

const INTEL = eventSelectLayout('intel');
const AMD = eventSelectLayout('amd');
const ARM = eventSelectLayout('arm');

/** `format/` of kernels: Lion Cove (6.18), Zen 4, an arm64 PMU with FEAT_PMUv3_TH. */
const LION_COVE: RawFormats = new Map([
  ['event', 'config:0-7'],
  ['umask', 'config:8-15,40-47'],
  ['edge', 'config:18'],
  ['eq', 'config:36'],
  ['inv', 'config:23'],
  ['cmask', 'config:24-31'],
  ['ldlat', 'config1:0-15'],
]);
const ZEN4: RawFormats = new Map([
  ['event', 'config:0-7,32-35'],
  ['umask', 'config:8-15'],
  ['edge', 'config:18'],
  ['inv', 'config:23'],
  ['cmask', 'config:24-31'],
]);
const NEOVERSE: RawFormats = new Map([
  ['event', 'config:0-15'],
  ['long', 'config1:0'],
  ['threshold_count', 'config1:2'],
  ['threshold_compare', 'config1:3-4'],
  ['threshold', 'config1:5-16'],
]);

describe('a raw counter as bits', () => {
  const config = (spec: Parameters<typeof encodeRawCounter>[0], formats: RawFormats) => {
    const { config, config1 } = encodeRawCounter(spec, formats);
    return config1 === 0n ? config.toString(16) : `${config.toString(16)},${config1.toString(16)}`;
  };

  it('a raw counter puts each field where Intel, AMD and sysfs have it', () => {
    expect(config({ event: 0xc0 }, INTEL.formats)).toBe('c0');
    expect(config({ event: 0x2e, unitMask: 0x41 }, INTEL.formats)).toBe('412e');
    // Cycles without a retired uop, as Intel's own list has it: inv=1, cmask=1.
    const idle = { event: 0xc2, unitMask: 0x02, invert: true, counterMask: 1 };
    expect(config(idle, INTEL.formats)).toBe('18002c2');
    expect(config({ event: 0x9c, unitMask: 1, edge: true, counterMask: 5 }, LION_COVE)).toBe(
      '504019c',
    );
    expect(config({ event: 0x2e, unitMask: 0x141 }, LION_COVE)).toBe('1000000412e');
    // AMD's events above 0xff: fused instructions are 0x1d0.
    expect(config({ event: 0x1d0 }, ZEN4)).toBe('1000000d0');
    expect(config({ event: 0x11 }, ARM.formats)).toBe('11');
    expect(config({ event: 0x11, counterMask: 2 }, NEOVERSE)).toBe('11,50');
    expect(config({ event: 0x11, counterMask: 2, invert: true }, NEOVERSE)).toBe('11,58');
  });

  it('a raw counter leaves the mode of the processor to the exclude bits, since the kernel ignores USR and OS', () => {
    expect(encodeRawCounter({ event: 0xc0, kernel: false }, INTEL.formats)).toEqual({
      config: 0xc0n,
      config1: 0n,
      config2: 0n,
      config3: 0n,
    });
  });

  it('a field of a raw counter that does not fit is reported with its range', () => {
    expect(() => encodeRawCounter({ event: 0x1d0 }, INTEL.formats)).toThrow(
      'event: 0x1d0 does not fit event (config:0-7): it has 8 bits, at most 0xff',
    );
    expect(() => encodeRawCounter({ event: 1, counterMask: 256 }, ZEN4)).toThrow(
      'counterMask: 0x100 does not fit cmask (config:24-31): it has 8 bits, at most 0xff',
    );
    expect(() => encodeRawCounter({ event: 0x11, edge: true }, ARM.formats)).toThrow(
      "edge: this PMU's counters have no edge (they have event)",
    );
    expect(() => encodeRawCounter({ event: -1 }, ZEN4)).toThrow(RangeError);
    expect(() => encodeRawCounter({ event: 1.5 }, ZEN4)).toThrow('expected a whole number');
  });
});

describe('an event select register', () => {
  it('an event select register is explained bit by bit', () => {
    const lines = explainEventSelect(0x4300c0n, INTEL)
      .slice(0, 11)
      .map(({ name, bits, value }) => `${bits} ${name} ${value.toString(16)}`);
    expect(lines.join('\n')).toBe(
      outdent(`
        7:0 EVENT c0
        15:8 UMASK 0
        16 USR 1
        17 OS 1
        18 E 0
        19 PC 0
        20 INT 0
        21 ANY 0
        22 EN 1
        23 INV 0
        31:24 CMASK 0
      `),
    );
  });

  it('an event select register is explained with OS as ring 0 and E as edge', () => {
    const meaning = (register: bigint, name: string) =>
      explainEventSelect(register, INTEL).find((field) => field.name === name)?.meaning;
    expect(meaning(0x20000n, 'OS')).toContain('ring 0');
    expect(meaning(0x40000n, 'E')).toContain('occurrences');
    expect(meaning(0n, 'E')).toContain('cycles during which the condition holds');
    expect(meaning(0x100000n, 'INT')).toContain('performance-monitoring interrupt');
  });

  it('event select registers are those of Intel, AMD and arm64', () => {
    const pair = (vendor: SelectVendor, n: number) =>
      Object.values(eventSelectLayout(vendor).registersOf(n)).join(' ');
    expect(pair('intel', 0)).toBe('0x186 0xc1');
    expect(pair('intel', 3)).toBe('0x189 0xc4');
    expect(pair('amd', 0)).toBe('0xc0010200 0xc0010201');
    expect(pair('amd', 5)).toBe('0xc001020a 0xc001020b');
    expect(pair('arm', 2)).toBe('PMEVTYPER2_EL0 PMEVCNTR2_EL0');
  });

  it('an event select register names AMD’s upper event bits, and what belongs to no field', () => {
    const fields = explainEventSelect(0x1_0008_00d0n | (1n << 63n), AMD);
    expect(fields[0]).toMatchObject({ name: 'EVENT', bits: '35:32,7:0', value: 0x1d0 });
    const reserved = fields.filter(({ name }) => name === 'reserved').map(({ bits }) => bits);
    expect(reserved).toEqual(['19', '63']);
  });

  it('an event select register is explained as the counter that was encoded', () => {
    const random = seededRandom(5);
    const below = (end: number) => Math.floor(random() * end);
    for (const [layout, events] of [
      [INTEL, 0x100],
      [AMD, 0x1000],
    ] as const) {
      for (let i = 0; i < 300; i++) {
        const [event, unitMask, counterMask] = [below(events), below(0x100), below(0x100)];
        const [edge, invert] = [below(2) === 1, below(2) === 1];
        const spec = { event, unitMask, edge, invert, counterMask };
        const { config } = encodeRawCounter(spec, layout.formats);
        const explained = explainEventSelect(config, layout);
        const value = (name: string) => explained.find((field) => field.name === name)?.value;
        expect(['EVENT', 'UMASK', 'E', 'INV', 'CMASK', 'reserved'].map(value)).toEqual([
          event,
          unitMask,
          Number(edge),
          Number(invert),
          counterMask,
          undefined,
        ]);
      }
    }
  });
});
