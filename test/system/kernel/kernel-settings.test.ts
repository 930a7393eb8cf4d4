import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  memlockKibIn,
  readKernelSettings,
  readPrivileges,
} from '../../../src/system/kernel/kernel-settings.ts';

const sysctl = (name: string) => Number(readFileSync(`/proc/sys/kernel/${name}`, 'utf8'));

const softLimitKib = () => {
  const kib = execFileSync('sh', ['-c', 'ulimit -S -l'], { encoding: 'utf8' }).trim();
  return kib === 'unlimited' ? Number.POSITIVE_INFINITY : Number(kib);
};

it('the settings are those of the running kernel', () => {
  expect(readKernelSettings()).toEqual({
    paranoidLevel: sysctl('perf_event_paranoid'),
    maxSampleRateHz: sysctl('perf_event_max_sample_rate'),
    mlockKib: sysctl('perf_event_mlock_kb'),
    memlockKib: softLimitKib(),
    cpuTimeMaxPercent: sysctl('perf_cpu_time_max_percent'),
    kptrRestrict: sysctl('kptr_restrict'),
  });
});

it.each([
  ['65536 65536', 64],
  ['8388608 unlimited', 8192],
  ['unlimited unlimited', Number.POSITIVE_INFINITY],
])('a limit of %s bytes is the soft one in KiB', (limits, kib) => {
  const [soft, hard] = limits.split(' ');
  const line = `Max locked memory         ${soft.padEnd(20)} ${hard.padEnd(20)} bytes`;
  expect(memlockKibIn(`Max processes 1 1 processes\n${line}\n`)).toBe(kib);
});

it('limits without that of locked memory are unknown', () => {
  expect(memlockKibIn('')).toBe(null);
});

const FIRST_NAMESPACE = 'user:[4026531837]';

describe('the privileges', () => {
  const status = (capEff: string) =>
    `Name:\tnode\nCapPrm:\tffffffffffffffff\nCapEff:\t${capEff}\nCapBnd:\tffffffffffffffff\n`;

  it.each([
    ['none', '0000000000000000', { perfmon: false, ipcLock: false }],
    ['root', '000001ffffffffff', { perfmon: true, ipcLock: true }],
    ['CAP_IPC_LOCK', '0000000000004000', { perfmon: false, ipcLock: true }],
    ['CAP_SYS_ADMIN', '0000000000200000', { perfmon: true, ipcLock: false }],
    ['CAP_PERFMON', '0000004000000000', { perfmon: true, ipcLock: false }],
    ['all others', '000001bfffdfbfff', { perfmon: false, ipcLock: false }],
  ])('the privileges are read from the effective capabilities: %s', (_name, capEff, privileges) => {
    expect(readPrivileges(status(capEff), FIRST_NAMESPACE)).toEqual(privileges);
  });

  it('root in a user namespace has no privileges', () => {
    const none = { perfmon: false, ipcLock: false };
    expect(readPrivileges(status('000001ffffffffff'), 'user:[4026532281]')).toEqual(none);
  });

  it('a status without CapEff has no privileges', () => {
    expect(readPrivileges('Name:\tnode\n')).toEqual({ perfmon: false, ipcLock: false });
    expect(readPrivileges('')).toEqual({ perfmon: false, ipcLock: false });
  });

  it('the privileges of this process are found', () => {
    const line = /^CapEff:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'));
    const effective = BigInt(`0x${line?.[1]}`);
    const isFirst = readlinkSync('/proc/self/ns/user') === FIRST_NAMESPACE;
    expect(readPrivileges().ipcLock).toBe(isFirst && (effective & 0x4000n) !== 0n);
  });
});
