import { existsSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { LiveCode } from '../../../code/jit/live-code.ts';
import type { NativeBinding } from '../../../native/types.ts';
import { askRegistered, registeredSocket } from '../../../record/code-events/registered.ts';
import { peerOfSocket } from '../../../record/code-events/socket-peer.ts';
import { newCodeSocket } from '../../../system/launch/node-flags.ts';
import type { LiveCodeSource } from '../../top/live-jit.ts';

/** A process whose event loop was busy, or that imports `perf-ts/register` late, is asked again. */
const ASK_AGAIN_MS = 60_000;
/** A process that has left for another recorder is asked again so often. */
const ASK_BACK_MS = 10_000;
/** Those that say nothing have no socket: looking for one costs three system calls. */
const LOOK_AGAIN_MS = 30_000;

type Asked = {
  code: LiveCode;
  readonly sockets: Set<Socket>;
  /** The time from which it may be asked again. */
  nextMs: number;
  hasAnswered: boolean;
  /** The main thread's, which comes first; null before it comes, and when it has left. */
  main: Socket | null;
};

/**
 * The JavaScript of processes that have imported `perf-ts/register`, as they announce it while they run: each
 * is asked once, when code of it was sampled that has no file. Closing the connection ends it on their side. V8
 * tells one recorder: a process leaves when `record` asks it, keeps its names here, and is asked again.
 */
export class RegisteredCode implements LiveCodeSource {
  readonly #peerOf: NativeBinding['peerOf'];
  readonly #name = newCodeSocket();
  readonly #asked = new Map<number, Asked>();
  #server: Server | null = null;
  #isClosed = false;

  constructor(peerOf: NativeBinding['peerOf']) {
    this.#peerOf = peerOf;
  }

  codeOf(pid: number): LiveCode | null {
    const known = this.#asked.get(pid);
    if (known !== undefined && known.main !== null) return known.code;
    const code = known?.hasAnswered === true ? known.code : null;
    const nowMs = performance.now();
    if (pid === process.pid || nowMs < (known?.nextMs ?? 0)) return code;
    const asked = known ?? {
      code: new LiveCode(),
      sockets: new Set(),
      nextMs: 0,
      hasAnswered: false,
      main: null,
    };
    if (known === undefined) this.#forgetEnded();
    this.#asked.set(pid, asked);
    const path = registeredSocket(pid);
    const pauseMs = asked.hasAnswered ? ASK_BACK_MS : ASK_AGAIN_MS;
    asked.nextMs = nowMs + (path === null ? LOOK_AGAIN_MS : pauseMs);
    if (path !== null) void this.#ask(pid, path);
    return code;
  }

  /** Those of which no sample came any more before they ended. */
  #forgetEnded(): void {
    for (const [pid, { sockets, nextMs }] of this.#asked) {
      const isLongAgo = performance.now() > nextMs;
      if (sockets.size === 0 && isLongAgo && !existsSync(`/proc/${pid}`)) this.forget(pid);
    }
  }

  forget(pid: number): void {
    for (const socket of this.#asked.get(pid)?.sockets ?? []) socket.destroy();
    this.#asked.delete(pid);
  }

  /** Names heard until now stay, for the last window. */
  close(): void {
    this.#isClosed = true;
    this.#server?.close();
    for (const { sockets } of this.#asked.values()) for (const socket of sockets) socket.destroy();
  }

  /** Never rejects: a process that does not answer stays without these names. */
  async #ask(pid: number, path: string): Promise<void> {
    try {
      await this.#listen();
      if (this.#isClosed) return;
      await askRegistered(pid, path, { socket: this.#name, yields: true }, this.#peerOf);
    } catch {
      // There can be no socket here: names come from perf maps, where there are any.
    }
  }

  async #listen(): Promise<void> {
    if (this.#server !== null) return;
    const server = createServer((socket) => this.#accept(socket));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#name.replace('@', '\0'), resolve);
    });
    server.unref();
  }

  /** Everybody on the machine may connect: only who was asked is heard. */
  #accept(socket: Socket): void {
    socket.on('error', () => {});
    const pid = peerOfSocket(socket, this.#peerOf)?.pid ?? 0;
    const asked = this.#asked.get(pid);
    if (asked === undefined || this.#isClosed) {
      socket.destroy();
      return;
    }
    socket.unref();
    asked.sockets.add(socket);
    asked.hasAnswered = true;
    if (asked.main === null) {
      asked.main = socket;
      // It lists all of its code anew; what it has heard of meanwhile is not among the old one.
      asked.code = new LiveCode();
    }
    const take = asked.code.stream();
    socket.on('data', (bytes) => {
      if (!take(bytes)) socket.destroy();
    });
    socket.once('close', () => {
      asked.sockets.delete(socket);
      if (asked.main === socket) leave(asked);
    });
  }
}

/** The main thread has gone over to another recorder, and its workers do so too. */
function leave(asked: Asked): void {
  asked.main = null;
  asked.nextMs = performance.now() + ASK_BACK_MS;
  for (const socket of asked.sockets) socket.destroy();
}
