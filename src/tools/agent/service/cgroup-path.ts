/** Facts in the path of a process's control group about who started it. */
export type CgroupFacts = {
  /** `web.service`; null for sessions, users' managers and containers. */
  readonly unit: string | null;
  /** 64 hexadecimal digits; null outside of containers. */
  readonly containerId: string | null;
  /** UID of a Kubernetes pod, with dashes; null outside. */
  readonly podUid: string | null;
};

const CONTAINER_ID = /(?:^|[/:-])([0-9a-f]{64})(?:\.scope)?(?:$|\/)/g;
const POD_UID = /pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})/;
const UNIT = /\/([^/]+\.(?:service|scope))(?=\/|$)/g;
/** Names that say nothing of what runs there. */
const NO_SERVICE =
  /^(?:session-.*|init|user@\d+|.*-[0-9a-f]{64}|.*@\d+-[0-9a-f]+)\.(?:scope|service)$/;

/**
 * Reads `/proc/PID/cgroup`, all hierarchies of it:
 *
 *     0::/system.slice/web.service
 *     0::/system.slice/docker-4f0c….scope
 *     0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod6a2c_….slice/cri-containerd-9be1….scope
 *     12:cpu:/kubepods/besteffort/pod6a2c-…/9be1…
 *
 * The innermost container and the innermost unit that is a service count.
 */
export function readCgroup(text: string): CgroupFacts {
  let unit: string | null = null;
  let containerId: string | null = null;
  let podUid: string | null = null;
  for (const line of text.split('\n')) {
    const path = line.slice(line.indexOf(':', line.indexOf(':') + 1) + 1);
    for (const [, id] of path.matchAll(CONTAINER_ID)) containerId = id ?? containerId;
    podUid ??= POD_UID.exec(path)?.[1]?.replaceAll('_', '-') ?? null;
    for (const [, name] of path.matchAll(UNIT)) {
      if (name !== undefined && !NO_SERVICE.test(name)) unit = unescapeUnit(name);
    }
  }
  return { unit: containerId === null ? unit : null, containerId, podUid };
}

/** systemd writes bytes that its names can't have as `\x2d`. */
function unescapeUnit(name: string): string {
  return name.replace(/\\x([0-9a-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
