import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PeerUsers } from '../../../src/system/strangers/peer-user.ts';

const TCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 900 1
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 901 1
   2: 0100007F:C350 0100007F:1F90 06 00000000:00000000 00:00000000 00000000     0        0 0 1
   3: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 902 1
   4: 0100007F:C351 0100007F:1F91 01 00000000:00000000 00:00000000 00000000  1001        0 903 1
   5: 0100007F:1F90 0100007F:C352 08 00000000:00000000 00:00000000 00000000     0        0 904 1
   6: 0100007F:C352 0100007F:1F90 05 00000000:00000000 00:00000000 00000000     0        0 0 1
   7: 0100007F:1F90 0100007F:C353 01 00000000:00000000 00:00000000 00000000     0        0 905 1
   8: 0100007F:1F90 0100007F:C354 01 00000000:00000000 00:00000000 00000000     0        0 905 1
`;
const TCP6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:C353 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 906 1
`;

const tables = async (name: 'tcp' | 'tcp6') => (name === 'tcp' ? TCP : TCP6);
const endsOf = (peerPort: number, ownPort: number, address = '127.0.0.1') => ({
  ...{ peerAddress: address, peerPort, ownAddress: address, ownPort },
});
const find = (peerPort: number, ownPort: number) =>
  new PeerUsers(tables).find(endsOf(peerPort, ownPort));

describe('who is at the other end of a connection', () => {
  it('the user of a connection is found by its socket, not by an earlier one', async () => {
    expect(await find(0xc350, 0x1f90)).toStrictEqual({ kind: 'user', uid: 1000 });
    expect(await find(0xc351, 0x1f91)).toStrictEqual({ kind: 'user', uid: 1001 });
  });

  it('the peer may reach us with a socket of IPv6', async () => {
    expect(await find(0xc353, 0x1f90)).toStrictEqual({ kind: 'user', uid: 1002 });
  });

  it('a socket without a process has no user', async () => {
    expect(await find(0xc352, 0x1f90)).toStrictEqual({ kind: 'unlisted' });
    expect(await find(0xc354, 0x1f90)).toStrictEqual({ kind: 'unlisted' });
  });

  it('the peer is not known where the kernel lists nothing', async () => {
    const ends = endsOf(0xc350, 0x1f90);
    const fail = () => Promise.reject(new Error('ENOENT'));
    expect(await new PeerUsers(fail).find(ends)).toStrictEqual({ kind: 'unknown' });
    expect(await new PeerUsers(async () => '').find(ends)).toStrictEqual({ kind: 'unknown' });
  });

  it('the peer is looked up together with others who came meanwhile', async () => {
    let reads = 0;
    const users = new PeerUsers((name) => {
      reads++;
      return tables(name);
    });
    const ends = endsOf(0xc350, 0x1f90);
    await Promise.all(Array.from({ length: 1000 }, () => users.find(ends)));
    expect(reads).toBe(1);
    await users.find(ends);
    expect(reads).toBe(2);
  });
});

describe('a connection of our own', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  it.each(['127.0.0.1', '::ffff:127.0.0.1'])('our sockets are our user’s: %s', async (host) => {
    const ownPort = (server.address() as AddressInfo).port;
    const client = connect(ownPort, host);
    const [socket] = await once(server, 'connection');
    const users = new PeerUsers();
    const ends = endsOf(socket.remotePort, ownPort);
    const ours = { kind: 'user', uid: process.geteuid?.() };
    expect(await users.find(ends)).toStrictEqual(ours);
    // Null where the kernel answers no questions about sockets.
    expect([ours, null]).toContainEqual(users.findNow(ends));
    const nobody = users.findNow({ ...ends, peerPort: ownPort });
    expect([{ kind: 'unlisted' }, null]).toContainEqual(nobody);
    client.destroy();
    socket.destroy();
  });
});
