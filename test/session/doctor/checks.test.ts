import { describe, expect, it } from 'vitest';
import type { Check } from '../../../src/session/doctor/check.ts';
import { doctor } from '../../../src/session/doctor/examine.ts';
import type { MachineState } from '../../../src/session/doctor/machine-state.ts';
import { NEW_KERNEL, USUAL_SETTINGS } from '../fake-kernel.ts';

/** Bare metal, root: nothing stands in the way. */
const READY: MachineState = {
  platform: 'linux',
  kernel: '6.18.1',
  addonProblem: null,
  settings: USUAL_SETTINGS,
  privileges: { perfmon: true, ipcLock: true },
  isRoot: true,
  hasSeccompFilter: false,
  isContainer: false,
  opens: { ownUser: '', ownKernel: '', wholeCpu: '', cycles: '' },
  features: NEW_KERNEL,
  fdLimit: { soft: 1024, hard: 20_000 },
  onlineCpus: 8,
  hasNmiWatchdog: false,
  tracepointProblem: null,
  seesKernelAddresses: true,
  isTmpWritable: true,
  nodeWritesPerfMaps: true,
};

const NOTHING_OPENS = (code: string) => ({
  ownUser: code,
  ownKernel: code,
  wholeCpu: code,
  cycles: code,
});

/** The checks that did not pass, as `state name`. */
function troubles(change: Partial<MachineState>): string[] {
  return doctor({ ...READY, ...change })
    .checks.filter(({ state }) => state !== 'ok')
    .map(({ state, name }) => `${state} ${name}`);
}

