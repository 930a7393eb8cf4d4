import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { atCommand, FailedError, PerfDataError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { makeOwnFolder } from '../system/files/own-folder.ts';

/** A sender that pauses for longer is gone. */
const IDLE_MS = 30_000;
/** Bytes of a file name, with room for what is put behind it. */
const MOST_NAME = 200;

/** Recordings that the page sent. They are kept in a folder for this user alone, until the server closes. */
export class Uploads {
  #folder: string | null = null;
  #count = 0;

  /** Writes the body of a request to a file and returns its path. Throws `FailedError` where that fails. */
  async take(request: IncomingMessage, name: string): Promise<string> {
    this.#folder ??= makeOwnFolder('open');
    const folder = join(this.#folder, String(++this.#count));
    const path = join(folder, asFileName(name));
    request.setTimeout(IDLE_MS, () => request.destroy(new Error('the page stopped sending it')));
    try {
      mkdirSync(folder, { mode: 0o700 });
      await pipeline(request, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      const reason =
        error instanceof PerfDataError ? atCommand(error).message : (error as Error).message;
      throw new FailedError(`${printable(name)}: not taken: ${reason}`);
    }
    return path;
  }

  close(): void {
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }
}

/** The last part of a name, in characters that no file system and no terminal takes for something else. */
function asFileName(name: string): string {
  const plain = (name.split(/[/\\]/).at(-1) ?? '')
    .replace(/[^\w. +,@=-]/g, '_')
    .slice(0, MOST_NAME);
  return /^\.*$/.test(plain) ? 'recording' : plain;
}
