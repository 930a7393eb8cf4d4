import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/system/strangers/peer-user.ts';
import { Visitors } from '../../../src/system/strangers/visitors.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Answers with the reason of the refusal; the peer of each connection is found when `find` says. */
async function serve(find: () => Promise<Peer>): Promise<() => Socket> {
  const visitors = new Visitors([0, 1000], { find, findNow: () => null });
  server = createServer(async (request, response) => {
    response.end(`refused: ${await visitors.refusalOf(request)}`);
  });
  visitors.watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return () => connect((server.address() as AddressInfo).port, '127.0.0.1');
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

async function ask(peer: Peer): Promise<string> {
  let isRequested: (peer: Peer) => void = () => {};
  const known = new Promise<Peer>((resolve) => {
    isRequested = resolve;
  });
  const open = await serve(() => known);
  server.on('request', () => isRequested(peer));
  const socket = open();
  socket.write(REQUEST);
  return /refused: .*/.exec(await text(socket))?.[0] ?? '';
}

describe('a visitor', () => {
  it.each<[Peer, string]>([
    [{ kind: 'user', uid: 0 }, 'refused: null'],
    [{ kind: 'user', uid: 1000 }, 'refused: null'],
    [{ kind: 'unknown' }, 'refused: null'],
    [{ kind: 'user', uid: 1001 }, 'refused: this server is another user’s, and you are uid 1001'],
    [{ kind: 'unlisted' }, 'refused: whose connection this is can’t be told'],
  ])('visitor %o is answered: %s', async (peer, answer) => {
    expect(await ask(peer)).toBe(answer);
  });

  it('a connection of another user is closed even without a request', async () => {
    const open = await serve(async () => ({ kind: 'user', uid: 1001 }));
    const sockets = Array.from({ length: 20 }, open);
    // Some have begun to ask.
    sockets[0].write('GET / HTTP/1.1\r\nHost: x\r\n');
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
  });

  it.each<[string, number[] | null]>([
    ['that answers its own users', [0, 1000]],
    ['that answers everybody', null],
  ])(
    'a server %s has room for them however many connections another user holds',
    async (_, users) => {
      let uid = 1001;
      let open = 0;
      let most = 0;
      const findNow = (): Peer => ({ kind: 'user', uid });
      const visitors = new Visitors(users, { find: async () => findNow(), findNow });
      server = createServer((_request, response) => response.end('an answer'));
      server.on('connection', (socket) => {
        most = Math.max(most, ++open);
        socket.on('close', () => open--);
      });
      visitors.watch(server);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const arrive = () => connect(port, '127.0.0.1').on('error', () => {});
      const flood = Array.from({ length: 600 }, arrive);
      // All that are above the share of one user are hung up on.
      await new Promise<void>((resolve) => {
        let hungUp = 0;
        const count = (): void => {
          if (++hungUp === flood.length - 8) resolve();
        };
        for (const one of flood) one.on('close', count);
      });
      expect(most).toBe(8);
      uid = 1000;
      const socket = arrive();
      socket.write(REQUEST);
      expect(await text(socket)).toContain('an answer');
      for (const one of flood) one.destroy();
    },
  );

  it('a visitor is looked for twice before it is unlisted: the list is not read at one moment', async () => {
    const peers: Peer[] = [{ kind: 'unlisted' }, { kind: 'user', uid: 1000 }];
    const open = await serve(async () => peers.shift() as Peer);
    const socket = open();
    socket.write(REQUEST);
    expect(await text(socket)).toContain('refused: null');
  });
});
