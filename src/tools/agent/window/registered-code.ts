import { existsSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { LiveCode } from '../../../code/jit/live-code.ts';
import type { NativeBinding } from '../../../native/types.ts';
import { attachUnregistered, resultText } from '../../../record/code-events/attach-js.ts';
import { newCodeSocket, peerOfSocket } from '../../../record/code-events/code-socket.ts';
import { RegisteredAsker } from '../../../record/code-events/registered-asker.ts';
import { readStat, STAT_FIELD } from '../../../system/processes/thread-stat.ts';
import type { UserRooms } from '../../../system/strangers/user-rooms.ts';
import type { LiveCodeSource } from '../../live-profile/live-jit.ts';
import { isOfTurns, TurnCounts } from './turn-counts.ts';

/** A process whose event loop was busy, or that imports `perf-ts/register` late, is asked again. */
const ASK_AGAIN_MS = 60_000;
/** A process that has left for another recorder is asked again so often. */
const ASK_BACK_MS = 10_000;
/** Processes without a socket are looked at again after this. */
const LOOK_AGAIN_MS = 30_000;
/** Open connections: one for each isolate that runs. */
const MOST_SOCKETS = 512;
const MOST_SOCKETS_OF_PROCESS = 128;
/** Read of a process within a minute: all code of a large server is half. More is a flood, which costs a CPU. */
const MOST_BYTES_A_MINUTE = 64 << 20;
const MOST_CHANGES_A_MINUTE = 400_000;
const MINUTE_MS = 60_000;
/**
 * Time between two reads of a connection, in which more comes together: of 64 KiB each, 6 MB a second. A read costs
 * some 1 KiB of memory until V8 collects, and a program may send a few bytes at a time.
 */
const READ_PAUSE_MS = 10;
/** A process in native code is waited for some twenty seconds; whoever hangs for longer holds the others up no more. */
const MOST_ATTACHING_MS = 60_000;
/** Refusals that are shown. */
const MOST_REFUSALS = 20;

type Asked = {
  code: LiveCode;
  /** Turns of its event loops since they were taken last. */
  turns: TurnCounts;
  readonly sockets: Set<Socket>;
  /** Bytes that its streams hold of records that are not whole. */
  heldBytes: number;
  /** The time from which it may be asked again. */
  nextMs: number;
  hasAnswered: boolean;
  /** Its begin, in ticks: another process may have its pid later, which nobody allowed to attach to. */
  readonly startTicks: string | undefined;
  /** Whether it was seen to have no socket, and was not attached to; text: the reason why that was in vain. */
  attaching: 'unknown' | 'possible' | 'tried' | { readonly refusal: string };
  /** Bytes that came since `sinceMs`. */
  bytes: number;
  /** `code.version` then. */
  sinceVersion: number;
  sinceMs: number;
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
  readonly #rooms: UserRooms;
  readonly #notify: (notice: string) => void;
  readonly #asker = new RegisteredAsker();
  readonly #request = { socket: newCodeSocket({ marks: false }), yields: true };
  readonly #asked = new Map<number, Asked>();
  /** Turns of processes that were forgotten since turns were taken last. */
  readonly #endedTurns = new Map<number, TurnCounts>();
  #server: Server | null = null;
  #sockets = 0;
  readonly #closing = new AbortController();
  #attaching: Promise<void> = Promise.resolve();

  /** `rooms`: how much is kept of the processes of each user. */
  constructor(peerOf: NativeBinding['peerOf'], rooms: UserRooms, notify: (notice: string) => void) {
    this.#peerOf = peerOf;
    this.#rooms = rooms;
    this.#notify = notify;
  }

  codeOf(pid: number): LiveCode | null {
    const known = this.#asked.get(pid);
    if (known !== undefined && known.main !== null) return known.code;
    const code = known?.hasAnswered === true ? known.code : null;
    const nowMs = performance.now();
    if (pid === process.pid || nowMs < (known?.nextMs ?? 0)) return code;
    const asked: Asked = known ?? {
      code: new LiveCode(),
      turns: new TurnCounts(),
      sockets: new Set(),
      heldBytes: 0,
      nextMs: 0,
      hasAnswered: false,
      startTicks: startTicksOf(pid),
      attaching: 'unknown',
      bytes: 0,
      sinceVersion: 0,
      sinceMs: nowMs,
      main: null,
    };
    if (known === undefined) this.#forgetEnded();
    this.#asked.set(pid, asked);
    asked.nextMs = nowMs + (asked.hasAnswered ? ASK_BACK_MS : LOOK_AGAIN_MS);
    void this.#ask(pid, asked);
    return code;
  }

  /**
   * Attaches by its inspector to a process whose code was sampled and that has not imported `perf-ts/register`: once, and
   * to one process at a time, whose inspectors want the same port.
   */
  attach(pid: number): void {
    const asked = this.#asked.get(pid);
    if (asked?.attaching !== 'possible') return;
    asked.attaching = 'tried';
    this.#attaching = this.#attaching.then(() => this.#attach(pid, asked));
  }

  /** Never rejects: a process that refuses stays without these names. */
  async #attach(pid: number, asked: Asked): Promise<void> {
    const closing = this.#closing.signal;
    if (closing.aborted || this.#asked.get(pid) !== asked) return;
    if (startTicksOf(pid) !== asked.startTicks) return;
    const signal = AbortSignal.any([closing, AbortSignal.timeout(MOST_ATTACHING_MS)]);
    const result = await attachUnregistered(pid, this.#request, signal);
    const text = result === null || closing.aborted ? null : resultText(pid, result);
    if (text === null) return;
    this.#notify(text);
    if (result !== null && 'failure' in result) asked.attaching = { refusal: text };
  }

  /** The reasons why processes that run could not be attached to, a sentence each. */
  get unattached(): readonly string[] {
    return [...this.#asked.values()]
      .flatMap(({ attaching }) => (typeof attaching === 'object' ? [attaching.refusal] : []))
      .slice(0, MOST_REFUSALS);
  }

  /** Forgets processes of which no sample came any more before they ended. */
  #forgetEnded(): void {
    for (const [pid, { sockets, nextMs }] of this.#asked) {
      const isLongAgo = performance.now() > nextMs;
      if (sockets.size === 0 && isLongAgo && !existsSync(`/proc/${pid}`)) this.forget(pid);
    }
  }

  forget(pid: number): void {
    const asked = this.#asked.get(pid);
    for (const socket of asked?.sockets ?? []) socket.destroy();
    const isRoom = this.#endedTurns.size < MOST_SOCKETS;
    if (asked !== undefined && asked.turns.turns > 0 && isRoom) {
      this.#endedTurns.set(pid, asked.turns);
    }
    this.#asked.delete(pid);
    this.#rooms.forget(pid);
  }

  /** The turns of event loops since the last call, by pid: of all processes that have answered, also where there was none. */
  takeTurns(): ReadonlyMap<number, TurnCounts> {
    const taken = new Map(this.#endedTurns);
    this.#endedTurns.clear();
    for (const [pid, asked] of this.#asked) {
      if (!asked.hasAnswered) continue;
      taken.set(pid, asked.turns);
      asked.turns = new TurnCounts();
    }
    return taken;
  }

  /** The process of which too much is kept, with what is kept of this one now; −1 for none. */
  #over(pid: number): number {
    const asked = this.#asked.get(pid);
    return this.#rooms.keep(pid, asked === undefined ? 0 : asked.code.bytes + asked.heldBytes);
  }

  /** Its code takes more than its user's processes may: names go before lines do. False where it has no lines any more. */
  #leaveLines(pid: number): boolean {
    if (this.#asked.get(pid)?.code.dropPositions() !== true) return false;
    this.#over(pid);
    this.#notify(
      `process ${pid} announces more code than is kept of the processes of its user: its JavaScript has names, and no lines`,
    );
    return true;
  }

  /** Its code takes more than its user's processes may: what is named of it stays what it was, and no more comes. */
  #cutOff(pid: number): void {
    const asked = this.#asked.get(pid);
    this.#rooms.forget(pid);
    if (asked === undefined) return;
    for (const socket of asked.sockets) socket.destroy();
    Object.assign(asked, { code: new LiveCode(), main: null, hasAnswered: false });
    asked.nextMs = Number.POSITIVE_INFINITY;
    this.#notify(
      `process ${pid} announces more code than is kept of the processes of its user: its JavaScript has no names`,
    );
  }

  /** Names heard until now stay, for the last window. */
  close(): void {
    this.#closing.abort();
    this.#asker.giveUp();
    this.#server?.close();
    for (const { sockets } of this.#asked.values()) for (const socket of sockets) socket.destroy();
  }

  /** Never rejects: a process that does not answer stays without these names. */
  async #ask(pid: number, asked: Asked): Promise<void> {
    try {
      await this.#listen();
      if (this.#closing.signal.aborted) return;
      const result = await this.#asker.ask(pid, this.#request);
      if (result === null && asked.attaching === 'unknown') asked.attaching = 'possible';
      const isRefused = result !== null && 'failure' in result;
      if (isRefused) asked.nextMs = Math.max(asked.nextMs, performance.now() + ASK_AGAIN_MS);
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
      server.listen(this.#request.socket.replace('@', '\0'), resolve);
    });
    server.unref();
  }

  /** Everybody on the machine may connect: only who was asked is heard. */
  #accept(socket: Socket): void {
    socket.on('error', () => {});
    const pid = peerOfSocket(socket, this.#peerOf)?.pid ?? 0;
    const asked = this.#asked.get(pid);
    const isOver = asked === undefined || asked.nextMs === Number.POSITIVE_INFINITY;
    const isFull =
      this.#sockets >= MOST_SOCKETS || (asked?.sockets.size ?? 0) >= MOST_SOCKETS_OF_PROCESS;
    if (isOver || isFull || this.#closing.signal.aborted) {
      socket.destroy();
      return;
    }
    socket.unref();
    asked.sockets.add(socket);
    this.#sockets++;
    asked.hasAnswered = true;
    if (asked.main === null) {
      asked.main = socket;
      // It lists all of its code anew; what it has heard of meanwhile is not among the old one.
      asked.code = new LiveCode();
      asked.sinceVersion = 0;
    }
    const { code } = asked;
    const stream = code.stream({
      isWanted: isOfTurns,
      take: (record, bytes) => asked.turns.take(record, bytes),
    });
    let held = 0;
    const countHeld = (bytes: number): void => {
      asked.heldBytes += bytes - held;
      held = bytes;
    };
    const pause = setTimeout(() => socket.resume(), READ_PAUSE_MS).unref();
    socket.on('data', (bytes) => {
      if (socket.destroyed) return;
      socket.pause();
      pause.refresh();
      if (!stream.take(bytes)) socket.destroy();
      countHeld(stream.heldBytes);
      if (asked.code !== code) return;
      if (isFlood(asked, bytes.length)) {
        this.#cutOff(pid);
        return;
      }
      for (let over = this.#over(pid); over >= 0; ) {
        if (!this.#leaveLines(over)) this.#cutOff(over);
        over = asked.code === code ? this.#over(pid) : -1;
      }
    });
    socket.once('close', () => {
      clearTimeout(pause);
      countHeld(0);
      asked.sockets.delete(socket);
      this.#sockets--;
      if (asked.main === socket) leave(asked);
    });
  }
}

function startTicksOf(pid: number): string | undefined {
  return readStat(pid)?.[STAT_FIELD.startTicks];
}

function isFlood(asked: Asked, bytes: number): boolean {
  const nowMs = performance.now();
  if (nowMs - asked.sinceMs > MINUTE_MS) {
    asked.sinceMs = nowMs;
    asked.sinceVersion = asked.code.version;
    asked.bytes = 0;
  }
  asked.bytes += bytes;
  const changes = asked.code.version - asked.sinceVersion;
  return asked.bytes > MOST_BYTES_A_MINUTE || changes > MOST_CHANGES_A_MINUTE;
}

/** The main thread has gone over to another recorder, and its workers do so too. */
function leave(asked: Asked): void {
  asked.main = null;
  asked.nextMs = performance.now() + ASK_BACK_MS;
  for (const socket of asked.sockets) socket.destroy();
}
