import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeCapabilities } from '../../../src/counting/cpu/capabilities.ts';
import { parseLeafDumps } from '../../../src/counting/cpu/leaf-dump.ts';
import type { CpuidLeaves } from '../../../src/counting/cpu/leaves.ts';
import { type ReadCpuid, readLeaves, readX86Cores } from '../../../src/counting/processor/cores.ts';
import { reportCpu } from '../../../src/counting/processor/cpu-report.ts';
import { describePmus, readUserReads } from '../../../src/counting/processor/registered-pmus.ts';
import { whyNoCounters } from '../../../src/counting/processor/why-no-counters.ts';
import type { EventSources, PmuDescription } from '../../../src/kernel/events/event-sources.ts';
import { describeLive } from '../../helpers/live.ts';

function dumps(name: string): CpuidLeaves[] {
  const file = new URL(`../cpu/fixtures/${name}.txt`, import.meta.url);
  return parseLeafDumps(readFileSync(file, 'utf8')).map(({ leaves }) => leaves);
}

/** A processor out of dumps: CPU n has the leaves of dump `kinds[n]`; absent leaves read as zeros. */
function drawnCpuid(kinds: readonly CpuidLeaves[]) {
  const asked: number[] = [];
  const readCpuid: ReadCpuid = (pairs, cpu) => {
    const out: number[] = [];
    for (let i = 0; i < pairs.length; i += 2) {
      asked.push(pairs[i]);
      const found = kinds[cpu]?.find(pairs[i], pairs[i + 1]);
      out.push(found?.eax ?? 0, found?.ebx ?? 0, found?.ecx ?? 0, found?.edx ?? 0);
    }
    return Uint32Array.from(out);
  };
  return { readCpuid, asked };
}

describe('core types', () => {
  it('core types are found by reading CPUID on each CPU', () => {
    const [performance, efficiency] = dumps('lunar-lake') as [CpuidLeaves, CpuidLeaves];
    const { readCpuid } = drawnCpuid([performance, efficiency, performance, efficiency]);
    const cores = readX86Cores(readCpuid, [0, 1, 2, 3]);
    expect(
      cores?.map(({ cpus, capabilities }) => ({ cpus, kind: capabilities?.hybrid?.kind })),
    ).toEqual([
      { cpus: [0, 2], kind: 'performance' },
      { cpus: [1, 3], kind: 'efficiency' },
    ]);
  });

  it('equal cores are one core type', () => {
    const { readCpuid, asked } = drawnCpuid(dumps('yonah'));
    expect(readX86Cores(readCpuid, [0])).toHaveLength(1);
    expect(asked).toContain(0x0a);
    expect(asked).not.toContain(0x0b);
    expect(asked).not.toContain(0x23);
  });

  it('core types are unknown without CPUID', () => {
    expect(readX86Cores(() => null, [0])).toBeNull();
    expect(readLeaves(() => null, 0)).toBeNull();
  });
});

describe('the PMUs of the kernel', () => {
  const pmu = (name: string, type: number, more: Partial<PmuDescription> = {}): PmuDescription => ({
    name,
    type,
    formats: new Map(),
    events: new Map(),
    cpumask: null,
    cpus: null,
    caps: new Map(),
    ...more,
  });
  const sources = (pmus: readonly PmuDescription[]) => ({ pmus }) as EventSources;

  it('PMUs are classified as core, shared, software or other', () => {
    const found = describePmus(
      sources([
        pmu('power', 12, { cpumask: '0' }),
        pmu('cpu', 4, { caps: new Map(Object.entries({ max_precise: '3', branches: '32' })) }),
        pmu('software', 1),
        pmu('ibs_op', 10),
        pmu('armv8_pmuv3_0', 8, { cpus: '0-3' }),
      ]),
    );
    const rows = found.map(({ name, kind, cpus, maxPrecise, branches }) =>
      [name, kind, cpus, maxPrecise, branches].join(' '),
    );
    expect(rows).toEqual([
      'software software   ',
      'cpu core  3 32',
      'armv8_pmuv3_0 core 0-3  ',
      'ibs_op other   ',
      'power shared 0  ',
    ]);
  });

  it("user space reads follow the kernel's rdpmc files", () => {
    const only = (path: string, text: string) => (asked: string) => (asked === path ? text : null);
    const x86 = '/sys/bus/event_source/devices/cpu/rdpmc';
    const arm = '/proc/sys/kernel/perf_user_access';
    expect(readUserReads(only(x86, '0\n'))?.allowed).toBe('never');
    expect(readUserReads(only(x86, '1\n'))?.allowed).toBe('mapped');
    expect(readUserReads(only(x86, '2\n'))).toEqual({ allowed: 'always', where: x86 });
    expect(readUserReads(only(arm, '1\n'))).toEqual({ allowed: 'mapped', where: arm });
    expect(readUserReads(() => null)).toBeNull();
  });
});

