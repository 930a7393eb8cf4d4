import type { Server, Socket } from 'node:net';
import { lateModules } from '../../base/late-modules.ts';
import { encodeCodeEvents, splitStream } from '../../code/jit/code-events.ts';
import { STREAM_HEADER_BYTES } from '../../code/jit/code-record.ts';
import type { Attachment } from '../../formats/perf-data/appendix.ts';
import type { NativeBinding } from '../../native/types.ts';
import {
  CODE_EVENTS_ATTACHMENT,
  LOOP_TURNS_ATTACHMENT,
  NODE_NOTES_ATTACHMENT,
} from '../../read/jit/attachment-names.ts';
import { packedAttachment } from '../output/packed-attachment.ts';
import { peerOfSocket } from './code-socket.ts';
import type { HeldMaps } from './held-maps.ts';
import { mapNotes } from './map-notes.ts';

/** Bound of all that the processes of a recording may send, … */
const MOST_BYTES = 256 << 20;
/** … for which each connection counts as much besides, so that empty ones are bounded too. */
const STREAM_BYTES = 1 << 10;
/** Open connections: one for each isolate that runs. Descriptors are what every file of ours needs. */
const MOST_SOCKETS = 512;
const MOST_SOCKETS_OF_PROCESS = 256;
/** Bytes after which events are stored unpacked: packing them would take seconds. */
const MOST_PACKED_BYTES = 64 << 20;
/** Blocks in which the pieces of a stream are kept: the first is small, the next ones are twice as large as the one before. */
const FIRST_BLOCK_BYTES = 512;
const MOST_BLOCK_BYTES = 64 << 10;
/** A process that does not end its side has been stopped by a signal or a debugger. */
const ANSWER_MS = 1000;

export type CodeEventSinkOptions = {
  /** Abstract name of the socket, with `@` for its first byte. */
  readonly name: string;
  readonly peerOf: NativeBinding['peerOf'];
  /** Nanoseconds of the recording's clock at 0 of CLOCK_MONOTONIC. */
  readonly offsetNs: () => bigint;
  /** Whether a process belongs to the recording. */
  readonly isRecorded: (pid: number) => boolean;
  /** Users whose processes may connect, besides root and us. */
  readonly uids: readonly number[];
  readonly notify: (notice: string) => void;
  /** Keeps the maps of scripts on disk; null: nobody does. */
  readonly heldMaps: HeldMaps | null;
};

/** One isolate of a recorded process. */
type Stream = {
  readonly pid: number;
  readonly offsetNs: bigint;
  readonly bytes: StreamBytes;
  readonly watch: ((bytes: Uint8Array) => void) | undefined;
  readonly socket: Socket;
};

/**
 * The bytes of a stream, in memory of at most twice as many: a piece that is read takes some 400 bytes by itself, and a
 * program may send one byte at a time.
 */
class StreamBytes {
  readonly #full: Uint8Array[] = [];
  #block = new Uint8Array(FIRST_BLOCK_BYTES);
  #used = 0;

  add(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#used === this.#block.length) this.#open();
      const count = Math.min(piece.length - at, this.#block.length - this.#used);
      this.#block.set(piece.subarray(at, at + count), this.#used);
      this.#used += count;
      at += count;
    }
  }

  #open(): void {
    this.#full.push(this.#block);
    this.#block = new Uint8Array(Math.min(this.#block.length * 2, MOST_BLOCK_BYTES));
    this.#used = 0;
  }

  /** Blocks in order. */
  get chunks(): Uint8Array[] {
    return [...this.#full, this.#block.subarray(0, this.#used)];
  }
}

/**
 * Receives what V8 compiles in the isolates of recorded processes: an abstract Unix socket, which leaves
 * no file behind whatever becomes of us. Everybody on the machine may connect to it, so the kernel is
 * asked who does. The streams become attachments of the recording.
 */
export class CodeEventSink {
  readonly name: string;
  readonly #options: CodeEventSinkOptions;
  readonly #server: Server;
  readonly #streams: Stream[] = [];
  /** Processes that have come to the recording since. */
  readonly #admitted = new Set<number>();
  /** Streams whose connection is open. */
  readonly #open = new Set<Stream>();
  #bytes = 0;
  /** Losses that were reported already. */
  readonly #reported = new Set<string>();
  #isClosed = false;

