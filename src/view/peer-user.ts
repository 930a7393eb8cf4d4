import { readFileSync } from 'node:fs';

/**
 * Which user holds the other end of a connection from this machine: the kernel lists every TCP
 * socket with its owner. The address with its token stands in the arguments of the browser that is
 * started, where every user of the machine can read it, so the token alone does not keep them out.
 *
 *     sl  local_address rem_address   st tx_queue:rx_queue tr:tm->when retrnsmt   uid …
 *      1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000 …
 *
 * Null where no such socket is listed: the kernel was asked too late, or hides it.
 */
export function findPeerUser(
  peerPort: number,
  ownPort: number,
  readTable: () => string = () => readFileSync('/proc/net/tcp', 'latin1'),
): number | null {
  const local = `0100007F:${hexPort(peerPort)}`;
  const remote = `0100007F:${hexPort(ownPort)}`;
  let table: string;
  try {
    table = readTable();
  } catch {
    return null;
  }
  for (const line of table.split('\n')) {
    const fields = line.trim().split(/\s+/);
    if (fields[1] !== local || fields[2] !== remote) continue;
    const uid = Number(fields[7]);
    return Number.isInteger(uid) ? uid : null;
  }
  return null;
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
