import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { findPeerUser } from '../../src/view/peer-user.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 900 1
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 901 1
   2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 902 1
   3: 0100007F:C351 0100007F:1F91 01 00000000:00000000 00:00000000 00000000  1001        0 903 1
`;

it('finds who owns the other end of a connection', () => {
  expect(findPeerUser(0xc350, 0x1f90, () => TABLE)).toBe(1000);
  expect(findPeerUser(0xc351, 0x1f91, () => TABLE)).toBe(1001);
});

it('says nothing where no such socket is listed, or there is no list', () => {
  expect(findPeerUser(0xc351, 0x1f90, () => TABLE)).toBe(null);
  const fail = () => {
    throw new Error('ENOENT');
  };
  expect(findPeerUser(0xc350, 0x1f90, fail)).toBe(null);
});

it('finds our own user at the other end of our own connection', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ownPort = (server.address() as AddressInfo).port;
  const client = connect(ownPort, '127.0.0.1');
  const [socket] = await once(server, 'connection');
  const user = findPeerUser(socket.remotePort, ownPort);
  client.destroy();
  socket.destroy();
  server.close();
  expect(user).toBe(process.geteuid?.());
  expect(readFileSync('/proc/net/tcp', 'latin1')).toContain('local_address');
});
