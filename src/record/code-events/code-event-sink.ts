import type { Server, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ByteBlocks } from '../../base/byte-blocks.ts';
import { Deferred } from '../../base/deferred.ts';
import { lateModules } from '../../base/late-modules.ts';
import { encodeCodeEvents } from '../../code/jit/code-events.ts';
import { encodeVersion, STREAM_HEADER_BYTES } from '../../code/jit/code-record.ts';
import { StreamSplitter } from '../../code/jit/stream-splitter.ts';
import type { WrittenAttachment } from '../../formats/perf-data/appendix.ts';
import type { NativeBinding } from '../../native/types.ts';
import {
  CODE_EVENTS_ATTACHMENT,
  LOOP_TURNS_ATTACHMENT,
  NODE_NOTES_ATTACHMENT,
} from '../../read/jit/attachment-names.ts';
import { MAX_NOTES_BYTES } from '../../read/jit/node-notes.ts';
import { threadOfProcess } from '../../system/processes/namespace-pid.ts';
import { AttachmentPacking } from '../output/packed-attachment.ts';
import { peerOfSocket } from './code-socket.ts';
import type { HeldMaps } from './held-maps.ts';
import { MapNotes } from './map-notes.ts';

/** Bound of all that the processes of a recording may send, … */
const MOST_BYTES = 256 << 20;
/** … for which each connection counts as much besides, so that empty ones are bounded too. */
const STREAM_BYTES = 1 << 10;
/** Open connections: one for each isolate that runs. Descriptors are what every file of ours needs. */
const MOST_SOCKETS = 512;
const MOST_SOCKETS_OF_PROCESS = 256;
/** A process that does not end its side has been stopped by a signal or a debugger. */
const ANSWER_MS = 1000;
/** The least that is waited, for what was connected late. */
const LEAST_ANSWER_MS = 250;

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
  /** Has a thread of a recorded process signalled with its samples, or no more. */
  readonly signalSamples: (tid: number, isOn: boolean) => void;
};

