import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type CpuCapabilities,
  decodeCapabilities,
  generalCounters,
} from '../../../src/counting/cpu/capabilities.ts';
import { parseLeafDumps } from '../../../src/counting/cpu/leaf-dump.ts';
import { CpuidLeaves } from '../../../src/counting/cpu/leaves.ts';
import { outdent } from '../../helpers/format-tree.ts';

function load(name: string): CpuCapabilities[] {
  const text = readFileSync(new URL(`fixtures/${name}.txt`, import.meta.url), 'utf8');
  return parseLeafDumps(text).map(({ leaves }) => decodeCapabilities(leaves));
}

function first(name: string): CpuCapabilities {
  return load(name)[0];
}

/** `facts` as `value  where`, those with these names. */
function factsOf({ facts }: CpuCapabilities, names: readonly string[]): string[] {
  return names.flatMap((name) =>
    facts.filter((fact) => fact.name === name).map(({ value, where }) => `${value}  ${where}`),
  );
}

describe('the two machines of a report on hardware counters', () => {
  const intel = first('tiger-lake-i5-1135g7');
  const amd = first('ryzen-5-3600x');

  it('the i5-1135G7 has version 5, 8 general counters of 48 bits, 4 fixed ones, 8 events', () => {
    expect(intel.identity.brand).toBe('11th Gen Intel(R) Core(TM) i5-1135G7 @ 2.40GHz');
    expect(intel.intel).toMatchObject({
      version: 5,
      general: [0, 1, 2, 3, 4, 5, 6, 7],
      generalWidthBits: 48,
      fixedWidthBits: 48,
    });
    expect(intel.intel?.fixed).toHaveLength(4);
    expect(intel.intel?.events.filter(({ isAvailable }) => isAvailable)).toHaveLength(8);
    expect(intel.amd).toBeNull();
  });

  it('each capability names its register and bits', () => {
    const names = [
      'monitoring version',
      'general counters',
      'width of general counters',
      'architectural events',
      'events not available',
      'fixed counters in a row',
      'width of fixed counters',
      'fixed counters, as bits',
      'AnyThread deprecated',
      'physical address bits',
    ];
    expect(factsOf(intel, names)).toEqual([
      '5  CPUID[0x0A].EAX[7:0]',
      '8  CPUID[0x0A].EAX[15:8]',
      '48  CPUID[0x0A].EAX[23:16]',
      '8  CPUID[0x0A].EAX[31:24]',
      '0  CPUID[0x0A].EBX',
      '4  CPUID[0x0A].EDX[4:0]',
      '48  CPUID[0x0A].EDX[12:5]',
      '15  CPUID[0x0A].ECX',
      'true  CPUID[0x0A].EDX[15]',
      '39  CPUID[0x80000008].EAX[7:0]',
    ]);
  });

  it('the Ryzen 5 3600X has 6 core counters, 4 of the northbridge, none of the L2, and IBS', () => {
    expect(amd.identity).toMatchObject({ vendor: 'amd', family: 0x17, model: 0x71 });
    expect(amd.amd?.core).toEqual({ count: 6, where: 'CPUID[0x80000001].ECX[23]' });
    expect(amd.amd?.northbridge).toEqual({ count: 4, where: 'CPUID[0x80000001].ECX[24]' });
    expect(amd.amd?.cache).toMatchObject({ level: 3 });
    expect(amd.amd?.ibs).toContain('op sampling');
    expect(factsOf(amd, ['IBS', 'streaming performance monitor'])).toEqual([
      'true  CPUID[0x80000001].ECX[10]',
      'false  CPUID[0x80000001].ECX[25]',
    ]);
    expect(amd.intel).toBeNull();
  });
});

