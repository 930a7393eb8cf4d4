import { expect, test } from 'vitest';
import { findDriverRule, type SampledMachine } from '../../src/period/driver-rules.ts';

const CYCLES = { type: 0, config: 0n, preciseIp: 0 };
const PMUS = [
  { type: 4, name: 'cpu' },
  { type: 8, name: 'kprobe' },
  { type: 9, name: 'uprobe' },
  { type: 10, name: 'ibs_op' },
  { type: 11, name: 'cpu_core' },
  { type: 12, name: 'power' },
  { type: 13, name: 'cpu_lowpower' },
];

const INTEL = 'GenuineIntel,6,85,4';
const ZEN_2 = 'AuthenticAMD,23,49,0';
const ZEN_4 = 'AuthenticAMD,25,17,1';
const ZEN_5 = 'AuthenticAMD,26,2,1';

function machine(kernel: string | null, cpuId: string | null, more = {}): SampledMachine {
  return { arch: 'x86_64', kernel, cpuId, cpuDescription: null, pmus: PMUS, ...more };
}

const ruleOf = (of: SampledMachine, attr = {}) =>
  findDriverRule(of, { ...CYCLES, ...attr })?.rule ?? null;

test.each([
  ['Intel without PEBS', INTEL, 0, '6.15.11', '6.16.0-rc1'],
  ['Intel PEBS', INTEL, 2, '6.13.12-1-default', '6.14.0-27-generic'],
  ['AMD before PerfMonV2', ZEN_2, 0, '6.15.0', '6.16.3'],
  ['Hygon', 'HygonGenuine,24,1,1', 0, '6.1.0', '6.16.0'],
])(
  '%s: the next interval up to a release, the elapsed one from it on',
  (_, cpuId, preciseIp, ...kernels) => {
    const rules = kernels.map((kernel) =>
      ruleOf(machine(kernel.replace('-default', ''), cpuId), { preciseIp }),
    );
    expect(rules).toEqual(['next', 'elapsed']);
  },
);

test.each([
  ['AMD before PerfMonV2', ZEN_2, 'next'],
  ['Intel before Core 2', 'GenuineIntel,6,13,8', 'next'],
  ['AMD with PerfMonV2', ZEN_4, 'elapsed'],
  ['AMD with PerfMonV2, of Zen 5', ZEN_5, 'elapsed'],
  ['AMD with PerfMonV2, of Instinct MI300A', 'AuthenticAMD,25,144,1', 'elapsed'],
])('%s reports the elapsed interval up to 5.18', (_, cpuId, since) => {
  const kernels = ['3.10.0', '5.15.0-100-generic', '5.18.19', '5.19.0', '6.1.0-18-amd64'];
  expect(kernels.map((kernel) => ruleOf(machine(kernel, cpuId)))).toEqual([
    'elapsed',
    'elapsed',
    'elapsed',
    since,
    since,
  ]);
});

test.each([
  ['AMD IBS by a precise core event', ZEN_2, { preciseIp: 2 }],
  ['AMD IBS by its PMU', ZEN_4, { type: 10 }],
  ['Centaur', 'CentaurHauls,7,59,0', {}],
  ['Zhaoxin', '  Shanghai  ,7,59,0', {}],
  ['Pentium 4', 'GenuineIntel,15,4,3', {}],
])('%s reports the elapsed interval on all releases', (_, cpuId, attr) => {
  expect(
    ['3.10.0', '6.1.0', '6.18.0'].map((kernel) => ruleOf(machine(kernel, cpuId), attr)),
  ).toEqual(['elapsed', 'elapsed', 'elapsed']);
});

test.each(['aarch64', 'armv7l', 'riscv64', 'loongarch64', 'mips64', 's390x'])(
  'hardware events of %s report the elapsed interval, whatever the release',
  (arch) => {
    expect(ruleOf(machine(null, null, { arch }))).toBe('elapsed');
  },
);

test('PowerPC changed with x86, and sparc follows neither rule', () => {
  expect(ruleOf(machine('6.15.0', null, { arch: 'ppc64le' }))).toBe('next');
  expect(ruleOf(machine('6.16.0', null, { arch: 'ppc64le' }))).toBe('elapsed');
  expect(ruleOf(machine('6.16.0', null, { arch: 'sparc64' }))).toBeNull();
});

