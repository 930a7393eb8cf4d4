/** A span in which the events were enabled, by the clock of the recording, nanoseconds. */
export type SampledSpan = { readonly fromNs: bigint; readonly toNs: bigint };

/** A moment at which what overwritten rings held was written; `isWhole`: all that came since the one before. */
type RingSnapshot = { readonly atNs: bigint; readonly isWhole: boolean };

/**
 * When the events of a recording were enabled. A span begins just before they are enabled and ends just after they
 * are disabled, so that each sample lies in one.
 */
export class SampledSpans {
  readonly #readClockNs: () => bigint;
  #closed: SampledSpan[] = [];
  readonly snapshots: RingSnapshot[] = [];
  #fromNs: bigint | null = null;

  constructor(readClockNs: () => bigint) {
    this.#readClockNs = readClockNs;
  }

  begin(): void {
    this.#fromNs ??= this.#readClockNs();
  }

  end(): void {
    if (this.#fromNs === null) return;
    this.#closed.push({ fromNs: this.#fromNs, toNs: this.#readClockNs() });
    this.#fromNs = null;
  }

  addSnapshot(isWhole: boolean): void {
    this.snapshots.push({ atNs: this.#readClockNs(), isWhole });
  }

  /** The recording's clock. */
  now(): bigint {
    return this.#readClockNs();
  }

  /** Takes away what came after `ns`, of spans that have ended. */
  cutAt(ns: bigint): void {
    const kept = this.#closed.filter(({ fromNs }) => fromNs < ns);
    this.#closed = kept.map(({ fromNs, toNs }) => ({ fromNs, toNs: toNs < ns ? toNs : ns }));
  }

  /** All until now. */
  get(): SampledSpan[] {
    const now = this.#fromNs === null ? [] : [{ fromNs: this.#fromNs, toNs: this.#readClockNs() }];
    return [...this.#closed, ...now];
  }
}