describe('architectural events', () => {
  it('architectural events are there where their bit is 0, with the event and unit mask of the manuals', () => {
    const lines = first('tiger-lake-i5-1135g7').intel?.events.map(
      ({ name, event, unitMask, isAvailable }) =>
        `${hex(event)} ${hex(unitMask)} ${isAvailable ? 'there' : '-----'} ${name}`,
    );
    expect(lines?.join('\n')).toBe(
      outdent(`
        3c 00 there unhalted core cycles
        c0 00 there instructions retired
        3c 01 there unhalted reference cycles
        2e 4f there last level cache references
        2e 41 there last level cache misses
        c4 00 there branch instructions retired
        c5 00 there branch misses retired
        a4 01 there topdown slots
        a4 02 ----- topdown backend bound
        73 00 ----- topdown bad speculation
        9c 01 ----- topdown frontend bound
        c2 02 ----- topdown retiring
        e4 01 ----- LBR inserts
      `),
    );
  });

  it('architectural events are missing where their bit is set: Yonah has no fixed counters, version 1 and 7 events', () => {
    const yonah = first('yonah').intel;
    expect(yonah).toMatchObject({ version: 1, general: [0, 1], generalWidthBits: 40, fixed: [] });
    expect(available(yonah)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('architectural events come from CPUID[0x23] where it exists', () => {
    const [performance, efficiency] = load('lunar-lake');
    // CPUID[0x0A].EBX is 0x280 on both: events 7 and 9 are not on all cores.
    expect(factsOf(performance, ['events not available'])).toEqual([`${0x280}  CPUID[0x0A].EBX`]);
    expect(available(performance?.intel)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12]);
    expect(available(efficiency?.intel)).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12]);
  });

  function available(intel: CpuCapabilities['intel'] | undefined) {
    return intel?.events.filter(({ isAvailable }) => isAvailable).map(({ bit }) => bit);
  }
});

describe('hybrid processors', () => {
  it('hybrid processors have different counters per core type', () => {
    const cores = load('lunar-lake').map(({ hybrid, intel }) => ({
      kind: hybrid?.kind,
      general: intel?.general.length,
      fixed: intel?.fixed.map(({ event }) => event),
      scope: intel?.scope,
    }));
    const common = ['instructions retired', 'unhalted core cycles', 'unhalted reference cycles'];
    expect(cores).toEqual([
      {
        kind: 'performance',
        general: 10,
        fixed: [...common, 'topdown slots'],
        scope: 'this core',
      },
      {
        kind: 'efficiency',
        general: 8,
        fixed: [...common, 'topdown bad speculation', 'topdown frontend bound', 'topdown retiring'],
        scope: 'this core',
      },
    ]);
  });

  it('hybrid processors without CPUID[0x23] report what all cores have in common', () => {
    const cores = load('alder-lake-i9-12900k');
    expect(cores.map(({ hybrid }) => hybrid?.name)).toEqual(['Core', 'Atom']);
    expect(cores.map(({ intel }) => intel?.scope)).toEqual(['all cores', 'all cores']);
    expect(cores.map(({ intel }) => intel?.general.length)).toEqual([6, 6]);
  });
});

