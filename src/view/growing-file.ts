import { statSync } from 'node:fs';
import { type OpenProfileOptions, openProfile } from '../session/read/open-profile.ts';
import { ViewedFile } from './viewed-file.ts';

/**
 * How often the page is told of more. Reading all of it again takes longer as it grows; at most half
 * of the time goes to it.
 */
const UPDATE_MS = 1000;

/**
 * A recording that is being written, read again as it grows. What is read is the file as it is: every
 * chunk in it is whole, and what a recording has only at its end (build IDs, final counts) is not
 * needed to name its frames. So a live page shows exactly what the finished one will.
 */
export class GrowingFile {
  readonly file: ViewedFile;
  readonly #path: string;
  readonly #options: OpenProfileOptions;
  readonly #onGrowth: () => void;
  #bytes: number;
  #timer: NodeJS.Timeout | null = null;
  #hasEnded = false;

  private constructor(
    path: string,
    options: OpenProfileOptions,
    file: ViewedFile,
    onGrowth: () => void,
  ) {
    this.#path = path;
    this.#options = options;
    this.#bytes = statSync(path).size;
    this.file = file;
    this.#onGrowth = onGrowth;
  }

  static async open(
    path: string,
    options: OpenProfileOptions,
    onGrowth: () => void,
  ): Promise<GrowingFile> {
    const file = new ViewedFile(path, await openProfile(path, options), { isLive: true });
    return new GrowingFile(path, options, file, onGrowth);
  }

  /** Reads again each second, or as often as it can. */
  follow(): void {
    this.#plan(UPDATE_MS);
  }

  /** Reads the complete file once more, as the recording has ended. */
  async finish(): Promise<void> {
    this.#hasEnded = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.file.replace(await openProfile(this.#path, this.#options), { isLive: false });
    this.#onGrowth();
  }

  #plan(delayMs: number): void {
    this.#timer = setTimeout(() => void this.#update(), delayMs);
  }

  async #update(): Promise<void> {
    const startMs = performance.now();
    const bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? this.#bytes;
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      const opened = await openProfile(this.#path, this.#options);
      if (this.#hasEnded) return;
      this.file.replace(opened, { isLive: true });
      this.#onGrowth();
    }
    const tookMs = performance.now() - startMs;
    this.#plan(Math.max(UPDATE_MS - tookMs, tookMs));
  }
}
