import { readTextOrNull } from './small-file.ts';

/** A place whose processes see the kernel through somebody else's rules. */
export type Container = {
  readonly kind:
    | 'Docker'
    | 'Podman'
    | 'Kubernetes'
    | 'gVisor'
    /** A virtual machine of Windows, whose kernel and settings are its own. */
    | 'WSL2'
    /** Windows' own imitation of Linux. */
    | 'WSL1'
    /** Its runtime told `container=NAME` only: LXC, systemd-nspawn. */
    | 'other';
  /** The name in texts: `Docker`, `lxc`. */
  readonly name: string;
  /** Its root is another user outside, so that none of its capabilities counts for perf events. */
  readonly isRootless: boolean;
  /** The kernel's settings are changed inside, and root is root: `--privileged`, WSL2, Kata. */
  readonly isPrivileged: boolean;
};

export type ReadText = (path: string) => string | null;

/**
 * The container that this process runs in; null: the machine itself. Known by the files that Docker and
 * Podman leave, the variables of Kubernetes, what an init was told (`container=lxc`), and the kernel's
 * own name:
 *
 *     Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016            gVisor, always this
 *     Linux version 5.15.167.4-microsoft-standard-WSL2 (root@…) …        WSL2
 *     Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) …    WSL1
 */
export function readContainer(read: ReadText = readTextOrNull): Container | null {
  const isRootless = isOtherUserNamespace(read('/proc/self/uid_map'));
  const version = read('/proc/version') ?? '';
  const canSet =
    !isRootless && !/^\S+ \/proc\/sys \S+ ro[, ]/m.test(read('/proc/self/mounts') ?? '');
  const of = (
    kind: Container['kind'],
    name: string = kind,
    isPrivileged: boolean = canSet,
  ): Container => ({ kind, name, isRootless, isPrivileged });
  // Docker and Kubernetes have gVisor as one of their runtimes: its kernel decides.
  if (/^Linux version 4\.4\.0 #1 SMP Sun Jan 10 15:06:54 PST 2016/.test(version)) {
    return of('gVisor', 'gVisor', false);
  }
  if (read('/run/.containerenv') !== null) return of('Podman');
  if ((read('/proc/self/environ') ?? '').includes('KUBERNETES_SERVICE_HOST=')) {
    return of('Kubernetes');
  }
  if (read('/.dockerenv') !== null) return of('Docker');
  const reported = /(?:^|\0)container=([\w.-]{1,32})/.exec(read('/proc/1/environ') ?? '')?.[1];
  if (reported !== undefined) return of('other', reported);
  if (/microsoft-standard/i.test(version)) return of('WSL2');
  return /-microsoft /i.test(version) ? of('WSL1') : null;
}

/** The first user namespace maps all ids to themselves: `0 0 4294967295`. */
function isOtherUserNamespace(uidMap: string | null): boolean {
  return uidMap !== null && !/^\s*0\s+0\s+4294967295\s*$/.test(uidMap);
}

/** Only from outside a container that confines can its processes get more rights. */
export function isConfining(container: Container | null): container is Container {
  return container !== null && !container.isPrivileged;
}

/**
 * How to start the container so that events open in it; empty where that is no matter of starting. With
 * `isFiltered` also what to do about a seccomp filter that refuses the call whatever is granted.
 */
export function grantLines({ kind, isRootless }: Container, isFiltered = false): string[] {
  const filter = (line: string) => (isFiltered ? [`if a filter refuses it still: ${line}`] : []);
  switch (kind) {
    case 'gVisor':
      return [
        "gVisor's kernel has no perf events: use another runtime (docker run --runtime runc …; " +
          'Kubernetes: no runtimeClassName of gVisor), or record on the host',
      ];
    case 'WSL1':
      return ['WSL1 has no perf events, WSL2 has: wsl --set-version DISTRIBUTION 2 (in Windows)'];
    case 'WSL2':
      return [];
    case 'Kubernetes':
      return [
        'in the pod: securityContext: { runAsUser: 0, capabilities: { add: [PERFMON, SYSLOG, SYS_PTRACE] } }',
        ...filter(
          'securityContext: { seccompProfile: { type: Unconfined } }, or Localhost with one that ' +
            'allows perf_event_open',
        ),
      ];
    case 'Docker':
    case 'Podman': {
      const run = kind === 'Docker' ? 'docker run' : 'podman run';
      const whose = isRootless
        ? "its filter then lets the call pass, and the host's paranoid level decides"
        : 'as root inside: other users of it get no capability';
      return [
        `${run} --cap-add PERFMON --cap-add SYSLOG --cap-add SYS_PTRACE … (${whose})`,
        ...filter(`${run} --security-opt seccomp=PROFILE …, one that allows perf_event_open`),
      ];
    }
    case 'other':
      return ['its runtime has to grant CAP_PERFMON, and to allow perf_event_open'];
  }
}
