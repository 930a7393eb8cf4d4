import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { readTextOrEmpty } from '../system/small-file.ts';
import { type Peer, PeerUsers } from './peer-user.ts';

/** Whoever has the address may ask, where the kernel does not tell users apart. */
const ADMITTED = null;

/**
 * Who is at the other end of each connection, found once when it is made. A stranger who has asked
 * for something is told why not; one who has not is hung up on, so that idle connections of others
 * don't fill the server.
 */
export class Visitors {
  readonly #users: readonly number[];
  readonly #peers: Pick<PeerUsers, 'find'>;
  readonly #refusals = new WeakMap<Socket, Promise<string | null>>();
  readonly #haveAsked = new WeakSet<Socket>();

  constructor(users: readonly number[], peers: Pick<PeerUsers, 'find'> = new PeerUsers()) {
    this.#users = users;
    this.#peers = peers;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const refusal = this.#judge(socket);
      this.#refusals.set(socket, refusal);
      void refusal.then((reason) => {
        if (reason !== ADMITTED && !this.#haveAsked.has(socket)) socket.destroy();
      });
    });
  }

  /** Why the request is not answered; null where it is. */
  refusalOf({ socket }: IncomingMessage): Promise<string | null> {
    this.#haveAsked.add(socket);
    return this.#refusals.get(socket) ?? Promise.resolve('this connection is not known');
  }

  async #judge({ remotePort = 0, localPort = 0 }: Socket): Promise<string | null> {
    const ends = { peerPort: remotePort, ownPort: localPort };
    const peer = await this.#peers.find(ends);
    // The list is not read at one moment: what moves in it meanwhile can be missed.
    return this.#refuse(peer.kind === 'unlisted' ? await this.#peers.find(ends) : peer);
  }

  #refuse(peer: Peer): string | null {
    switch (peer.kind) {
      case 'user':
        if (this.#users.includes(peer.uid)) return ADMITTED;
        return `this server is another user’s, and you are uid ${peer.uid}`;
      case 'unlisted':
        return isWsl() ? ADMITTED : 'whose connection this is can’t be told';
      case 'unknown':
        return ADMITTED;
    }
  }
}

/** Windows' own programs reach the loopback address of its Linux without a socket there. */
function isWsl(): boolean {
  return /microsoft/i.test(readTextOrEmpty('/proc/sys/kernel/osrelease'));
}