describe('other processors', () => {
  it('processors from the Pentium 4 to EPYC 9005 are described by their leaves', () => {
    const names = [
      'prescott',
      'nehalem',
      'silvermont',
      'skylake-x',
      'sapphire-rapids',
      'granite-rapids',
      'sledgehammer',
      'barcelona',
      'interlagos',
      'kabini',
      'hygon-dhyana',
      'genoa',
      'turin',
    ];
    const rows = names.map((name) => {
      const { identity, intel, amd, branchRecords, ...all } = first(name);
      const { count, widthBits } = generalCounters(first(name));
      const cells = [`${identity.vendor} ${identity.family}/${identity.model}`];
      cells.push(`${count}x${widthBits}`);
      if (intel !== null) cells.push(`v${intel.version} fixed ${intel.fixed.length}`);
      if (amd?.northbridge) cells.push(`nb ${amd.northbridge.count}`);
      if (amd?.cache) cells.push(`L${amd.cache.level} ${amd.cache.count}`);
      if (amd?.memoryControllers) cells.push(`umc ${amd.memoryControllers.count}`);
      if (amd?.ibs) cells.push(`ibs ${amd.ibs.length}`);
      if (amd && amd.lbrEntries > 0) cells.push(`lbr ${amd.lbrEntries}`);
      if (branchRecords) cells.push(`lbr ${branchRecords.depths.at(-1)}`);
      cells.push(`${all.physicalAddressBits} bits`);
      return `${name}: ${cells.join(', ')}`;
    });
    expect(rows.join('\n')).toBe(
      outdent(`
        prescott: intel 15/4, 0x0, 36 bits
        nehalem: intel 6/26, 4x48, v3 fixed 3, 40 bits
        silvermont: intel 6/55, 2x40, v3 fixed 3, 36 bits
        skylake-x: intel 6/85, 4x48, v4 fixed 3, 46 bits
        sapphire-rapids: intel 6/143, 8x48, v5 fixed 4, lbr 32, 52 bits
        granite-rapids: intel 6/173, 8x48, v5 fixed 4, lbr 32, 52 bits
        sledgehammer: amd 15/5, 4x48, 40 bits
        barcelona: amd 16/2, 4x48, ibs 2, 48 bits
        interlagos: amd 21/1, 6x48, nb 4, ibs 7, 48 bits
        kabini: amd 22/0, 4x48, nb 4, L2 4, ibs 7, 40 bits
        hygon-dhyana: amd 24/1, 6x48, nb 4, L3 6, 48 bits
        genoa: amd 25/17, 6x48, nb 16, L3 6, umc 48, ibs 10, lbr 16, 52 bits
        turin: amd 26/2, 6x48, nb 16, L3 6, umc 48, ibs 12, lbr 16, 52 bits
      `),
    );
  });

  it('the rate of the time stamp counter comes from crystal, base frequency or brand', () => {
    const rates = ['lunar-lake', 'skylake-x', 'yonah', 'genoa'].map((name) => {
      const rate = first(name).timeStampRate;
      return rate === null ? null : `${rate.hz / 1e6} ${rate.where}`;
    });
    expect(rates).toEqual([
      '3302.4 CPUID[0x15].EBX / EAX · ECX',
      '3300 CPUID[0x16].EAX[15:0]',
      '2000 the brand',
      null,
    ]);
  });
});

describe('a virtual machine', () => {
  it('a virtual machine reports its hypervisor and the counters that it passes on', () => {
    const guest = first('epyc-in-kvm');
    expect(guest.hypervisor).toEqual({ id: 'KVMKVMKVM', name: 'KVM' });
    expect(guest.amd).toMatchObject({ northbridge: null, cache: null, ibs: null });
    // Without PerfCtrExtCore there would be the K7's four; the hypervisor need not have them.
    expect(guest.amd?.core).toEqual({ count: 4, where: 'CPUID[0x80000001].ECX[23]' });
  });
});

describe('leaves that are missing or senseless', () => {
  it('all capabilities are null without any leaf', () => {
    expect(parseLeafDumps('CPU 0:\nno leaves')).toEqual([]);
    const nothing = decodeCapabilities(new CpuidLeaves());
    expect(nothing).toMatchObject({ hypervisor: null, intel: null, amd: null, topology: [] });
    expect(nothing.facts).toEqual([]);
  });

  it('CPUID leaves of random bits are decoded in bounded time', () => {
    const ones = 'ffffffff';
    const lines = ['00000000', '00000001', '0000000A', '0000000B', '00000023', '8000001B'];
    const text = lines.map((leaf) => `CPUID ${leaf}: ${Array(4).fill(ones).join('-')}`).join('\n');
    const [dump] = parseLeafDumps(text);
    const found = decodeCapabilities(dump.leaves);
    expect(found.intel?.general).toHaveLength(255);
    expect(found.intel?.fixed).toHaveLength(32);
  });
});

function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}
