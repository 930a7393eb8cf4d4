import { listOrEmpty, readLinkOrNull, readTextOrEmpty } from '../../system/small-file.ts';

const STATE_LISTEN = '0A';

/**
 * The TCP ports on which a process listens, by the inodes of its sockets: those of its descriptors that
 * the kernel lists as listening in its network namespace.
 *
 *     sl  local_address rem_address   st tx_queue:rx_queue tr:tm->when retrnsmt   uid timeout inode
 *      0: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000       0 35217 …
 */
export function listeningPorts(pid: number): Map<string, number> {
  const inodes = new Set<string>();
  for (const fd of listOrEmpty(`/proc/${pid}/fd`)) {
    const inode = /^socket:\[(\d+)\]$/.exec(readLinkOrNull(`/proc/${pid}/fd/${fd}`) ?? '')?.[1];
    if (inode !== undefined) inodes.add(inode);
  }
  return new Map(portsAround(pid).filter(([inode]) => inodes.has(inode)));
}

/** Whether any process of that network namespace listens on the port. */
export function isPortTaken(pid: number, wanted: number): boolean {
  return portsAround(pid).some(([, port]) => port === wanted);
}

/** Listening sockets of the process's network namespace: inode and port. */
function portsAround(pid: number): [string, number][] {
  return ['tcp', 'tcp6'].flatMap((table) => {
    const lines = readTextOrEmpty(`/proc/${pid}/net/${table}`).split('\n').slice(1);
    return lines.flatMap((line): [string, number][] => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      if (state !== STATE_LISTEN) return [];
      return [[inode, Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)]];
    });
  });
}
