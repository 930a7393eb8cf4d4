import { createHash, randomBytes } from 'node:crypto';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { FailedError } from '../../base/errors.ts';

/** Fixed by RFC 6455, section 1.3. */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const OPCODE = { text: 1, close: 8, ping: 9 } as const;
const FINAL = 0x80;
const MASKED = 0x80;
/** An inspector answers one evaluation; a longer message is no answer of it. */
const MOST_MESSAGE_BYTES = 1 << 20;

/**
 * The client's side of a WebSocket (RFC 6455), as far as an inspector needs it: text messages, each in
 * one frame. Node has a client of its own from version 22.
 */
export class WebSocketClient {
  readonly #socket: Socket;
  readonly #onMessage: (text: string) => void;
  readonly closed: Promise<void>;
  #received: Buffer;

  /** Connects to `ws://127.0.0.1:port/path`; rejects where the server is none, or does not answer. */
  static connect(
    url: URL,
    onMessage: (text: string) => void,
    timeoutMs: number,
  ): Promise<WebSocketClient> {
    const key = randomBytes(16).toString('base64');
    return new Promise((resolve, reject) => {
      const request = get({
        host: url.hostname,
        port: url.port,
        path: url.pathname,
        timeout: timeoutMs,
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Key': key,
          'Sec-WebSocket-Version': '13',
        },
      });
      request.once('error', reject);
      request.once('timeout', () =>
        request.destroy(new FailedError('the inspector does not answer')),
      );
      request.once('response', (response) => {
        response.destroy();
        reject(new FailedError(`the inspector refuses a session: ${response.statusCode}`));
      });
      request.once('upgrade', (response, socket, head) => {
        const expected = createHash('sha1').update(`${key}${ACCEPT_SUFFIX}`).digest('base64');
        if (response.headers['sec-websocket-accept'] !== expected) {
          socket.destroy();
          reject(new FailedError('the port is not that of an inspector'));
          return;
        }
        resolve(new WebSocketClient(socket as Socket, head, onMessage));
      });
    });
  }

  private constructor(socket: Socket, head: Buffer, onMessage: (text: string) => void) {
    this.#socket = socket;
    this.#onMessage = onMessage;
    this.#received = Buffer.alloc(0);
    socket.setTimeout(0);
    socket.on('error', () => socket.destroy());
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (bytes) => this.#receive(bytes));
    if (head.length > 0) this.#receive(head);
  }

  send(text: string): void {
    const payload = Buffer.from(text);
    const mask = randomBytes(4);
    for (let i = 0; i < payload.length; i++) payload[i] ^= mask[i & 3];
    this.#socket.write(Buffer.concat([frameHead(payload.length), mask, payload]));
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const frame = takeFrame(this.#received);
      if (frame === null) break;
      this.#received = this.#received.subarray(frame.end);
      if (frame.opcode === OPCODE.close) this.close();
      if (frame.opcode === OPCODE.text) this.#onMessage(frame.payload.toString());
    }
    if (this.#received.length > MOST_MESSAGE_BYTES) this.close();
  }
}

/** A final text frame of a client, up to the mask. */
function frameHead(length: number): Buffer {
  if (length < 126) return Buffer.from([FINAL | OPCODE.text, MASKED | length]);
  const head = Buffer.alloc(length < 65536 ? 4 : 10);
  head[0] = FINAL | OPCODE.text;
  head[1] = MASKED | (length < 65536 ? 126 : 127);
  if (length < 65536) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** The first frame of a server, which does not mask; null while it is not whole. */
function takeFrame(bytes: Buffer): { opcode: number; payload: Buffer; end: number } | null {
  if (bytes.length < 2) return null;
  const short = bytes[1] & 0x7f;
  const at = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < at) return null;
  const length =
    short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const end = at + length;
  if (bytes.length < end) return null;
  return { opcode: bytes[0] & 0x0f, payload: bytes.subarray(at, end), end };
}