describe('why there are no hardware counters', () => {
  const coresOf = (name: string) => [
    { cpus: [0], capabilities: decodeCapabilities(dumps(name)[0]), arm: null },
  ];
  const software = { name: 'software', type: 1, kind: 'software' as const };
  const rest = { cpus: null, maxPrecise: null, branches: null };

  it('missing hardware counters are put down to the hypervisor, by name', () => {
    const why = whyNoCounters(coresOf('epyc-in-kvm'), [{ ...software, ...rest }]);
    expect(why?.reason).toBe(
      'KVM (CPUID[0x01].ECX[31] is set, CPUID[0x40000000] says "KVMKVMKVM") does not pass the PMU ' +
        'on; CPUID[0x80000001].ECX[23] is 0: the extended counters are hidden',
    );
    expect(why?.fix[0]).toContain('pmu=on');
  });

  it.each([
    ['KVM', '-cpu host,pmu=on'],
    ['Hyper-V', 'Set-VMProcessor'],
    ['VMware', 'vpmc.enable'],
    ['Xen', 'vpmu=on'],
    ['VirtualBox', 'passes no PMU on'],
    ['QEMU without KVM (TCG)', 'run it with KVM'],
    ['ACRN', 'let the hypervisor pass the PMU on'],
  ])('%s has a remedy of its own for missing counters', (name, remedy) => {
    const [core] = coresOf('epyc-in-kvm');
    const capabilities = { ...core.capabilities, hypervisor: { id: 'x', name } };
    const why = whyNoCounters([{ ...core, capabilities }], []);
    expect(why?.fix.join('\n')).toContain(remedy);
    expect(why?.fix.at(-1)).toContain('dmesg');
  });

  it('missing hardware counters on bare metal have another reason', () => {
    const why = whyNoCounters(coresOf('tiger-lake-i5-1135g7'), []);
    expect(why?.reason).toBe(
      'the kernel registered no PMU of this processor; CPUID[0x0A].EAX[15:8] shows 8 counters',
    );
  });

  it('no reason is sought where the kernel has a core PMU', () => {
    const core = { name: 'cpu', type: 4, kind: 'core' as const, ...rest };
    expect(whyNoCounters(coresOf('genoa'), [core])).toBeNull();
    const arm = [{ cpus: [0], capabilities: null, arm: null }];
    expect(whyNoCounters(arm, [])?.reason).toContain('no PMU');
  });
});

describeLive('this machine', () => {
  it('reportCpu has vendor, family and model of /proc/cpuinfo', () => {
    const { cores, whyNone, pmus } = reportCpu();
    const cpuinfo = readFileSync('/proc/cpuinfo', 'utf8');
    expect(pmus.map(({ name }) => name)).toContain('software');
    expect(whyNone === null).toBe(pmus.some(({ kind }) => kind === 'core'));
    expect(cores.flatMap(({ cpus }) => cpus).length).toBeGreaterThan(0);
    const identity = cores[0]?.capabilities?.identity;
    if (identity === undefined) return;
    const field = (name: string) => new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(cpuinfo)?.[1];
    expect(field('vendor_id')).toBe(identity.vendorId.trim());
    expect(field('cpu family')).toBe(String(identity.family));
    expect(field('model')).toBe(String(identity.model));
    expect(field('stepping')).toBe(String(identity.stepping));
  });
});
