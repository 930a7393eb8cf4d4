import { describe, expect, it } from 'vitest';
import { grantLines, isConfining, readContainer } from '../../src/system/container.ts';

const FIRST_NAMESPACE = '         0          0 4294967295\n';
/** /proc as runc makes it. */
const MOUNTS = 'proc /proc proc rw 0 0\nproc /proc/sys proc ro,nosuid,nodev,noexec 0 0\n';
const OF_ANN = '         0       1000          1\n         1     100000      65536\n';
const DEBIAN = 'Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12) #1 SMP\n';
const GVISOR = 'Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n';
const WSL2 = 'Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f) (gcc) #1 SMP\n';
const WSL1 = 'Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) (gcc) #488-Microsoft\n';

/** The container of a process that sees these files. */
function containerOf(files: Readonly<Record<string, string>>) {
  const drawn = {
    '/proc/version': DEBIAN,
    '/proc/self/uid_map': FIRST_NAMESPACE,
    '/proc/self/mounts': MOUNTS,
    ...files,
  };
  return readContainer((path) => (drawn as Record<string, string>)[path] ?? null);
}

describe('the container of a process', () => {
  it.each([
    ['Docker', { '/.dockerenv': '' }],
    ['Podman', { '/run/.containerenv': '' }],
    [
      'Kubernetes',
      { '/.dockerenv': '', '/proc/self/environ': 'KUBERNETES_SERVICE_HOST=10.0.0.1\0' },
    ],
    ['gVisor', { '/.dockerenv': '', '/proc/version': GVISOR }],
    ['gVisor', { '/proc/self/environ': 'KUBERNETES_SERVICE_HOST=1\0', '/proc/version': GVISOR }],
    ['WSL2', { '/proc/version': WSL2 }],
    ['WSL1', { '/proc/version': WSL1 }],
    ['Docker', { '/.dockerenv': '', '/proc/version': WSL2 }],
  ])('the container is %s by %j', (kind, files) => {
    expect(containerOf(files)).toMatchObject({ kind, name: kind, isRootless: false });
  });

  it('the container has the name that its init was told', () => {
    const files = { '/proc/1/environ': 'A=b\0container=lxc\0', '/proc/self/uid_map': OF_ANN };
    expect(containerOf(files)).toMatchObject({ kind: 'other', name: 'lxc', isRootless: true });
  });

  it('the container is rootless where its root is another user outside', () => {
    const files = { '/run/.containerenv': '', '/proc/self/uid_map': OF_ANN };
    expect(containerOf(files)).toMatchObject({ kind: 'Podman', isRootless: true });
  });

  it('the container is none on a machine, nor on a kernel without user namespaces', () => {
    expect(containerOf({})).toBeNull();
    expect(readContainer(() => null)).toBeNull();
  });
});

describe('what a container has to be granted', () => {
  const lines = (kind: Parameters<typeof grantLines>[0]['kind'], isRootless = false) =>
    grantLines({ kind, name: kind, isRootless, isPrivileged: false }, true).join('\n');

  it('the grant is an option of docker run and podman run', () => {
    expect(lines('Docker')).toContain('docker run --cap-add PERFMON');
    expect(lines('Podman')).toContain('podman run --cap-add PERFMON');
    expect(lines('Docker')).toContain('as root inside');
  });

  it('the advice for a container tells of the filter only where one may be in the way', () => {
    const docker = {
      kind: 'Docker',
      name: 'Docker',
      isRootless: false,
      isPrivileged: false,
    } as const;
    expect(grantLines(docker)).toHaveLength(1);
    expect(grantLines(docker, true)).toHaveLength(2);
  });

  it('rootless it lets the call pass the filter, no more', () => {
    expect(lines('Podman', true)).toContain("the host's paranoid level decides");
  });

  it('the grant is a securityContext in Kubernetes, another runtime for gVisor, WSL2 for WSL1', () => {
    expect(lines('Kubernetes')).toContain('capabilities: { add: [PERFMON');
    expect(lines('Kubernetes')).toContain('seccompProfile');
    expect(lines('gVisor')).toContain('another runtime');
    expect(lines('WSL1')).toContain('wsl --set-version');
    expect(lines('WSL2')).toBe('');
    expect(lines('other')).toContain('CAP_PERFMON');
  });
});

it('a container confines unless the settings of its kernel can be changed inside', () => {
  const confines = (files: Readonly<Record<string, string>>) => isConfining(containerOf(files));
  expect(isConfining(null)).toBe(false);
  expect(confines({ '/.dockerenv': '' })).toBe(true);
  expect(confines({ '/.dockerenv': '', '/proc/self/mounts': 'proc /proc proc rw 0 0\n' })).toBe(
    false,
  );
  expect(confines({ '/proc/version': WSL2, '/proc/self/mounts': '' })).toBe(false);
  expect(
    confines({ '/.dockerenv': '', '/proc/self/mounts': '', '/proc/self/uid_map': OF_ANN }),
  ).toBe(true);
  expect(confines({ '/proc/version': GVISOR, '/proc/self/mounts': '' })).toBe(true);
});
