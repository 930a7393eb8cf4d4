import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { FailedError, failedBy } from '../../../base/errors.ts';
import { describeError } from '../../../base/system-error.ts';
import { checkOwnFolder, makeFolders } from '../../../system/files/make-folders.ts';
import { replaceFile } from '../../../system/files/replace-file.ts';
import {
  type EncodedWindow,
  kindOfWindow,
  packWindow,
  unpackWindow,
  type WindowFormat,
} from '../encode/encoded-window.ts';

/** Windows that wait in memory, where there is no spool or its disk is full. */
const MOST_MEMORY = 16 << 20;
const ENDING = '.window';
const PROGRESS = 'progress';
/** The version and the format stand within so many bytes. */
const MOST_HEAD = 512;

/** The reason why a window was given up. */
export type DropReason = 'full' | 'damaged';

type Waiting = {
  readonly id: string;
  readonly bytes: number;
  /** Null: it is on disk. */
  readonly packed: Uint8Array | null;
  readonly isInherited: boolean;
};

/** The window at the head of a queue, and the rows of its requests that have not gone out; null: all. */
export type QueuedWindow = {
  readonly window: EncodedWindow;
  readonly open: readonly number[] | null;
};

export type WindowQueueOptions = {
  /** Null: memory only. */
  readonly directory: string | null;
  readonly maxBytes: number;
  /** Files of another one stay where they are. */
  readonly format: WindowFormat;
  readonly notify: (notice: string) => void;
  readonly drop: (reason: DropReason) => void;
};

/**
 * The windows of one sink, oldest first, on disk so that they outlive the agent. A window is a file as a
 * whole or not at all. Before a request goes out, `progress` says so: an agent that is killed while one is
 * under way does not send it again, since it may have arrived.
 */
export class WindowQueue {
  readonly #options: WindowQueueOptions;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  /** The rows of requests that have not gone out, by window. */
  #progress = new Map<string, readonly number[]>();
  #isDiskRefused = false;

  /** Throws `FailedError` where the directory cannot be used. */
  constructor(options: WindowQueueOptions) {
    this.#options = options;
    if (options.directory !== null) this.#open(options.directory);
  }