  /** Throws where no socket can be made. */
  static async open(options: CodeEventSinkOptions): Promise<CodeEventSink> {
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
    this.name = options.name;
    this.#options = options;
    this.#server = lateModules.net.createServer((socket) => this.#accept(socket));
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.name.replace('@', '\0'), resolve);
    });
    this.#server.unref();
  }

  /** Takes the code of a process that came to the recording after its begin. */
  admit(pid: number): void {
    this.#admitted.add(pid);
  }

  /** Whether a process has sent code. */
  has(pid: number): boolean {
    return this.#streams.some((stream) => stream.pid === pid);
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {});
    const pid = this.#recordedPeer(socket);
    if (pid === null || !this.#hasRoomFor(pid)) {
      socket.destroy();
      return;
    }
    socket.unref();
    const { offsetNs, heldMaps } = this.#options;
    const watch = heldMaps?.watch(pid);
    const stream: Stream = { pid, offsetNs: offsetNs(), bytes: new StreamBytes(), watch, socket };
    this.#bytes += STREAM_BYTES;
    this.#streams.push(stream);
    this.#open.add(stream);
    socket.once('close', () => this.#open.delete(stream));
    socket.on('data', (piece) => this.#take(stream, piece));
  }

  #hasRoomFor(pid: number): boolean {
    if (this.#bytes + STREAM_BYTES > MOST_BYTES) {
      this.#reportTooMuch();
      return false;
    }
    if (this.#open.size < MOST_SOCKETS_OF_PROCESS) return true;
    const ofProcess = [...this.#open].filter((stream) => stream.pid === pid).length;
    if (this.#open.size < MOST_SOCKETS && ofProcess < MOST_SOCKETS_OF_PROCESS) return true;
    this.#notifyOnce(
      `more than ${MOST_SOCKETS_OF_PROCESS} threads of a process, or ${MOST_SOCKETS} in all, announce code at ` +
        'one time: the others have no names',
    );
    return false;
  }

  #reportTooMuch(): void {
    this.#notifyOnce('V8 announced code of more than 256 MiB: the rest has no names');
  }

  #notifyOnce(notice: string): void {
    if (!this.#reported.has(notice)) this.#options.notify(notice);
    this.#reported.add(notice);
  }

  /** Null for a process that is none of the recording's. */
  #recordedPeer(socket: Socket): number | null {
    const { peerOf, isRecorded, uids } = this.#options;
    const peer = peerOfSocket(socket, peerOf);
    if (peer === null || peer.pid === 0) return null;
    const isTrusted = [0, process.geteuid?.(), ...uids].includes(peer.uid);
    const isOurs = isRecorded(peer.pid) || this.#admitted.has(peer.pid);
    return isTrusted && isOurs ? peer.pid : null;
  }

  #take({ bytes, watch, socket }: Stream, piece: Uint8Array): void {
    if (this.#bytes + piece.length > MOST_BYTES) {
      this.#reportTooMuch();
      socket.destroy();
      return;
    }
    this.#bytes += piece.length;
    bytes.add(piece);
    watch?.(piece);
  }

  /**
   * Ends the connections, and waits until all isolates have sent what was compiled until now; those of
   * processes that are gone have.
   */
  async settle(): Promise<void> {
    await Promise.all([...this.#open].map(({ socket }) => ended(socket)));
  }

  /** The streams so far: of each process an attachment with its code, one with its notes, and one with its loops' turns. */
  attachments(): Attachment[] {
    const byPid = new Map<number, Stream[]>();
    for (const stream of this.#streams) {
      const known = byPid.get(stream.pid);
      if (known === undefined) byPid.set(stream.pid, [stream]);
      else known.push(stream);
    }
    let packed = 0;
    const attachment = (name: string, bytes: Uint8Array): Attachment => {
      packed += bytes.length;
      return packed <= MOST_PACKED_BYTES
        ? packedAttachment(name, bytes)
        : { name, packing: 'none', unpackedSize: bytes.length, bytes };
    };
    return [...byPid].flatMap(([pid, all]) => {
      const streams = all.map(({ offsetNs, bytes }) => ({
        offsetNs,
        ...splitStream(bytes.chunks),
      }));
      const { notes: maps, versions } = mapNotes(streams.map((stream) => stream.maps));
      const frames = streams.map(({ offsetNs, code }, i) => ({
        offsetNs,
        chunks: [
          code.subarray(0, STREAM_HEADER_BYTES),
          versions[i],
          code.subarray(STREAM_HEADER_BYTES),
        ],
      }));
      const turns = streams.flatMap(({ offsetNs, turns }) =>
        turns.length === 0 ? [] : [{ offsetNs, chunks: [turns] }],
      );
      const held = this.#options.heldMaps?.notes(pid) ?? new Uint8Array();
      const notes = Buffer.concat([...streams.map((stream) => stream.notes), maps, held]);
      return [
        attachment(`${CODE_EVENTS_ATTACHMENT}${pid}`, encodeCodeEvents(frames)),
        ...(notes.length === 0 ? [] : [attachment(`${NODE_NOTES_ATTACHMENT}${pid}`, notes)]),
        ...(turns.length === 0
          ? []
          : [attachment(`${LOOP_TURNS_ATTACHMENT}${pid}`, encodeCodeEvents(turns))]),
      ];
    });
  }

  /** The recorded programs see their connection closed, and forget about us. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#server.close(() => {});
    for (const { socket } of this.#open) socket.destroy();
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
