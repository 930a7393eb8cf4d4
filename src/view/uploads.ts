import { createWriteStream, mkdirSync, rmSync, statfsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { atCommand, FailedError, PerfDataError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { makeOwnFolder } from '../system/files/own-folder.ts';

/** A sender that pauses for longer is gone. */
const IDLE_MS = 30_000;
/** Bytes of a file name, with room for what is put behind it. */
const MOST_NAME = 200;

/**
 * Recordings that the page sent. They are kept in a folder for this user alone, until the server closes, and take half
 * of the room at most that is there without them: in memory often, where /tmp is a tmpfs.
 */
export class Uploads {
  readonly #freeBytes: (folder: string) => number;
  #folder: string | null = null;
  #count = 0;
  #bytes = 0;

  constructor(freeBytes = freeBytesIn) {
    this.#freeBytes = freeBytes;
  }

  /** Writes the body of a request to a file and returns its path. Throws `FailedError` where that fails. */
  async take(request: IncomingMessage, name: string): Promise<string> {
    this.#folder ??= makeOwnFolder('open');
    const folder = join(this.#folder, String(++this.#count));
    const path = join(folder, asFileName(name));
    request.setTimeout(IDLE_MS, () => request.destroy(new Error('the page stopped sending it')));
    let bytes = 0;
    const checkRoom = (more: number): void => {
      if (this.#bytes + more <= this.#freeBytes(folder)) return;
      throw new Error(`there is not enough room for it in ${tmpdir()}`);
    };
    const take = (chunk: Uint8Array): Uint8Array => {
      checkRoom(chunk.length);
      bytes += chunk.length;
      this.#bytes += chunk.length;
      return chunk;
    };
    const takeAll = async function* (body: AsyncIterable<Uint8Array>) {
      for await (const chunk of body) yield take(chunk);
    };
    try {
      mkdirSync(folder, { mode: 0o700 });
      // Answered before it is sent; the length is the sender's word.
      checkRoom(Number(request.headers['content-length'] ?? 0));
      await pipeline(request, takeAll, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      this.#bytes -= bytes;
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

function freeBytesIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** The last part of a name, in characters that no file system and no terminal takes for something else. */
function asFileName(name: string): string {
  const plain = (name.split(/[/\\]/).at(-1) ?? '')
    .replace(/[^\w. +,@=-]/g, '_')
    .slice(0, MOST_NAME);
  return /^\.*$/.test(plain) ? 'recording' : plain;
}
