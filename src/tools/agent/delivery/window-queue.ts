import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FailedError } from '../../../base/errors.ts';
import { describeError } from '../../../base/system-error.ts';
import { makeFolders } from '../../../system/files/make-folders.ts';
import { replaceFile } from '../../../system/files/replace-file.ts';
import { type EncodedWindow, packWindow, unpackWindow } from '../encode/encoded-window.ts';

/** Windows that wait in memory, where there is no spool or its disk is full. */
const MOST_MEMORY = 16 << 20;
const ENDING = '.window';
const PROGRESS = 'progress';
const WRITABLE_BY_OTHERS = 0o022;

/** Why a window was given up. */
export type DropReason = 'full' | 'damaged';

type Waiting = {
  readonly id: string;
  readonly bytes: number;
  /** Null: it is on disk. */
  readonly packed: Uint8Array | null;
};

/** The window at the head of a queue, and its first request that was not sent yet. */
export type QueuedWindow = { readonly window: EncodedWindow; readonly next: number };

export type WindowQueueOptions = {
  /** Null: memory only. */
  readonly directory: string | null;
  readonly maxBytes: number;
  readonly say: (notice: string) => void;
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

  /** Adds a window, and gives up the oldest ones where there is no room. */
  add(window: EncodedWindow): void {
    const packed = packWindow(window);
    this.#makeRoom(packed.length);
    const isStored = this.#store(window.id, packed);
    this.#waiting.push({ id: window.id, bytes: packed.length, packed: isStored ? null : packed });
    this.#bytes += packed.length;
  }

  /** The oldest window; null where none waits. What can't be read is given up. */
  oldest(): QueuedWindow | null {
    for (;;) {
      const first = this.#waiting[0];
      if (first === undefined) return null;
      const window = this.#read(first);
      const next = this.#progress.id === first.id ? this.#progress.next : 0;
      if (window !== null) return { window, next };
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
    replaceFile(join(directory, PROGRESS), Buffer.from(JSON.stringify(this.#progress)));
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
        this.#waiting.push({ id: name.slice(0, -ENDING.length), bytes, packed: null });
        this.#bytes += bytes;
      }
    } catch (error) {
      if (error instanceof FailedError) throw error;
      throw new FailedError(`the spool cannot be used: ${describeError(error)}`);
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

  /** False where it has to wait in memory. */
  #store(id: string, packed: Uint8Array): boolean {
    const { directory, say, drop } = this.#options;
    if (directory === null) return false;
    try {
      replaceFile(join(directory, `${id}${ENDING}`), packed);
      if (this.#isDiskRefused) say(`${directory}: windows are written to disk again`);
      this.#isDiskRefused = false;
      return true;
    } catch (error) {
      if (!this.#isDiskRefused) say(`windows wait in memory: ${describeError(error)}`);
      this.#isDiskRefused = true;
      let inMemory = packed.length;
      for (const each of this.#waiting) inMemory += each.packed?.length ?? 0;
      for (const each of this.#waiting.slice()) {
        if (inMemory <= MOST_MEMORY) break;
        if (each.packed === null) continue;
        inMemory -= each.packed.length;
        drop('full');
        this.remove(each.id);
      }
      return false;
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

function readProgress(path: string): { id: string; next: number } {
  try {
    const { id, next } = JSON.parse(readFileSync(path, 'utf8')) as { id: unknown; next: unknown };
    if (typeof id === 'string' && typeof next === 'number') return { id, next };
  } catch {
    // Nothing was under way.
  }
  return { id: '', next: 0 };
}
