import type { OpenResult } from '../worker/messages/messages.ts';

/** The recording that is shown. While it is being made, longer states of it take its place. */
export class LatestRecording {
  readonly #listeners = new Set<() => void>();
  #recording: OpenResult;

  constructor(recording: OpenResult) {
    this.#recording = recording;
  }

  get(): OpenResult {
    return this.#recording;
  }

  /** The worker must have opened it: what is asked from here on is asked of it. */
  replace(recording: OpenResult): void {
    this.#recording = recording;
    for (const act of [...this.#listeners]) act();
  }

  /** Calls `act` after each replacement. */
  onReplaced(act: () => void): void {
    this.#listeners.add(act);
  }
}