function check(name: string, change: Partial<MachineState>): Check {
  const found = doctor({ ...READY, ...change }).checks.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no check ${name}`);
  return found;
}

describe('the doctor', () => {
  it('finds nothing on a machine that has everything', () => {
    expect(troubles({})).toEqual([]);
    expect(doctor(READY).ready).toBe(true);
  });

  it('an ordinary user with paranoid 2 is ready, with limits', () => {
    const change: Partial<MachineState> = {
      privileges: { perfmon: false, ipcLock: false },
      isRoot: false,
      opens: { ownUser: '', ownKernel: 'EACCES', wholeCpu: 'EACCES', cycles: '' },
      seesKernelAddresses: false,
      tracepointProblem: { message: 'no permission', fix: ['sudo …'] },
    };
    expect(troubles(change)).toEqual([
      'warn kernel-code',
      'warn whole-cpus',
      'warn tracepoints',
      'warn ring-memory',
      'warn kernel-symbols',
    ]);
    expect(doctor({ ...READY, ...change }).ready).toBe(true);
    expect(check('kernel-code', change).fix).toContain(
      'for now:      sudo sysctl kernel.perf_event_paranoid=1',
    );
    expect(check('ring-memory', change).found).toBe(
      'rings of 256 KiB a CPU: kernel.perf_event_mlock_kb is 516',
    );
  });

  it('a seccomp filter that refuses the call is not a matter of the paranoid level', () => {
    const change = { opens: NOTHING_OPENS('EPERM'), hasSeccompFilter: true, isContainer: true };
    const own = check('own-programs', change);
    expect(own.state).toBe('fail');
    expect(own.found).toContain('a seccomp filter is in force, in a container');
    expect(own.fix.join('\n')).not.toContain('sysctl');
    // Root already is who it is.
    expect(own.fix.join('\n')).not.toContain('sudo perf-ts');
    expect(check('kernel-code', change).fix).toEqual([
      'what refuses own-programs refuses this too; see there',
    ]);
    expect(own.fix).toContain('in Docker or Podman: run the container with --cap-add PERFMON');
    expect(doctor({ ...READY, ...change }).ready).toBe(false);
  });

  it('says nothing of features where nothing opens', () => {
    const names = doctor({ ...READY, opens: NOTHING_OPENS('ENOSYS') }).checks.map((c) => c.name);
    expect(names).not.toContain('counts-with-inherit');
  });

  it('without the addon only what needs none is judged', () => {
    const change: Partial<MachineState> = {
      addonProblem: { message: 'the native addon is not built', fix: ['build it'] },
      opens: null,
      features: null,
      fdLimit: null,
    };
    expect(troubles(change)).toEqual(['fail addon']);
    expect(check('addon', change).fix).toEqual(['build it']);
  });

  it.each([
    ['no PMU', { opens: { ...READY.opens!, cycles: 'ENOENT' } }, ['warn hardware-counters']],
    ['watchdog with a PMU', { hasNmiWatchdog: true }, ['warn nmi-watchdog']],
    [
      'watchdog without a PMU',
      { hasNmiWatchdog: true, opens: { ...READY.opens!, cycles: 'ENOENT' } },
      ['warn hardware-counters'],
    ],
    [
      'a kernel of 2020',
      { features: { ...NEW_KERNEL, lost: false, inheritedRead: false } },
      ['warn counts-with-inherit', 'warn lost-counts'],
    ],
    ['a kernel of 2015', { kernel: '4.4.0' }, ['warn kernel']],
    ['few open files', { fdLimit: { soft: 64, hard: 64 } }, ['warn open-files']],
    ['another system', { platform: 'darwin' }, ['fail kernel']],
  ] satisfies [string, Partial<MachineState>, string[]][])('%s', (_what, change, expected) => {
    expect(troubles(change)).toEqual(expected);
  });

  it('a rate that the kernel lowered is set back; where its limit is off, that comes first', () => {
    const settings = { ...USUAL_SETTINGS, maxSampleRateHz: 1500 };
    expect(check('max-sample-rate', { settings })).toMatchObject({
      state: 'warn',
      found: 'kernel.perf_event_max_sample_rate is 1500, less than the default -F 4000',
      fix: ['sudo sysctl kernel.perf_event_max_sample_rate=100000'],
    });
    const off = { ...settings, cpuTimeMaxPercent: 0 };
    expect(check('max-sample-rate', { settings: off }).fix).toEqual([
      'sudo sysctl kernel.perf_cpu_time_max_percent=25',
      'sudo sysctl kernel.perf_event_max_sample_rate=100000',
    ]);
  });

  it.each([
    [0, 2, 'sudo sysctl kernel.perf_event_paranoid=1'],
    [1, 1, 'sudo sysctl kernel.kptr_restrict=0'],
    [2, 1, 'sudo sysctl kernel.kptr_restrict=1'],
  ])('hidden kernel addresses, kptr_restrict %i, paranoid %i', (kptr, paranoid, command) => {
    const settings = { ...USUAL_SETTINGS, kptrRestrict: kptr, paranoidLevel: paranoid };
    const { fix } = check('kernel-symbols', { settings, seesKernelAddresses: false });
    expect(fix.join('\n')).toContain(command);
  });

  it('every check that did not pass says what to do', () => {
    const worst: Partial<MachineState> = {
      kernel: '4.4.0',
      settings: { ...USUAL_SETTINGS, maxSampleRateHz: 100, cpuTimeMaxPercent: 5, kptrRestrict: 2 },
      privileges: { perfmon: false, ipcLock: false },
      opens: { ownUser: '', ownKernel: 'EACCES', wholeCpu: 'EACCES', cycles: '' },
      features: { ...NEW_KERNEL, lost: false, inheritedRead: false },
      fdLimit: { soft: 1, hard: 1 },
      hasNmiWatchdog: true,
      tracepointProblem: { message: 'not mounted', fix: ['mount it'] },
      seesKernelAddresses: false,
      isTmpWritable: false,
    };
    const open = doctor({ ...READY, ...worst }).checks.filter(({ state }) => state !== 'ok');
    expect(open).toHaveLength(13);
    for (const { name, fix } of open) expect(fix, name).not.toEqual([]);
  });
});
