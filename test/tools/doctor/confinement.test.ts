import { describe, expect, it } from 'vitest';
import { readCgroupLimits, readConfinement } from '../../../src/tools/doctor/confinement.ts';

/** Files by path. */
const drawn = (files: Readonly<Record<string, string>>) => (path: string) => files[path] ?? null;

describe('the limits of a control group', () => {
  it('the limits are the narrowest of a control group and of those above it (version 2)', () => {
    const limits = readCgroupLimits(
      drawn({
        '/proc/self/cgroup': '0::/user.slice/app.service\n',
        '/sys/fs/cgroup/user.slice/app.service/cpu.max': '200000 100000\n',
        '/sys/fs/cgroup/user.slice/app.service/memory.max': 'max\n',
        '/sys/fs/cgroup/user.slice/cpu.max': '50000 100000\n',
        '/sys/fs/cgroup/user.slice/memory.max': '268435456\n',
        '/sys/fs/cgroup/cpu.max': 'max 100000\n',
      }),
    );
    expect(limits).toEqual({ cpuQuota: 0.5, memoryBytes: 268_435_456 });
  });

  it('the limits are in a tree for each controller (version 1)', () => {
    const limits = readCgroupLimits(
      drawn({
        '/proc/self/cgroup': '4:memory:/docker/1\n3:cpu,cpuacct:/docker/1\n0::/\n',
        '/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us': '150000\n',
        '/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us': '100000\n',
        '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '-1\n',
        '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
        '/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes': '9223372036854771712\n',
      }),
    );
    expect(limits).toEqual({ cpuQuota: 1.5, memoryBytes: null });
  });

  it('a control group without files has no limits', () => {
    expect(readCgroupLimits(drawn({}))).toEqual({ cpuQuota: null, memoryBytes: null });
    const odd = drawn({ '/proc/self/cgroup': 'x\n0::relative/path\n\n' });
    expect(readCgroupLimits(odd)).toEqual({ cpuQuota: null, memoryBytes: null });
  });
});

describe('what a process is kept to', () => {
  it('confinement is the capabilities that recording asks for', () => {
    const status = 'CapEff:\t0000004000084000\n';
    const { capabilities } = readConfinement(drawn({ '/proc/self/status': status }));
    expect(capabilities).toEqual(['CAP_PERFMON', 'CAP_IPC_LOCK', 'CAP_SYS_PTRACE']);
  });
});
