import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Inspector } from '../../../src/record/code-events/inspector.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers the list of targets with `list`, and a session's first message with these bytes. */
async function serve(list: string | null, frames: readonly Buffer[] = []): Promise<number> {
  const server = createServer((_, response) => {
    if (list !== null) response.end(list);
    else {
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    }
  });
  servers.push(server);
  server.on('upgrade', async (request, socket: Socket) => {
    const { createHash } = await import('node:crypto');
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.on('error', () => {});
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.once('data', async () => {
      for (const frame of frames) {
        socket.write(frame);
        await new Promise((written) => setTimeout(written, 5));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Frames of a server, which does not mask, cut into so many pieces. */
function frame(text: string, pieces = 1): Buffer[] {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(payload.length < 126 ? 2 : 4);
  head[0] = 0x81;
  head[1] = payload.length < 126 ? payload.length : 126;
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  const all = Buffer.concat([head, payload]);
  const size = Math.ceil(all.length / pieces);
  return Array.from({ length: pieces }, (_, i) => all.subarray(i * size, (i + 1) * size));
}

const LIST = JSON.stringify([{ webSocketDebuggerUrl: 'ws://127.0.0.1:1/a-b' }]);
const answer = (value: unknown) => JSON.stringify({ id: 1, result: { result: { value } } });

describe('an inspector', () => {
  it.each([
    ['no JSON', 'GET / HTTP'],
    ['no list', '{"webSocketDebuggerUrl":"ws://127.0.0.1/"}'],
    ['an address that is none', '[{"webSocketDebuggerUrl":"nowhere"}]'],
  ])('a listener is not taken for an inspector where the list is %s', async (_, list) => {
    await expect(Inspector.connect(await serve(list))).rejects.toThrow('not that of an inspector');
  });

  it('an inspector that answers a byte now and then has its time for all of them', async () => {
    await expect(Inspector.connect(await serve(null), 200)).rejects.toThrow('does not answer');
  });

  it.each([1, 3, 40])('an inspector may answer in %i pieces', async (pieces) => {
    const text = answer('x'.repeat(1000));
    const noise = ['not JSON', '[]', '{"id":"1"}', '{"id":7}'].flatMap((each) => frame(each));
    const inspector = await Inspector.connect(
      await serve(LIST, [...noise, ...frame(text, pieces)]),
    );
    expect(await inspector.evaluate('1')).toBe('x'.repeat(1000));
    inspector.close();
  });

  it.each([
    ['nothing', '{"id":1}', undefined],
    ['other types', '{"id":1,"result":[],"error":3}', undefined],
  ])('an inspector that answers with %s has evaluated nothing', async (_, text, value) => {
    const inspector = await Inspector.connect(await serve(LIST, frame(text)));
    expect(await inspector.evaluate('1')).toBe(value);
    inspector.close();
  });

  it('an inspector that announces a message of any length is left', async () => {
    const endless = Buffer.alloc(10, 0xff);
    endless[0] = 0x81;
    endless[1] = 127;
    const inspector = await Inspector.connect(await serve(LIST, [endless]));
    await expect(inspector.evaluate('1')).rejects.toThrow('closed its inspector');
  });

  it.each([
    ['ends', ''],
    ['throws', 'throw new Error("nobody catches this")'],
  ])('a process that %s while a session is open does not wait for ever', async (_, work) => {
    const program = `process.stdin.once('data', () => { process.stdin.destroy(); ${work} })`;
    const words = ['--inspect=127.0.0.1:0', '-e', program];
    const child = spawn(process.execPath, words, { stdio: ['pipe', 'ignore', 'pipe'] });
    const exit = once(child, 'exit');
    let printed = '';
    const PATIENCE = { timeout: 30_000, interval: 5 };
    child.stderr.on('data', (bytes) => {
      printed += bytes;
    });
    try {
      const address = () => /ws:\/\/127\.0\.0\.1:(\d+)/.exec(printed);
      const [, port] = await vi.waitUntil(address, PATIENCE);
      const inspector = await Inspector.connect(Number(port));
      child.stdin.write('end');
      // Its context is gone, and nothing can be evaluated any more; Node from 22 on does not wait for such a session.
      const waits = /Waiting for the debugger to disconnect/;
      await vi.waitUntil(() => waits.test(printed) || child.exitCode !== null, PATIENCE);
      await inspector.closeInspector();
      expect(await exit).toEqual([work === '' ? 0 : 1, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
