import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { readTextOrEmpty } from '../small-file.ts';
import { type Peer, PeerUsers } from './peer-user.ts';

/** Whoever has the address may ask, where the kernel does not tell users apart. */
const ADMITTED = null;

/** Connections at a time of root, of our own user, and of each that is admitted by name. */
const MOST_OF_OURS = 128;
/** Connections at a time of each other user, and of all of them: whoever has other users' numbers has many. */
const MOST_OF_ANOTHER = 8;
const MOST_OF_OTHERS = 256;
/** The time that a stranger has to ask, and be told why not. */
const ASKING_MS = 1000;

/**
 * Limits of the time that requests and idle connections take; with what Node looks after them. A
 * request comes from this machine, and only recordings that are sent have a body, for which there is a
 * limit of its own.
 */
export const VISITOR_TIMES = {
  headersTimeout: 5000,
  requestTimeout: 0,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
} as const;

/** Connections that wait until they are taken: the kernel makes it less where its own bound is less. */
export const VISITOR_BACKLOG = 4096;

type Lookup = Pick<PeerUsers, 'find' | 'findNow'>;

/**
 * The connections to a server of this machine, by who is at their other ends, found once when they are
 * made. No user takes the room of others: what is above a user's share is hung up on at once, before it
 * costs more. Where only some users are answered, a stranger who has asked for something is told why
 * not; one who has not is hung up on.
 */
export class Visitors {
  readonly #users: readonly number[] | null;
  readonly #peers: Lookup;
  readonly #refusals = new WeakMap<Socket, Promise<string | null>>();
  readonly #haveAsked = new WeakSet<Socket>();
  /** Counts by user; null: unknown users. */
  readonly #open = new Map<number | null, number>();
  #ofOthers = 0;

  /** `users`: who is answered; null: everybody. */
  constructor(users: readonly number[] | null, peers: Lookup = new PeerUsers()) {
    this.#users = users;
    this.#peers = peers;
  }

  /** Before the server takes connections. */
  watch(server: Server): void {
    const serve = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const peer = this.#peers.findNow(endsOf(socket));
      const uid = peer?.kind === 'user' ? peer.uid : null;
      // One that its other end has closed has no address any more.
      if (socket.remoteAddress === undefined || !this.#takeShare(socket, uid)) {
        // Leaves nothing behind in the kernel either.
        socket.resetAndDestroy();
        return;
      }
      if (this.#users !== null) this.#judge(socket, peer);
      for (const one of serve) one.call(server, socket);
    });
  }

  /** Why the request is not answered; null where it is. */
  refusalOf({ socket }: IncomingMessage): Promise<string | null> {
    this.#haveAsked.add(socket);
    return this.#refusals.get(socket) ?? Promise.resolve('this connection is not known');
  }

  /** False where all connections of the user are taken. */
  #takeShare(socket: Socket, uid: number | null): boolean {
    const isOurs = uid === null || this.#isOurs(uid);
    const open = this.#open.get(uid) ?? 0;
    if (open >= (isOurs ? MOST_OF_OURS : MOST_OF_ANOTHER)) return false;
    if (!isOurs && this.#ofOthers >= MOST_OF_OTHERS) return false;
    this.#open.set(uid, open + 1);
    if (!isOurs) this.#ofOthers++;
    socket.once('close', () => {
      const left = (this.#open.get(uid) ?? 1) - 1;
      if (left === 0) this.#open.delete(uid);
      else this.#open.set(uid, left);
      if (!isOurs) this.#ofOthers--;
    });
    return true;
  }

  #isOurs(uid: number): boolean {
    return uid === 0 || uid === process.geteuid?.() || this.#users?.includes(uid) === true;
  }

  #judge(socket: Socket, peer: Peer | null): void {
    const refusal = peer === null ? this.#lookUp(socket) : Promise.resolve(this.#refuse(peer));
    this.#refusals.set(socket, refusal);
    void refusal.then((reason) => {
      if (reason === ADMITTED || this.#haveAsked.has(socket)) return;
      const end = (): void => {
        if (!this.#haveAsked.has(socket)) socket.destroy();
      };
      setTimeout(end, ASKING_MS).unref();
    });
  }

  async #lookUp(socket: Socket): Promise<string | null> {
    const ends = endsOf(socket);
    const peer = await this.#peers.find(ends);
    // The list is not read at one moment: what moves in it meanwhile can be missed.
    return this.#refuse(peer.kind === 'unlisted' ? await this.#peers.find(ends) : peer);
  }

  #refuse(peer: Peer): string | null {
    switch (peer.kind) {
      case 'user':
        if (this.#users?.includes(peer.uid)) return ADMITTED;
        return `this server is another user’s, and you are uid ${peer.uid}`;
      case 'unlisted':
        return isWsl() ? ADMITTED : 'whose connection this is can’t be told';
      case 'unknown':
        return ADMITTED;
    }
  }
}

function endsOf({ remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 }: Socket) {
  return {
    peerAddress: remoteAddress,
    peerPort: remotePort,
    ownAddress: localAddress,
    ownPort: localPort,
  };
}

/** Windows' own programs reach the loopback address of its Linux without a socket there. */
function isWsl(): boolean {
  return /microsoft/i.test(readTextOrEmpty('/proc/sys/kernel/osrelease'));
}
