import { describe, expect, it } from 'vitest';
import type { Container } from '../../../src/system/container.ts';
import type { Check } from '../../../src/tools/doctor/check.ts';
import { judgeMachine } from '../../../src/tools/doctor/examine.ts';
import type { MachineState } from '../../../src/tools/doctor/machine-state.ts';
import { drawnPlace } from '../../helpers/drawn-place.ts';
import { NEW_KERNEL, USUAL_SETTINGS } from '../../system/kernel/fake-kernel.ts';

/** Bare metal, root: nothing stands in the way. */
const READY: MachineState = {
  platform: 'linux',
  kernel: '6.18.1',
  addonProblem: null,
  settings: USUAL_SETTINGS,
  privileges: { perfmon: true, ipcLock: true },
  hasSeccompFilter: false,
  place: drawnPlace({ isRoot: true }),
  confinement: {
    capabilities: ['CAP_PERFMON', 'CAP_SYS_ADMIN', 'CAP_IPC_LOCK'],
    cgroup: { cpuQuota: null, memoryBytes: null },
  },
  noCounters: null,
  opens: { ownUser: '', ownKernel: '', wholeCpu: '', cycles: '', callStacks: '' },
  features: NEW_KERNEL,
  fdLimit: { soft: 1024, hard: 20_000 },
  onlineCpus: 8,
  hasNmiWatchdog: false,
  tracepointProblem: null,
  seesKernelAddresses: true,
  isTmpWritable: true,
  nodeWritesPerfMaps: true,
};

/** A container whose root is the host's. */
const containerOf = (kind: Container['kind'], isRootless = false): Container => ({
  kind,
  name: kind,
  isRootless,
  isPrivileged: false,
});

const NOTHING_OPENS = (code: string) => ({
  ownUser: code,
  ownKernel: code,
  wholeCpu: code,
  cycles: code,
  callStacks: code,
});

/** The checks that did not pass, as `state name`. */
function troubles(change: Partial<MachineState>): string[] {
  return judgeMachine({ ...READY, ...change })
    .checks.filter(({ state }) => state !== 'ok')
    .map(({ state, name }) => `${state} ${name}`);
}

