import { closeSync, constants, lstatSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describeError } from '../../base/system-error.ts';
import { encodeMapLog } from '../../code/jit/map-log.ts';
import { MAX_PERF_MAP_BYTES } from '../../code/jit/perf-map.ts';
import type { WrittenAttachment } from '../../formats/perf-data/appendix.ts';
import type { SamplerTarget } from '../../native/types.ts';
import { PERF_MAP_ATTACHMENT } from '../../read/jit/attachment-names.ts';
import { openRegularBelow } from '../../system/files/open-below.ts';
import { openTrusted } from '../../system/files/trusted-file.ts';
import { hasEnded } from '../../system/processes/living-thread.ts';
import { uidOfProcess } from '../../system/processes/processes-of-user.ts';
import { newestPid } from '../../system/processes/system-processes.ts';
import { startTimeMs } from '../../system/processes/thread-stat.ts';
import { listOrEmpty } from '../../system/small-file.ts';
import { silentPlaces } from '../../system/strangers/silent-places.ts';
import { AttachmentPacking } from '../output/packed-attachment.ts';
import { ListingTimes } from './listing-times.ts';
import { type ClockPair, MapTail, MOST_IN_ONE_LOOK } from './map-tail.ts';
import { RecordedProcesses } from './recorded-processes.ts';
import type { MappedNode } from './unmapped-node.ts';

/**
 * Time between two looks, which is how well the times of code are known. A look at a map that did not
 * grow costs some ten microseconds.
 */
const BUSY_PAUSE_MS = 20;
const QUIET_PAUSE_MS = 40;
const NO_MAP_PAUSE_MS = 100;
/** Minimum pause between looks, as a multiple of the time that a look at hundreds of maps took. */
const LOOK_PAUSE_FACTOR = 50;
/**
 * Time between two searches for processes in other mount namespaces, and for old maps written anew; and
 * how many times as long as the search itself took.
 */
const SEARCH_INTERVAL_MS = 200;
const SEARCH_PAUSE_FACTOR = 100;
/**
 * Time for which a folder that may be looked into is looked into. To ask is to read all mounts, and only root can put another file
 * system in the place of /tmp.
 */
const FOLDER_ANSWER_MS = 1000;
/** The times of files and directories are as coarse as the kernel's tick: 1 to 10 ms late. */
const FILE_TICK_MS = 20;
const MOST_MAPS = 256;
/** More that are not used are looked at again each time; so many are named. */
const MOST_REFUSED = 10_000;
const MOST_REFUSED_NAMED = 8;
const MAP_NAME = /^perf-(\d+)\.map$/;

/** The notice of a folder whose file system does not answer. */
function silentNotice(folder: string): string {
  return `${folder} does not answer, so that maps and notes of JIT code in it are not read: names may be missing`;
}

function refusals(refused: ReadonlyMap<string, string>): string[] {
  const named = [...refused].slice(0, MOST_REFUSED_NAMED);
  const others = refused.size - named.length;
  return [
    ...named.map(([path, reason]) => `perf map not used: ${path}: ${reason}`),
    ...(others > 0 ? [`${others} other perf maps are not used, for such reasons`] : []),
  ];
}

export type MapWatchOptions = {
  readonly target: SamplerTarget;
  readonly childPid: number;
  readonly readClock: () => ClockPair;
  /** Uid of the command, if it runs as another user. */
  readonly commandUid?: number | null;
  /** `meet` is called with all mappings, also those of before: until then no process has JIT code. */
  readonly hearsOfCode?: boolean;
  /** The folder that JITs write to. */
  readonly directory?: string;
};

/**
 * Reads the perf maps of the recorded processes while they grow, so that each line has a time: what
 * is at an address later says nothing of what was there before. JITs in containers write into their
 * own /tmp, and call themselves by their own pid; they are reached through /proc/PID/root.
 *
 * A map of a process that ended before anybody could look belongs to the recording if it appeared
 * while a command or the system was recorded.
 */
export class MapWatch {
  readonly #options: MapWatchOptions;
  readonly #directory: string;
  readonly #processes: RecordedProcesses;
  /** Maps by path. */
  readonly #tails = new Map<string, MapTail>();
  readonly #notices = new Map<string, string>();
  /** Maps that are not used, with the reasons: anybody may put files of such names there. */
  readonly #refused = new Map<string, string>();
  /** Files that were there before the recording, with the times of their last change. */
  readonly #earlier = new Map<string, number>();
  readonly #startedMs = Date.now();
  #timer: NodeJS.Timeout | null = null;
  #metTimes = 0;
  #bytes = 0;
  #nextSearchMs = 0;
  #answersUntilMs = 0;
  readonly #listing = new ListingTimes();
  /** Processes in other mount namespaces, as listed last. */
  #elsewhere: ReturnType<RecordedProcesses['elsewhere']> = [];
  #directoryMs = 0;
  #scannedMs = 0;
  #lastLookNs = 0n;

