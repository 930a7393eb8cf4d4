import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FailedError, failedBy } from '../../../base/errors.ts';
import { describeError } from '../../../base/system-error.ts';
import { makeFolders } from '../../../system/files/make-folders.ts';
import { replaceFile } from '../../../system/files/replace-file.ts';
import { type EncodedWindow, packWindow, unpackWindow } from '../encode/encoded-window.ts';

/** Windows that wait in memory, where there is no spool or its disk is full. */
const MOST_MEMORY = 16 << 20;
const ENDING = '.window';
const PROGRESS = 'progress';
const WRITABLE_BY_OTHERS = 0o022;

/** The reason why a window was given up. */
export type DropReason = 'full' | 'damaged';

type Waiting = {
  readonly id: string;
  readonly bytes: number;
  /** Null: it is on disk. */
  readonly packed: Uint8Array | null;
  readonly isInherited: boolean;
};

/** The window at the head of a queue, and its first request that was not sent yet. */
export type QueuedWindow = { readonly window: EncodedWindow; readonly next: number };

export type WindowQueueOptions = {
  /** Null: memory only. */
  readonly directory: string | null;
  readonly maxBytes: number;
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
  #progress = { id: '', next: 0 };
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
    const id = idAfter(this.#waiting.at(-1)?.id ?? '', window.id);
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
      const next = this.#progress.id === first.id ? this.#progress.next : 0;
      if (window !== null) {
        const { id, isInherited } = first;
        return { window: { ...window, id, isInherited }, next };
      }
      this.#options.drop('damaged');
      this.remove(first.id);
    }
  }

  /** The requests before `next` have gone out, or may have. Throws where that cannot be noted. */
  note(id: string, next: number): void {
    this.#progress = { id, next };
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
    const { directory } = this.#options;
    if (gone.packed === null && directory !== null) {
      rmSync(join(directory, `${gone.id}${ENDING}`), { force: true });
    }
  }

  #open(directory: string): void {
    try {
      makeFolders(directory, 0o700);
      const { mode, uid } = statSync(directory);
      if ((mode & WRITABLE_BY_OTHERS) !== 0 || ![0, process.geteuid?.()].includes(uid)) {
        throw new FailedError(`${directory}: others may write into it`, [
          `chmod 700 ${directory}, or name another directory for the spool`,
        ]);
      }
      for (const name of readdirSync(directory).sort()) {
        const path = join(directory, name);
        if (name.endsWith('.tmp')) rmSync(path, { force: true });
        if (!name.endsWith(ENDING)) continue;
        const bytes = statSync(path).size;
        const id = name.slice(0, -ENDING.length);
        this.#waiting.push({ id, bytes, packed: null, isInherited: true });
        this.#bytes += bytes;
      }
    } catch (error) {
      if (error instanceof FailedError) throw error;
      throw failedBy(error, `the spool cannot be used: ${describeError(error)}`);
    }
    this.#progress = readProgress(join(directory, PROGRESS));
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
    if (this.#progress.id === id) this.#writeProgress(directory);
    replaceFile(join(directory, `${id}${ENDING}`), packed);
  }

  #writeProgress(directory: string): void {
    replaceFile(join(directory, PROGRESS), Buffer.from(JSON.stringify(this.#progress)));
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

/**
 * `TIME-NUMBER` that sorts behind `last`, as files in the spool do: where the clock was set back since, by the time
 * of that one and a nanosecond.
 */
function idAfter(last: string, id: string): string {
  const [, time] = /^(\d{1,20})-/.exec(last) ?? [];
  if (id > last || time === undefined) return id;
  return `${String(BigInt(time) + 1n).padStart(20, '0')}${id.slice(id.indexOf('-'))}`;
}

function readProgress(path: string): { id: string; next: number } {
  try {
    const { id, next } = JSON.parse(readFileSync(path, 'utf8')) as { id: unknown; next: unknown };
    if (typeof id === 'string' && typeof next === 'number') return { id, next };
  } catch {
    // Nothing was under way.
  }
  return { id: '', next: 0 };
}