/** One isolate of a recorded process. */
type Stream = {
  readonly pid: number;
  readonly offsetNs: bigint;
  readonly parts: StreamSplitter;
  /** Records of scripts of a path that others had before. */
  readonly versions: ByteBlocks;
  readonly socket: Socket;
  /** The answer that its last question awaits. */
  answer: { readonly question: number; readonly deferred: Deferred<void> } | null;
};

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
  /** Source maps inside scripts, by process. */
  readonly #mapNotes = new Map<number, MapNotes>();
  /** Processes that have come to the recording since. */
  readonly #admitted = new Set<number>();
  /** Streams whose connection is open. */
  readonly #open = new Set<Stream>();
  #bytes = 0;
  /** Losses that were reported already. */
  readonly #reported = new Set<string>();
  #isClosed = false;
  /** Number of the last question to all isolates, a byte that is not 0. */
  #question = 0;

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
    const { offsetNs, heldMaps, signalSamples } = this.#options;
    const maps = this.#mapNotes.get(pid) ?? new MapNotes();
    this.#mapNotes.set(pid, maps);
    const versions = new ByteBlocks();
    const noteVersion = (script: number, version: number): void => {
      if (version > 0) versions.add(encodeVersion(script, version));
    };
    const parts = new StreamSplitter({
      onName: (name) => heldMaps?.meet(pid, name),
      onScript: (script, name) => noteVersion(script, heldMaps?.meetScript(pid, name) ?? 0),
      onSourceMap: (script, name, url) => noteVersion(script, maps.add(name, url)),
      onArm: (ownTid, isOn) => {
        const tid = threadOfProcess(pid, ownTid);
        if (tid === null) return;
        signalSamples(tid, isOn);
        if (isOn) socket.once('close', () => signalSamples(tid, false));
      },
      onAnswer: (question) => {
        if (stream.answer?.question === question) stream.answer.deferred.settle();
      },
    });
    const stream: Stream = { pid, offsetNs: offsetNs(), parts, versions, socket, answer: null };
    this.#bytes += STREAM_BYTES;
    this.#streams.push(stream);
    this.#open.add(stream);
    socket.once('close', () => {
      this.#open.delete(stream);
      stream.answer?.deferred.settle();
    });
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

  #take({ parts, socket }: Stream, piece: Uint8Array): void {
    if (this.#bytes + piece.length > MOST_BYTES) {
      this.#reportTooMuch();
      socket.destroy();
      return;
    }
    this.#bytes += piece.length;
    parts.take(piece);
  }

  /**
   * Waits until all isolates have sent what was compiled until now, and go on; one that does not answer in time, or is of
   * an earlier version, is left. One call at a time.
   */
  async catchUp(): Promise<void> {
    this.#question = (this.#question % 255) + 1;
    // Whoever has connected until now is accepted by then.
    for (let turn = 0; turn < 2; turn++) await setImmediate();
    const late = new Deferred<void>();
    const timer = setTimeout(() => late.settle(), ANSWER_MS);
    const answers = [...this.#open].map((stream) => {
      const deferred = new Deferred<void>();
      stream.answer = { question: this.#question, deferred };
      stream.socket.write(Uint8Array.of(this.#question));
      return deferred.promise;
    });
    await Promise.race([Promise.all(answers), late.promise]);
    clearTimeout(timer);
  }

  /**
   * Ends the connections, and waits until all isolates have sent what was compiled until now; those of
   * processes that are gone have. `waitedMs`: how long the end of the recording has taken until now.
   */
  async settle(waitedMs = 0): Promise<void> {
    const mostMs = Math.max(LEAST_ANSWER_MS, ANSWER_MS - waitedMs);
    await Promise.all([...this.#open].map(({ socket }) => ended(socket, mostMs)));
  }

  /** The streams so far: of each process an attachment with its code, one with its notes, and one with its loops' turns. */
  attachments(packing = new AttachmentPacking()): WrittenAttachment[] {
    const byPid = new Map<number, Stream[]>();
    for (const stream of this.#streams) {
      const known = byPid.get(stream.pid);
      if (known === undefined) byPid.set(stream.pid, [stream]);
      else known.push(stream);
    }
    return [...byPid].flatMap(([pid, streams]) => {
      const encode = (chunksOf: (stream: Stream) => readonly Uint8Array[]) =>
        encodeCodeEvents(
          streams.map((stream) => ({ offsetNs: stream.offsetNs, chunks: chunksOf(stream) })),
        );
      const notes = upTo(MAX_NOTES_BYTES, [
        ...streams.flatMap(({ parts }) => parts.notes.chunks),
        ...(this.#mapNotes.get(pid)?.lines ?? []),
        this.#options.heldMaps?.notes(pid) ?? new Uint8Array(),
      ]);
      const hasTurns = streams.some(({ parts }) => parts.turns.length > 0);
      return [
        packing.packPieces(
          `${CODE_EVENTS_ATTACHMENT}${pid}`,
          encode(({ parts, versions }) => withVersions(parts.code.chunks, versions.chunks)),
        ),
        ...(notes.length === 0
          ? []
          : [packing.packPieces(`${NODE_NOTES_ATTACHMENT}${pid}`, notes)]),
        ...(hasTurns
          ? [
              packing.packPieces(
                `${LOOP_TURNS_ATTACHMENT}${pid}`,
                encode(({ parts }) => parts.turns.chunks),
              ),
            ]
          : []),
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

/** The records of versions stand behind the header: whatever names a script comes later. */
function withVersions(
  chunks: readonly Uint8Array[],
  versions: readonly Uint8Array[],
): readonly Uint8Array[] {
  const [first, ...others] = chunks;
  if (first === undefined || versions.length === 0) return chunks;
  const header = first.subarray(0, STREAM_HEADER_BYTES);
  return [header, ...versions, first.subarray(STREAM_HEADER_BYTES), ...others];
}

/** The pieces that begin within the first `most` bytes and are not empty: a reader takes no more, and reports that there is more. */
function upTo(most: number, pieces: readonly Uint8Array[]): Uint8Array[] {
  let before = 0;
  return pieces.filter(({ length }) => {
    const isTaken = before <= most && length > 0;
    before += length;
    return isTaken;
  });
}

/** Resolves when the other side has sent everything, or does not do so in time. */
function ended(socket: Socket, mostMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) {
      resolve();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), mostMs);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.end();
  });
}