  constructor(options: MapWatchOptions) {
    this.#options = options;
    this.#directory = options.directory ?? '/tmp';
    this.#processes = new RecordedProcesses(options.target, options.childPid);
  }

  /** Call it before the target runs, where it is a command. */
  start(): void {
    this.#noteFailure(() => {
      if (silentPlaces.mayWait(this.#directory)) return;
      for (const { path } of this.#mapsThere()) {
        const stat = lstatSync(path, { throwIfNoEntry: false });
        if (stat !== undefined) this.#earlier.set(path, stat.mtimeMs);
      }
      this.look();
    });
    if (this.#options.hearsOfCode !== true) this.#lookAfter(BUSY_PAUSE_MS);
  }

  /** Hears which executable memory was mapped since `sinceNs`. Where all of it is of files, there is nothing to look for. */
  meet({ hasCodeMemory }: Pick<MappedNode, 'hasCodeMemory'>, sinceNs: bigint): void {
    this.#metTimes++;
    if (!hasCodeMemory || this.#timer !== null) return;
    if (sinceNs > this.#lastLookNs) this.#lastLookNs = sinceNs;
    this.#lookAfter(BUSY_PAUSE_MS);
  }

  /** Notes a map that cannot be read: no recording ends for the names of its JIT code. */
  #noteFailure(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#notices.set('look', `perf maps may be incomplete: ${describeError(error)}`);
    }
  }

  #lookAfter(pauseMs: number): void {
    this.#timer = setTimeout(() => this.#lookAgain(), pauseMs);
  }