  get length(): number {
    return this.#waiting.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Windows that would be lost with this process. */
  get inMemory(): number {
    return this.#waiting.filter(({ packed }) => packed !== null).length;
  }

  /** Adds a window behind those that wait, and gives up the oldest ones where there is no room. */
  add(window: EncodedWindow): void {
    const last = this.#waiting.reduce((most, { id: each }) => (each > most ? each : most), '');
    const id = idAfter(last, window.id);
    const packed = packWindow({ ...window, id });
    this.#makeRoom(packed.length);
    this.#waiting.push({ id, bytes: packed.length, packed, isInherited: false });
    this.#bytes += packed.length;
    this.store();
  }

  /** Writes to disk what waits in memory, the newest first: where the disk is full, that is what it has room for. */
  store(): void {
    const { directory, notify } = this.#options;
    if (directory === null) return;
    try {
      for (let row = this.#waiting.length - 1; row >= 0; row--) {
        const waiting = this.#waiting[row];
        if (waiting.packed === null) continue;
        this.#write(directory, waiting.id, waiting.packed);
        this.#waiting[row] = { ...waiting, packed: null };
      }
      if (this.#isDiskRefused) notify(`${directory}: windows are written to disk again`);
      this.#isDiskRefused = false;
    } catch (error) {
      if (!this.#isDiskRefused) notify(`windows wait in memory: ${describeError(error)}`);
      this.#isDiskRefused = true;
      this.#makeRoomInMemory();
    }
  }

  /** The oldest window; null where none waits. What can't be read is given up. */
  oldest(): QueuedWindow | null {
    for (;;) {
      const first = this.#waiting[0];
      if (first === undefined) return null;
      const window = this.#read(first);
      if (window !== null) {
        const { id, isInherited } = first;
        return { window: { ...window, id, isInherited }, open: this.#progress.get(id) ?? null };
      }
      this.#options.drop('damaged');
      this.remove(first.id);
    }
  }

  /** Puts a window behind those that wait; false where there are no others. */
  defer(id: string): boolean {
    const row = this.#waiting.findIndex((each) => each.id === id);
    if (row < 0 || this.#waiting.length < 2) return false;
    this.#waiting.push(...this.#waiting.splice(row, 1));
    return true;
  }

  /** All requests but those in the rows `open` have gone out, or may have. Throws where that cannot be noted. */
  note(id: string, open: readonly number[]): void {
    this.#progress.set(id, open);
    const { directory } = this.#options;
    const isOnDisk = this.#waiting.some((each) => each.id === id && each.packed === null);
    if (directory === null || !isOnDisk) return;
    this.#writeProgress(directory);
  }

  remove(id: string): void {
    const row = this.#waiting.findIndex((each) => each.id === id);
    const [gone] = row < 0 ? [] : this.#waiting.splice(row, 1);
    if (gone === undefined) return;
    this.#bytes -= gone.bytes;
    this.#progress.delete(id);
    const { directory } = this.#options;
    if (gone.packed === null && directory !== null) {
      rmSync(join(directory, `${gone.id}${ENDING}`), { force: true });
    }
  }

  #open(directory: string): void {
    makeSpool(directory);
    try {
      let left = 0;
      for (const name of readdirSync(directory).sort()) {
        const path = join(directory, name);
        if (name.endsWith('.tmp')) rmSync(path, { force: true });
        if (!name.endsWith(ENDING)) continue;
        const stat = statSync(path);
        if (!stat.isFile()) continue;
        if (!this.#canSend(path)) {
          left++;
          continue;
        }
        const bytes = stat.size;
        const id = name.slice(0, -ENDING.length);
        this.#waiting.push({ id, bytes, packed: null, isInherited: true });
        this.#bytes += bytes;
      }
      if (left > 0) {
        this.#options.notify(
          `${directory}: ${left} windows are for another kind of sink or of a newer version, and stay there`,
        );
      }
    } catch (error) {
      throw unusable(error);
    }
    this.#progress = readProgress(join(directory, PROGRESS));
  }

  /** True also of a file that looks like no window: it is damaged, which reading it reports. */
  #canSend(path: string): boolean {
    const fd = openSync(path, 'r');
    try {
      const head = Buffer.alloc(MOST_HEAD);
      const length = readSync(fd, head, 0, MOST_HEAD, 0);
      const kind = kindOfWindow(head.toString('utf8', 0, length));
      return kind === null || (kind.isOurs && kind.format === this.#options.format);
    } finally {
      closeSync(fd);
    }
  }

  #makeRoom(bytes: number): void {
    const { directory, maxBytes, drop } = this.#options;
    const most = directory === null ? Math.min(maxBytes, MOST_MEMORY) : maxBytes;
    while (this.#waiting.length > 0 && this.#bytes + bytes > most) {
      drop('full');
      this.remove(this.#waiting[0].id);
    }
  }

  /** A window of which a request has gone out comes after the note of that, else the next agent sends it again. */
  #write(directory: string, id: string, packed: Uint8Array): void {
    if (this.#progress.has(id)) this.#writeProgress(directory);
    replaceFile(join(directory, `${id}${ENDING}`), packed);
  }

  #writeProgress(directory: string): void {
    replaceFile(join(directory, PROGRESS), Buffer.from(JSON.stringify([...this.#progress])));
  }

  #makeRoomInMemory(): void {
    let inMemory = 0;
    for (const { packed } of this.#waiting) inMemory += packed?.length ?? 0;
    for (const { id, packed } of this.#waiting.slice()) {
      if (inMemory <= MOST_MEMORY) return;
      if (packed === null) continue;
      inMemory -= packed.length;
      this.#options.drop('full');
      this.remove(id);
    }
  }

  #read({ id, packed }: Waiting): EncodedWindow | null {
    const { directory } = this.#options;
    if (packed !== null || directory === null) return packed && unpackWindow(packed);
    try {
      return unpackWindow(readFileSync(join(directory, `${id}${ENDING}`)));
    } catch {
      return null;
    }
  }
}

/** Makes the folder of a spool; throws `FailedError` where it can't be made, or others may write into it. */
export function makeSpool(directory: string): void {
  try {
    makeFolders(directory, 0o700);
    checkOwnFolder(directory);
  } catch (error) {
    if (error instanceof FailedError) throw error;
    throw unusable(error);
  }
}

function unusable(error: unknown): FailedError {
  return failedBy(error, `the spool cannot be used: ${describeError(error)}`);
}

/**
 * `TIME-NUMBER` that sorts behind `last`, as files in the spool do: where the clock was set back since, by the time
 * of that one and a nanosecond.
 */
function idAfter(last: string, id: string): string {
  const [, time] = /^(\d{1,20})-/.exec(last) ?? [];
  if (id > last || time === undefined) return id;
  return `${String(BigInt(time) + 1n).padStart(20, '0')}${id.slice(id.indexOf('-'))}`;
}

function readProgress(path: string): Map<string, readonly number[]> {
  const found = new Map<string, readonly number[]>();
  try {
    const entries: unknown = JSON.parse(readFileSync(path, 'utf8'));
    for (const [id, open] of Array.isArray(entries) ? entries : []) {
      if (typeof id === 'string' && Array.isArray(open) && open.every(Number.isInteger)) {
        found.set(id, open);
      }
    }
  } catch {
    // Nothing was under way.
  }
  return found;
}
