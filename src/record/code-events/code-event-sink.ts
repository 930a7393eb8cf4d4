import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describeError } from '../../base/system-error.ts';
import { encodeCodeEvents } from '../../code/jit/code-events.ts';
import type { Attachment } from '../../formats/perf-data/appendix.ts';
import type { NativeBinding } from '../../native/types.ts';
import { CODE_EVENTS_ATTACHMENT } from '../../read/jit/jit-files.ts';

/** What all processes of a recording may send. */
const MOST_BYTES = 256 << 20;
/** A process that does not end its side has been stopped by a signal or a debugger. */
const ANSWER_MS = 1000;
const FASTEST = 1;

export type CodeEventSinkOptions = {
  /** The socket, in a folder that is not there yet and whose name nobody guesses. */
  readonly path: string;
  readonly peerOf: NativeBinding['peerOf'];
  /** Nanoseconds of the recording's clock at 0 of CLOCK_MONOTONIC. */
  readonly offsetNs: () => bigint;
  /** Whether a process belongs to the recording. */
  readonly isRecorded: (pid: number) => boolean;
  /** Users whose processes may connect, besides root and us. */
  readonly uids: readonly number[];
  readonly say: (notice: string) => void;
};

/** One isolate of a recorded process. */
type Stream = {
  readonly pid: number;
  readonly offsetNs: bigint;
  readonly chunks: Uint8Array[];
  readonly socket: Socket;
};

/**
 * Where the isolates of recorded processes send what V8 compiles: a Unix socket in a folder of ours.
 * The streams become attachments of the recording.
 */
export class CodeEventSink {
  readonly path: string;
  readonly #options: CodeEventSinkOptions;
  readonly #folder: string;
  readonly #server: Server;
  readonly #streams: Stream[] = [];
  readonly #onStream: (() => void)[] = [];
  #bytes = 0;
  #isClosed = false;

  /** Throws where no socket can be made. */
  static async open(options: CodeEventSinkOptions): Promise<CodeEventSink> {
    mkdirSync(dirname(options.path), { mode: 0o700 });
    const sink = new CodeEventSink(options);
    try {
      await sink.#listen();
      return sink;
    } catch (error) {
      sink.close();
      throw error;
    }
  }

  private constructor(options: CodeEventSinkOptions) {
    this.#folder = dirname(options.path);
    this.path = options.path;
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.path, resolve);
    });
    this.#server.unref();
    const isForOthers = this.#options.uids.some((uid) => uid !== process.geteuid?.());
    chmodSync(this.path, isForOthers ? 0o666 : 0o600);
    // The folder can be passed then, and not listed; who connects is asked of the kernel.
    if (isForOthers) chmodSync(this.#folder, 0o711);
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {});
    const pid = this.#recordedPeer(socket);
    if (pid === null) {
      socket.destroy();
      return;
    }
    socket.unref();
    const stream: Stream = { pid, offsetNs: this.#options.offsetNs(), chunks: [], socket };
    this.#streams.push(stream);
    socket.on('data', (bytes) => this.#take(stream, bytes));
    for (const tell of this.#onStream.splice(0)) tell();
  }

  /** Null for a process that is none of the recording's. */
  #recordedPeer(socket: Socket): number | null {
    const { peerOf, isRecorded, uids } = this.#options;
    const { fd } =
      (socket as Socket & { readonly _handle?: { readonly fd?: number } })._handle ?? {};
    const peer = fd === undefined || fd < 0 ? null : peerOf(fd);
    if (peer === null || peer.pid === 0) return null;
    const isTrusted = [0, process.geteuid?.(), ...uids].includes(peer.uid);
    return isTrusted && isRecorded(peer.pid) ? peer.pid : null;
  }

  #take({ chunks, socket }: Stream, bytes: Uint8Array): void {
    if (this.#bytes + bytes.length > MOST_BYTES) {
      this.#options.say('V8 announced code of more than 256 MiB: the rest has no names');
      socket.destroy();
      return;
    }
    this.#bytes += bytes.length;
    chunks.push(bytes);
  }

  /** Resolves when another isolate has connected. */
  nextStream(): Promise<void> {
    return new Promise((resolve) => this.#onStream.push(resolve));
  }

  get count(): number {
    return this.#streams.length;
  }

  /**
   * Ends the connections, and waits until all isolates have sent what was compiled until now; those of
   * processes that are gone have.
   */
  async settle(): Promise<void> {
    await Promise.all(this.#streams.map(({ socket }) => ended(socket)));
  }

  /** What was sent so far, an attachment for each process. */
  attachments(): Attachment[] {
    const pids = new Set(this.#streams.map(({ pid }) => pid));
    return [...pids].map((pid) => {
      const bytes = encodeCodeEvents(this.#streams.filter((stream) => stream.pid === pid));
      return {
        name: `${CODE_EVENTS_ATTACHMENT}${pid}`,
        packing: 'deflate',
        unpackedSize: bytes.length,
        bytes: deflateSync(bytes, { level: FASTEST }),
      };
    });
  }

  /** The recorded programs see their connection closed, and forget about us. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#server.close(() => {});
    for (const { socket } of this.#streams) socket.destroy();
    try {
      rmSync(this.#folder, { recursive: true, force: true });
    } catch (error) {
      this.#options.say(`${this.#folder} could not be removed: ${describeError(error)}`);
    }
  }
}

/** Resolves when the other side has sent everything, or does not do so. */
function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) {
      resolve();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.end();
  });
}
