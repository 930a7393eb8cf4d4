import type { BlockList } from 'node:net';
import { lateModules } from '../../base/late-modules.ts';

/** How near to us an address is: what is nearer trusts who can reach it, as metadata services do. */
export const REACH = { PUBLIC: 0, PRIVATE: 1, OURS: 2 } as const;
export type Reach = (typeof REACH)[keyof typeof REACH];

/** node:net is loaded with the first address: most reports ask no server. */
let nets: { readonly ours: BlockList; readonly privates: BlockList } | null = null;

function makeNets() {
  const ours = listOf(
    ['127.0.0.0', 8],
    ['0.0.0.0', 8],
    ['169.254.0.0', 16],
    ['::1', 128],
    ['fe80::', 10],
  );
  ours.addAddress('::', 'ipv6');
  const privates = listOf(
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['100.64.0.0', 10],
    ['fc00::', 7],
  );
  return { ours, privates };
}

/**
 * Whether a server that the user named may send us on to `to`. Mirrors do, to other machines of the net;
 * but none may make us ask what only this machine or its network reaches, or give up encryption.
 */
export async function mayRedirect(
  from: URL,
  to: URL,
  reachOf: (host: string) => Promise<Reach> = findReach,
): Promise<boolean> {
  if (to.protocol !== 'https:' && to.protocol !== 'http:') return false;
  if (from.protocol === 'https:' && to.protocol === 'http:') return false;
  if (to.host === from.host) return true;
  const reach = await reachOf(to.hostname);
  return reach !== REACH.OURS && reach <= (await reachOf(from.hostname));
}

/** The nearest of a host's addresses. */
async function findReach(hostname: string): Promise<Reach> {
  const found = await lateModules.dns.lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true });
  return Math.max(...found.map(({ address, family }) => reachOfAddress(address, family))) as Reach;
}

export function reachOfAddress(address: string, family: number): Reach {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return reachOfAddress(mapped, 4);
  const type = family === 6 ? 'ipv6' : 'ipv4';
  nets ??= makeNets();
  if (nets.ours.check(address, type)) return REACH.OURS;
  return nets.privates.check(address, type) ? REACH.PRIVATE : REACH.PUBLIC;
}

function listOf(...nets: readonly (readonly [net: string, prefix: number])[]): BlockList {
  const list = new lateModules.net.BlockList();
  for (const [net, prefix] of nets) {
    list.addSubnet(net, prefix, net.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
