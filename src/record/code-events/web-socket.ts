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
  /** Received pieces of frames that are not complete yet. */
  #pieces: Buffer[] = [];
  #received = 0;
  /** So many bytes are there before the next look: joined at each piece, a long frame would cost its square. */
  #wanted = 0;

  /** Connects to `ws://127.0.0.1:port/path`; rejects where the server is none, or does not answer. */
  static connect(
    url: URL,
    onMessage: (text: string) => void,
    timeoutMs: number,
  ): Promise<WebSocketClient> {
    const key = randomBytes(16).toString('base64');
    const deadline = AbortSignal.timeout(timeoutMs);
    return new Promise((resolve, reject) => {
      const request = get({
        host: url.hostname,
        port: url.port,
        path: url.pathname,
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Key': key,
          'Sec-WebSocket-Version': '13',
        },
      });
      // Not the request's own signal: that would end the session behind it.
      const giveUp = () => request.destroy(new FailedError('the inspector does not answer'));
      deadline.addEventListener('abort', giveUp);
      request.once('close', () => deadline.removeEventListener('abort', giveUp));
      request.once('error', reject);
      request.once('response', (response) => {
        response.destroy();
        reject(new FailedError(`the inspector refuses a session: ${response.statusCode}`));
      });
      request.once('upgrade', (response, socket, head) => {
        deadline.removeEventListener('abort', giveUp);
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
    this.#pieces.push(bytes);
    this.#received += bytes.length;
    if (this.#received < this.#wanted) return;
    let all = Buffer.concat(this.#pieces, this.#received);
    this.#wanted = wholeFrameBytes(all);
    for (; all.length >= this.#wanted; this.#wanted = wholeFrameBytes(all)) {
      const frame = all.subarray(0, this.#wanted);
      all = all.subarray(this.#wanted);
      const opcode = frame[0] & 0x0f;
      if (opcode === OPCODE.close) this.close();
      if (opcode === OPCODE.text) this.#onMessage(frame.toString('utf8', frameHeadBytes(frame)));
    }
    this.#pieces = [all];
    this.#received = all.length;
    if (!(this.#wanted <= MOST_MESSAGE_BYTES)) this.close();
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

/** Bytes of the first frame of a server, which does not mask; as far as it shows, two at least. */
function wholeFrameBytes(bytes: Buffer): number {
  if (bytes.length < 2) return 2;
  const head = frameHeadBytes(bytes);
  if (bytes.length < head) return head;
  if (head === 2) return head + (bytes[1] & 0x7f);
  return head + (head === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)));
}

function frameHeadBytes(bytes: Buffer): number {
  const short = bytes[1] & 0x7f;
  return short < 126 ? 2 : short === 126 ? 4 : 10;
}