function check(name: string, change: Partial<MachineState>): Check {
  const found = judgeMachine({ ...READY, ...change }).checks.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no check ${name}`);
  return found;
}

describe('the doctor', () => {
  it('the doctor finds nothing on a machine that has everything', () => {
    expect(troubles({})).toEqual([]);
    expect(judgeMachine(READY).ready).toBe(true);
  });

  it('an ordinary user with paranoid 2 is ready, with limits', () => {
    const change: Partial<MachineState> = {
      privileges: { perfmon: false, ipcLock: false },
      place: drawnPlace(),
      opens: { ownUser: '', ownKernel: 'EACCES', wholeCpu: 'EACCES', cycles: '', callStacks: '' },
      seesKernelAddresses: false,
      tracepointProblem: { message: 'no permission', fix: ['sudo …'] },
    };
    expect(troubles(change)).toEqual([
      'warn kernel-code',
      'warn whole-cpus',
      'warn capabilities',
      'warn tracepoints',
      'warn ring-memory',
      'warn kernel-symbols',
    ]);
    expect(judgeMachine({ ...READY, ...change }).ready).toBe(true);
    expect(check('kernel-code', change).fix).toContain(
      'for now:      sudo sysctl kernel.perf_event_paranoid=1',
    );
    expect(check('ring-memory', change).found).toBe(
      'rings of 256 KiB a CPU: kernel.perf_event_mlock_kb is 516, and RLIMIT_MEMLOCK 64 KiB',
    );
  });

  it('a seccomp filter that refuses the call is not a matter of the paranoid level', () => {
    const place = drawnPlace({ isRoot: true, container: containerOf('Docker') });
    const change = { opens: NOTHING_OPENS('EPERM'), hasSeccompFilter: true, place };
    const own = check('own-programs', change);
    expect(own.state).toBe('fail');
    expect(own.found).toContain('a seccomp filter is in force, in a container (Docker)');
    expect(own.fix.join('\n')).not.toContain('sysctl');
    // Root already is who it is.
    expect(own.fix.join('\n')).not.toContain('sudo perf-ts');
    expect(check('kernel-code', change).fix).toEqual([
      'what refuses own-programs refuses this too; see there',
    ]);
    expect(own.fix.join('\n')).toContain('docker run --cap-add PERFMON');
    expect(judgeMachine({ ...READY, ...change }).ready).toBe(false);
  });

  it.each([
    ['', 'cycles opens with them'],
    ['EOPNOTSUPP', 'there are none (EOPNOTSUPP)'],
    ['EACCES', 'not to be tried (EACCES)'],
  ])('the check of call-stack records is informational: %j', (callStacks, found) => {
    const opens = { ...READY.opens!, callStacks };
    expect(check('call-stack-records', { opens })).toMatchObject({ state: 'ok', found, fix: [] });
  });

  it("the kernel's features are unknown without an event that opens", () => {
    const names = judgeMachine({ ...READY, opens: NOTHING_OPENS('ENOSYS') }).checks.map(
      (c) => c.name,
    );
    expect(names).not.toContain('counts-with-inherit');
  });

  it('checks that need the addon do not run without it, and only these', () => {
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
      { features: { ...NEW_KERNEL, lost: false, inheritedRead: false, buildId: false } },
      ['warn counts-with-inherit', 'warn lost-counts', 'warn build-ids'],
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
      found: 'kernel.perf_event_max_sample_rate is 1500, less than the default -F 3989',
      fix: ['sysctl kernel.perf_event_max_sample_rate=100000'],
    });
    const off = { ...settings, cpuTimeMaxPercent: 0 };
    expect(check('max-sample-rate', { settings: off }).fix).toEqual([
      'sysctl kernel.perf_cpu_time_max_percent=25',
      'sysctl kernel.perf_event_max_sample_rate=100000',
    ]);
  });

  it.each([
    [0, 2, 'sudo sysctl kernel.perf_event_paranoid=1'],
    [1, 1, 'sudo sysctl kernel.kptr_restrict=0'],
    [2, 1, 'sudo sysctl kernel.kptr_restrict=1'],
  ])('hidden kernel addresses, kptr_restrict %i, paranoid %i', (kptr, paranoid, command) => {
    const settings = { ...USUAL_SETTINGS, kptrRestrict: kptr, paranoidLevel: paranoid };
    const { fix } = check('kernel-symbols', {
      settings,
      seesKernelAddresses: false,
      place: drawnPlace(),
    });
    expect(fix.join('\n')).toContain(command);
  });

  describe('in a container', () => {
    /** An ordinary process of it: without capabilities, with the host's paranoid level 2. */
    const inside = (
      kind: Container['kind'],
      code: string,
      isRootless = false,
    ): Partial<MachineState> => ({
      place: drawnPlace({ isRoot: true, container: containerOf(kind, isRootless) }),
      privileges: { perfmon: false, ipcLock: false },
      confinement: { ...READY.confinement, capabilities: [] },
      hasSeccompFilter: code === 'EPERM',
      opens: NOTHING_OPENS(code),
    });
    const fixes = (name: string, change: Partial<MachineState>) =>
      check(name, change).fix.join('\n');

    it.each([
      ['Docker', 'EPERM', 'docker run --cap-add PERFMON'],
      ['Podman', 'EPERM', 'podman run --cap-add PERFMON'],
      ['Podman', 'ENOSYS', 'podman run --cap-add PERFMON'],
      ['Kubernetes', 'EPERM', 'securityContext: { runAsUser: 0, capabilities: { add: [PERFMON'],
      ['gVisor', 'ENODEV', "gVisor's kernel has no perf events: use another runtime"],
      ['WSL1', 'ENOSYS', 'wsl --set-version DISTRIBUTION 2'],
      ['other', 'EPERM', 'its runtime has to grant CAP_PERFMON'],
    ] as const)('%s that answers %s has its own fix, and no sudo', (kind, code, fix) => {
      const own = fixes('own-programs', inside(kind, code));
      expect(own).toContain(fix);
      expect(own).not.toMatch(/sudo (?:env|perf-ts)/);
      expect(judgeMachine({ ...READY, ...inside(kind, code) }).ready).toBe(false);
    });

    it('rootless, the paranoid level of the host decides', () => {
      const opens = {
        ownUser: '',
        ownKernel: 'EACCES',
        wholeCpu: 'EACCES',
        cycles: '',
        callStacks: '',
      };
      const change = { ...inside('Podman', 'EACCES', true), opens };
      expect(check('container', change).found).toBe('in a container (rootless Podman)');
      expect(fixes('kernel-code', change)).toContain(
        'on the host:  sudo sysctl kernel.perf_event_paranoid=1',
      );
      expect(fixes('capabilities', change)).toContain("the host's paranoid level decides");
    });

    it('WSL2 is a machine, whose counters Windows switches on', () => {
      const container = { ...containerOf('WSL2'), isPrivileged: true };
      const place = drawnPlace({ container });
      const opens = { ...NOTHING_OPENS('EACCES'), ownUser: '', cycles: 'ENOENT' };
      const change = { ...inside('WSL2', 'EACCES'), place, opens };
      expect(check('container', change).found).toBe('WSL2');
      expect(fixes('kernel-code', change)).toContain('or run it as root: sudo env');
      expect(fixes('hardware-counters', change)).toContain('hardwarePerformanceCounters=true');
    });
  });

  it('an ordinary user learns how a copy of Node gets the capabilities', () => {
    const opens = { ...NOTHING_OPENS('EACCES'), ownUser: '' };
    const privileges = { perfmon: false, ipcLock: false };
    const { fix } = check('capabilities', { place: drawnPlace(), opens, privileges });
    expect(fix[0]).toBe(
      'run it as root: sudo env "PATH=$PATH" perf-ts record … (the command still runs as you)',
    );
    expect(fix[1]).toContain('sudo install -m 750 -g "$(id -gn)" /home/ann/.nvm/');
    expect(fix[1]).toContain('setcap cap_perfmon,');
    const place = drawnPlace({ hasSudo: false });
    expect(check('capabilities', { place, opens, privileges }).fix).toHaveLength(1);
    // At the levels of distributions many kernels ask for CAP_SYS_ADMIN.
    const settings = { ...READY.settings, paranoidLevel: 3 };
    const above = check('capabilities', { place: drawnPlace(), opens, privileges, settings });
    expect(above.matters).toBe('with CAP_SYS_ADMIN the paranoid level does not apply');
    expect(above.fix).toHaveLength(1);
  });

  it('the doctor names in a container the limits of the control group, and the command that lifts them', () => {
    const narrow = (kind: Container['kind'] | null): Partial<MachineState> => ({
      place: drawnPlace({ container: kind === null ? null : containerOf(kind) }),
      confinement: {
        ...READY.confinement,
        cgroup: { cpuQuota: 1.5, memoryBytes: 2 ** 28 },
      },
    });
    expect(troubles(narrow(null))).toEqual(['warn cpu-quota', 'warn memory-limit']);
    expect(check('cpu-quota', narrow('Docker'))).toMatchObject({
      found: '1.5 of 8 CPUs for the control group',
      fix: ['docker update --cpus 8 CONTAINER'],
    });
    expect(check('cpu-quota', narrow('Kubernetes')).fix).toEqual([
      'in the pod: resources: { limits: { cpu: 8 } }',
    ]);
    expect(check('memory-limit', narrow(null))).toMatchObject({
      found: '256 MiB for the control group',
      fix: ['sudo systemctl set-property UNIT MemoryMax=512M'],
    });
    expect(check('container', narrow('Podman')).found).toBe('in a container (Podman)');
  });

  it('the doctor names in a container the capabilities, and a seccomp filter that lets the call pass', () => {
    expect(check('capabilities', {}).found).toBe('CAP_PERFMON, CAP_SYS_ADMIN, CAP_IPC_LOCK');
    expect(check('seccomp', { hasSeccompFilter: true })).toMatchObject({
      state: 'ok',
      found: 'a filter is in force, and lets perf_event_open pass',
    });
    const refused = { hasSeccompFilter: true, opens: NOTHING_OPENS('EPERM') };
    expect(check('seccomp', refused).state).toBe('warn');
  });

  it('the doctor names the hypervisor that hides the PMU', () => {
    const opens = { ...READY.opens!, cycles: 'ENOENT' };
    const noCounters = { reason: 'KVM does not pass the PMU on', fix: ['-cpu host,pmu=on'] };
    expect(check('hardware-counters', { opens, noCounters })).toMatchObject({
      found: 'cycles does not open (ENOENT): KVM does not pass the PMU on',
      fix: ['-cpu host,pmu=on', expect.stringContaining('perf-ts record -e cpu-clock')],
    });
  });

  it('every failed check has a fix', () => {
    const worst: Partial<MachineState> = {
      place: drawnPlace({ container: containerOf('Docker') }),
      kernel: '4.4.0',
      settings: { ...USUAL_SETTINGS, maxSampleRateHz: 100, cpuTimeMaxPercent: 5, kptrRestrict: 2 },
      privileges: { perfmon: false, ipcLock: false },
      opens: { ownUser: '', ownKernel: 'EACCES', wholeCpu: 'EACCES', cycles: '', callStacks: '' },
      features: { ...NEW_KERNEL, lost: false, inheritedRead: false },
      fdLimit: { soft: 1, hard: 1 },
      hasNmiWatchdog: true,
      tracepointProblem: { message: 'not mounted', fix: ['mount it'] },
      seesKernelAddresses: false,
      isTmpWritable: false,
      confinement: {
        capabilities: [],
        cgroup: { cpuQuota: 0.5, memoryBytes: 2 ** 26 },
      },
    };
    const open = judgeMachine({ ...READY, ...worst }).checks.filter(({ state }) => state !== 'ok');
    expect(open).toHaveLength(16);
    for (const { name, fix } of open) expect(fix, name).not.toEqual([]);
  });
});
