import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Bounds the memory of buffers that nobody refers to any more. V8 looks for them when 64 MiB have come since it
 * looked last; a program that is to stay small looks after `mostBytes`.
 */
export class BufferGarbage {
  readonly #mostBytes: number;
  readonly #collect: () => void;
  #left = 0;

  constructor(mostBytes: number, collect = makeCollect()) {
    this.#mostBytes = mostBytes;
    this.#collect = collect;
  }

  /** Gives them back where they are too many. Call it where much was made for a moment, and is not referred to any more. */
  bound(): void {
    const { arrayBuffers } = process.memoryUsage();
    if (arrayBuffers - this.#left > this.#mostBytes) {
      // Another thread gives them back, so that what is left shows later.
      this.#collect();
      this.#left = arrayBuffers;
    }
    this.#left = Math.min(this.#left, arrayBuffers);
  }
}

/** V8's collector; a context that is made once has it where the flag is set, and no other has. */
function makeCollect(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
