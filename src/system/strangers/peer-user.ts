import { readFile } from 'node:fs/promises';
import { loadBinding } from '../../native/binding.ts';
import type { NativeBinding } from '../../native/types.ts';

/** The owner of the other end of a connection. */
export type Peer =
  | { readonly kind: 'user'; readonly uid: number }
  /** The kernel lists our end and not the other one: it is closed, or not of this machine. */
  | { readonly kind: 'unlisted' }
  /** The kernel lists no sockets to us. */
  | { readonly kind: 'unknown' };

/** Both ends of a connection. */
export type Ends = {
  readonly peerAddress: string;
  readonly peerPort: number;
  readonly ownAddress: string;
  readonly ownPort: number;
};

/** The kernel's lists of TCP sockets, as text; `tcp6` where `tcp` does not have the socket. */
export type SocketTables = (name: 'tcp' | 'tcp6') => Promise<string>;

/** Reading the lists takes at most this share of the time; they are as long as strangers make them. */
const READING_SHARE = 0.2;

/**
 * Which user holds the other end of a connection from this machine. The kernel is asked for that
 * socket, which costs the same however many there are; where it answers no such question, it lists
 * every TCP socket with its owner, and those of 127.0.0.1 are looked for there. The address with its
 * token stands in the arguments of the browser that is started, where every user of the machine can
 * read it, so the token alone does not keep them out.
 *
 *     sl  local_address rem_address   st tx_queue:rx_queue tr:tm->when retrnsmt   uid timeout inode
 *      1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000       0 902 …
 *
 * A socket of the address family of IPv6 reaches 127.0.0.1 as ::ffff:127.0.0.1, and stands in the
 * other list. Connections that come meanwhile are looked up together.
 */
export class PeerUsers {
  readonly #tables: SocketTables;
  readonly #ask: NativeBinding['connectionUser'];
  #next: Promise<SocketLists> | null = null;
  #idleUntilMs = 0;

  constructor(tables: SocketTables = readTable, ask = askKernel) {
    this.#tables = tables;
    this.#ask = ask;
  }

  /** Null where only the lists report it. */
  findNow({ peerAddress, peerPort, ownAddress, ownPort }: Ends): Peer | null {
    const uid = this.#ask(peerAddress, peerPort, ownAddress, ownPort);
    if (uid === undefined) return null;
    return uid === null ? { kind: 'unlisted' } : { kind: 'user', uid };
  }

  /** The user by the lists. */
  async find(ends: Ends): Promise<Peer> {
    const lists = await this.#listsFromNow();
    return findIn(await lists.tcp, ends, HEX_LOOPBACK) ?? this.#findMapped(lists, ends);
  }

  async #findMapped(lists: SocketLists, ends: Ends): Promise<Peer> {
    const found = findIn(await lists.tcp6(), ends, HEX_MAPPED_LOOPBACK);
    if (found !== null) return found;
    const ours = lineOf(await lists.tcp, HEX_LOOPBACK, ends.ownPort, ends.peerPort);
    return { kind: ours === null ? 'unknown' : 'unlisted' };
  }

  /** Lists that are read after this call. */
  #listsFromNow(): Promise<SocketLists> {
    this.#next ??= this.#readWhenIdle();
    return this.#next;
  }

  async #readWhenIdle(): Promise<SocketLists> {
    const waitMs = Math.max(0, this.#idleUntilMs - performance.now());
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    // Who asks from here on may have connected after the lists were read.
    this.#next = null;
    const tcp = this.#timed('tcp');
    let tcp6: Promise<string> | null = null;
    return {
      tcp,
      tcp6: () => {
        tcp6 ??= this.#timed('tcp6');
        return tcp6;
      },
    };
  }

  async #timed(name: 'tcp' | 'tcp6'): Promise<string> {
    const startMs = performance.now();
    const table = await this.#tables(name).catch(() => '');
    const endMs = performance.now();
    this.#idleUntilMs = endMs + (endMs - startMs) * (1 / READING_SHARE - 1);
    return table;
  }
}

type SocketLists = { readonly tcp: Promise<string>; tcp6(): Promise<string> };

const HEX_LOOPBACK = '0100007F';
const HEX_MAPPED_LOOPBACK = '0000000000000000FFFF00000100007F';

/** Field numbers of a line, and what a socket is that only waits for late packets. */
const STATE = 3;
const UID = 7;
const INODE = 9;
const TIME_WAIT = '06';

function findIn(table: string, { peerPort, ownPort }: Ends, loopback: string): Peer | null {
  const fields = lineOf(table, loopback, peerPort, ownPort);
  if (fields === null) return null;
  // Without an inode no process holds it, and the owner reads as root.
  const uid = fields[INODE] === '0' ? Number.NaN : Number(fields[UID]);
  return Number.isInteger(uid) ? { kind: 'user', uid } : { kind: 'unlisted' };
}

function lineOf(table: string, loopback: string, from: number, to: number): string[] | null {
  const sought = ` ${loopback}:${hexPort(from)} ${loopback}:${hexPort(to)} `;
  for (let at = table.indexOf(sought); at >= 0; at = table.indexOf(sought, at + 1)) {
    const start = table.lastIndexOf('\n', at) + 1;
    const end = table.indexOf('\n', at);
    const fields = table
      .slice(start, end < 0 ? undefined : end)
      .trim()
      .split(/\s+/);
    if (fields[STATE] !== TIME_WAIT) return fields;
  }
  return null;
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

const askKernel: NativeBinding['connectionUser'] = (...ends) => {
  try {
    return loadBinding().connectionUser(...ends);
  } catch {
    // Without the addon.
    return undefined;
  }
};

function readTable(name: 'tcp' | 'tcp6'): Promise<string> {
  return readFile(`/proc/net/${name}`, 'latin1');
}