test('events that the kernel counts in software report the next interval, probes of dynamic type too', () => {
  for (const type of [1, 2, 5, 8, 9])
    expect(ruleOf(machine('6.18.0', INTEL), { type })).toBe('next');
});

test('an event of a hybrid machine goes by its core PMU, whether in type or in the upper bits of config', () => {
  for (const type of [11, 13]) expect(ruleOf(machine('6.8.0', INTEL), { type })).toBe('next');
  expect(ruleOf(machine('6.8.0', INTEL), { config: 11n << 32n })).toBe('next');
});

test('the count of a sample may lag only with PEBS since 6.14', () => {
  const lagOf = (kernel: string, preciseIp: number) =>
    findDriverRule(machine(kernel, INTEL), { ...CYCLES, preciseIp })?.countsLag;
  expect([lagOf('6.13.0', 1), lagOf('6.14.0', 1), lagOf('6.18.0', 0)]).toEqual([
    false,
    true,
    false,
  ]);
});

test('a driver that the header leaves open has no rule', () => {
  // PMUs that are not of the core, types that no mapping names, machines without arch or release.
  expect(ruleOf(machine('6.8.0', INTEL), { type: 12 })).toBeNull();
  expect(ruleOf(machine('6.8.0', INTEL), { type: 99 })).toBeNull();
  expect(ruleOf(machine('6.8.0', INTEL, { arch: null }))).toBeNull();
  expect(ruleOf(machine(null, INTEL))).toBeNull();
});

test('the rule that Intel and AMD have in common holds where no CPU is named', () => {
  const kernels = ['5.15.0-100-generic', '6.8.0', '6.16.0'];
  expect(kernels.map((kernel) => ruleOf(machine(kernel, null)))).toEqual([null, null, 'elapsed']);
  expect(
    ['6.8.0', '6.14.0'].map((kernel) => ruleOf(machine(kernel, null), { preciseIp: 2 })),
  ).toEqual([null, 'elapsed']);
});

test('the model of an Intel CPU is enough without a CPUID', () => {
  const cpuDescription = 'Intel(R) Xeon(R) CPU @ 2.20GHz';
  expect(ruleOf(machine('5.15.0', null, { cpuDescription }))).toBe('next');
});

test.each([
  ['a guest on Zen 4, which may not be shown PerfMonV2', ZEN_4, { pmus: PMUS.slice(0, 1) }],
  ['a CPU of AMD without a CPUID', null, { cpuDescription: 'AMD EPYC 7B12' }],
])('%s has a rule where AMD before and with PerfMonV2 have the same', (_, cpuId, more) => {
  const kernels = ['5.15.0', '5.19.0', '6.8.0', '6.16.0'];
  const rules = kernels.map((kernel) => ruleOf(machine(kernel, cpuId, more)));
  expect(rules).toEqual(['elapsed', null, null, 'elapsed']);
  expect(ruleOf(machine('6.8.0', cpuId, more), { preciseIp: 1 })).toBe('elapsed');
});

test.each([
  ['5.14.0-503.11.1.el9_5.x86_64', INTEL, null],
  ['6.12.0-55.9.1.el10_0.x86_64', INTEL, null],
  ['4.18.0-553.el8_10.x86_64', INTEL, 'next'],
  ['4.18.0-553.el8_10.x86_64', ZEN_2, null],
  ['4.18.0-553.el8_10.x86_64', ZEN_4, null],
  ['3.10.0-1160.el7.x86_64', INTEL, 'next'],
  ['3.10.0-1160.el7.x86_64', ZEN_2, 'elapsed'],
  ['5.10.134-16.3.an8.x86_64', ZEN_2, null],
  ['5.10.134-16.3.al8.x86_64', INTEL, null],
  ['5.10.0-216.0.0.115.oe2203sp4.x86_64', ZEN_2, null],
  ['6.6.30-5.tl4.x86_64', INTEL, null],
  ['6.1.112-124.190.amzn2023.x86_64', INTEL, 'next'],
  ['6.4.0-150600.23.53-default', INTEL, null],
  ['5.3.18-150300.59.93-default', INTEL, 'next'],
  ['6.8.0-1017-aws', INTEL, 'next'],
])('%s: an enterprise kernel may have taken over a later change', (kernel, cpuId, rule) => {
  expect(ruleOf(machine(kernel, cpuId))).toBe(rule);
});
