import type { ServerResponse } from 'node:http';

/**
 * The pages that follow a live recording, by server-sent events: `profile` with a number that counts
 * up when there is more, `end` when that was all.
 */
export class LiveStreams {
  readonly #open = new Set<ServerResponse>();
  #version = 0;
  #hasEnded = false;

  /** Whether any page follows. */
  get isWatched(): boolean {
    return this.#open.size > 0;
  }

  get version(): number {
    return this.#version;
  }

  /** `since`: the version that the page shows. */
  add(response: ServerResponse, since: number): void {
    this.#open.add(response);
    response.on('close', () => this.#open.delete(response));
    // What happened before the page asked.
    if (this.#version > since) write(response, 'profile', this.#version);
    if (this.#hasEnded) this.#end(response);
    else response.flushHeaders();
  }

  /** The recording has grown. */
  grow(): void {
    this.#version++;
    for (const response of this.#open) write(response, 'profile', this.#version);
  }

  /** It will not grow any more. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const response of this.#open) this.#end(response);
  }

  #end(response: ServerResponse): void {
    write(response, 'end', this.#version);
    response.end();
  }
}

function write(response: ServerResponse, event: string, version: number): void {
  response.write(`event: ${event}\ndata: ${version}\n\n`);
}
