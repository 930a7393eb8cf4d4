import { expect, test } from 'vitest';
import { readProcessContext } from '../../../src/tools/agent/service/process-context.ts';
import { protobufBytes } from '../../helpers/protobuf.ts';

const CONTEXT = 0x7f00_0000_0000n;
const PAYLOAD = 0x7f00_0000_2000n;
const pair = Buffer.concat([
  protobufBytes(1, 'service.name'),
  protobufBytes(2, protobufBytes(1, 'shop')),
]);
const payload = protobufBytes(1, protobufBytes(1, pair));

function header(at: bigint): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.write('OTEL_CTX');
  bytes.writeUInt32LE(2, 8);
  bytes.writeUInt32LE(payload.length, 12);
  bytes.writeBigUInt64LE(1n, 16);
  bytes.writeBigUInt64LE(at, 24);
  return bytes;
}

/** What a process publishes whose payload lies in the last of these areas, and the addresses that were read. */
async function read(context: string, area: string) {
  const asked: bigint[] = [];
  const maps = [
    `${CONTEXT.toString(16)}-7f0000001000 rw-p 00000000 00:01 5 ${context}`,
    `${PAYLOAD.toString(16)}-7f0000003000 rw-p 00000000 00:2f 2 ${area}`,
  ].join('\n');
  const found = await readProcessContext(7, maps, {
    memory: async (_, address) => {
      asked.push(address);
      return address === CONTEXT ? header(PAYLOAD) : Buffer.from(payload);
    },
  });
  return { found, asked };
}

test.each([
  ['/memfd:OTEL_CTX (deleted)', ''],
  ['[anon:OTEL_CTX]', '[heap]'],
  ['[anon_shmem:OTEL_CTX]', '[anon: arena]'],
])('a context in %s is read with a payload in memory of no file (%s)', async (context, area) => {
  expect((await read(context, area)).found).toEqual({ 'service.name': 'shop' });
});

test.each(['/mnt/served/f', '/memfd:/served', '/dev/shm/f'])(
  'a payload in pages of the file %s, which its server may never deliver, is not read',
  async (area) => {
    const { found, asked } = await read('/memfd:OTEL_CTX (deleted)', area);
    expect(found).toBe(null);
    expect(asked).toEqual([CONTEXT]);
  },
);

test('a context in a file of that name is not looked at', async () => {
  const { found, asked } = await read('/mnt/memfd:OTEL_CTX', '');
  expect([found, asked]).toEqual([null, []]);
});
