import { readdirSync, readlinkSync } from 'node:fs';
import { readTextOrEmpty } from '../../system/small-file.ts';

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
  for (const fd of descriptorsOf(pid)) {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1];
    if (inode !== undefined) inodes.add(inode);
  }
  const ports = new Map<string, number>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of readTextOrEmpty(`/proc/${pid}/net/${table}`).split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [, local = '', , state, , , , , , inode = ''] = fields;
      if (state !== STATE_LISTEN || !inodes.has(inode)) continue;
      ports.set(inode, Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16));
    }
  }
  return ports;
}

function descriptorsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