  #lookAgain(): void {
    const start = performance.now();
    let pause = this.#tails.size > 0 ? QUIET_PAUSE_MS : NO_MAP_PAUSE_MS;
    this.#noteFailure(() => {
      if (this.look()) pause = BUSY_PAUSE_MS;
    });
    this.#lookAfter(Math.max(pause, LOOK_PAUSE_FACTOR * (performance.now() - start)));
  }

  /** One look at all maps, of each of which at most `most` bytes are read; false: nothing new. */
  look(most = MOST_IN_ONE_LOOK): boolean {
    if (this.#mayWaitForFolder()) {
      this.#notices.set(this.#directory, silentNotice(this.#directory));
      return false;
    }
    this.#notices.delete(this.#directory);
    const bytesBefore = this.#bytes;
    const now = this.#options.readClock();
    if (this.#mayHaveNewMaps()) this.#findMaps();
    if (Date.now() >= this.#nextSearchMs) {
      const start = performance.now();
      this.#findMapsElsewhere();
      const pause = SEARCH_PAUSE_FACTOR * (performance.now() - start);
      this.#nextSearchMs = Date.now() + Math.max(SEARCH_INTERVAL_MS, pause);
    }
    for (const [path, tail] of this.#tails) {
      if (silentPlaces.mayWait(path)) continue;
      const room = MAX_PERF_MAP_BYTES - this.#bytes;
      if (room <= 0) {
        this.#notices.set('', 'perf maps of more than 256 MiB: the rest has no times');
        break;
      }
      this.#bytes += tail.look(this.#options.readClock, Math.min(most, room));
    }
    this.#lastLookNs = now.clockNs;
    return this.#bytes > bytesBefore;
  }

  /** The last look. What was read, for the recording's appendix, and what could not be. */
  finish(packing = new AttachmentPacking()): {
    attachments: WrittenAttachment[];
    notices: string[];
  } {
    this.stop();
    this.#noteFailure(() => this.look(MAX_PERF_MAP_BYTES));
    for (const [path, tail] of this.#tails) if (!silentPlaces.mayWait(path)) tail.finish();
    const notices = [...this.#notices.values(), ...refusals(this.#refused)];
    return { attachments: this.#stored(packing), notices };
  }

  /** Everything read so far, including one more scan now; watching continues. */
  soFar(packing = new AttachmentPacking()): WrittenAttachment[] {
    this.#noteFailure(() => this.look(MAX_PERF_MAP_BYTES));
    return this.#stored(packing);
  }

  #stored(packing: AttachmentPacking): WrittenAttachment[] {
    const attachments: WrittenAttachment[] = [];
    for (const { pid, pieces } of this.#tails.values()) {
      if (pieces.length === 0) continue;
      const log = encodeMapLog(pieces);
      attachments.push(packing.packPieces(`${PERF_MAP_ATTACHMENT}${pid}`, log));
    }
    return attachments;
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /**
   * Removes the maps that were read and were not there before, of processes that the command has
   * started: those seen to be, and those in `startedPids`. Call it when they are stored. Processes
   * that run on need theirs, for whoever attaches to them: another call, later, removes these.
   */
  removeMaps(startedPids: readonly number[]): void {
    const isOfCommand = this.#options.target.kind === 'command';
    for (const { path, pid, inode } of this.#tails.values()) {
      if (this.#earlier.has(path)) continue;
      const isStarted = isOfCommand && this.#processes.has(pid) === true;
      if (!isStarted && !startedPids.includes(pid)) continue;
      if (!hasEnded(pid) || silentPlaces.mayWait(path)) continue;
      this.#tails.delete(path);
      try {
        if (lstatSync(path).ino === inode) unlinkSync(path);
      } catch {
        // Gone, or not ours to remove: it stays, as without us.
      }
    }
  }

  #mayWaitForFolder(): boolean {
    const nowMs = performance.now();
    if (nowMs < this.#answersUntilMs) return false;
    const mayWait = silentPlaces.mayWait(this.#directory);
    if (!mayWait) this.#answersUntilMs = nowMs + FOLDER_ANSWER_MS;
    return mayWait;
  }

  #mayHaveNewMaps(): boolean {
    const changed = statSync(this.#directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changed === this.#directoryMs && this.#scannedMs > changed + FILE_TICK_MS) {
      return this.#earlier.size > 0 && Date.now() >= this.#nextSearchMs;
    }
    this.#directoryMs = changed;
    this.#scannedMs = Date.now();
    return true;
  }

  #findMaps(): void {
    for (const { path, pid } of this.#mapsThere()) {
      const known = this.#tails.get(path);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined || known?.inode === stat.ino) continue;
      // Of a process that had this pid before, as long as nobody writes to it.
      const isOld = this.#earlier.get(path) === stat.mtimeMs;
      const startedMs = isOld ? startTimeMs(pid) : null;
      if (isOld && (startedMs === null || stat.mtimeMs < startedMs)) continue;
      const isRecorded = this.#processes.has(pid) ?? this.#mayBeOurs(stat.mtimeMs);
      if (isRecorded) this.#adopt(path, pid, isOld);
    }
  }

  #findMapsElsewhere(): void {
    // A process that begins has its program mapped.
    const newest = this.#options.hearsOfCode === true ? this.#metTimes : newestPid();
    if (this.#listing.isDue(Date.now(), newest)) {
      this.#elsewhere = this.#processes.elsewhere(newestPid());
    }
    for (const { pid, innerPid, root } of this.#elsewhere) {
      const path = join(root, this.#directory, `perf-${innerPid}.map`);
      if (this.#tails.has(path) || silentPlaces.mayWait(path)) continue;
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue;
      // A link on the way may lead us where it does not lead the process.
      const below = join(this.#directory, `perf-${innerPid}.map`);
      const theirs = openRegularBelow(root, below, constants.O_NOFOLLOW);
      if (typeof theirs === 'string') continue;
      theirs.source.close?.();
      this.#adopt(path, pid, this.#lastLookNs === 0n, theirs.inode);
    }
  }

  /**
   * Whether the process that wrote the map, which is gone and was never seen, may have been recorded.
   * A file written right behind the start may carry the time of the tick before it.
   */
  #mayBeOurs(mtimeMs: number): boolean {
    const { kind } = this.#options.target;
    return (kind === 'command' || kind === 'system') && mtimeMs > this.#startedMs - FILE_TICK_MS;
  }

  /** `expected`: the inode that it has to have. */
  #adopt(path: string, pid: number, isOld: boolean, expected: number | null = null): void {
    if (this.#tails.size >= MOST_MAPS || this.#refused.has(path)) return;
    const { commandUid } = this.#options;
    const owners = [uidOfProcess(pid), commandUid ?? null].filter((uid) => uid !== null);
    const file = openTrusted(path, owners);
    if (file.kind === 'refused') {
      const isThere = file.reason !== 'ENOENT';
      if (isThere && this.#refused.size < MOST_REFUSED) this.#refused.set(path, file.reason);
      return;
    }
    const { fd, inode } = file;
    if (expected !== null && inode !== expected) {
      closeSync(fd);
      return;
    }
    const replaces = this.#tails.get(path) ?? null;
    replaces?.finish();
    const sinceNs = isOld ? 0n : this.#lastLookNs;
    this.#tails.set(path, new MapTail({ path, pid, inode, fd, sinceNs, replaces }));
  }

  #mapsThere(): { path: string; pid: number }[] {
    return listOrEmpty(this.#directory).flatMap((name) => {
      const pid = MAP_NAME.exec(name)?.[1];
      return pid === undefined ? [] : [{ path: join(this.#directory, name), pid: Number(pid) }];
    });
  }
}
