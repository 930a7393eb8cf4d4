import type { ThrottleInterval } from '../../period/types.ts';

/** Pairs THROTTLE with UNTHROTTLE records of the same stream into intervals. */
export class ThrottleLog {
  readonly #intervals: ThrottleInterval[] = [];
  readonly #openSince = new Map<number, { event: number; startNs: number }>();
  /** THROTTLE records seen. */
  count = 0;

  note(kind: 'throttle' | 'unthrottle', event: number, stream: number, timeNs: number): void {
    if (kind === 'throttle') {
      this.count++;
      if (!this.#openSince.has(stream)) this.#openSince.set(stream, { event, startNs: timeNs });
      return;
    }
    const open = this.#openSince.get(stream);
    if (open === undefined) return;
    this.#openSince.delete(stream);
    this.#intervals.push({ event: open.event, stream, startNs: open.startNs, endNs: timeNs });
  }

  /** Intervals that are over. */
  forget(): void {
    this.#intervals.length = 0;
  }

  /** All intervals; one that was never ended lasts until `endNs`, the recording's last time. */
  finish(endNs: number): ThrottleInterval[] {
    for (const [stream, { event, startNs }] of this.#openSince) {
      this.#intervals.push({ event, stream, startNs, endNs: Math.max(startNs, endNs) });
    }
    this.#openSince.clear();
    return this.#intervals;
  }
}
