import { NONE } from '../../base/brand.ts';
import type { EventIndex, ProfileStream } from '../../profile/types.ts';

/** The streams of a profile, each with a row from its first sample on. */
export class StreamRows {
  readonly streams: ProfileStream[] = [];
  /** Rows by stream id. */
  readonly #rows = new Map<number, number>();
  /** Rows by stream id and event, where an id comes with a second event: a stream is of one. */
  readonly #others = new Map<string, number>();

  has(streamId: number): boolean {
    return this.#rows.has(streamId);
  }

  /** Row of the event's stream with this id; −1 without an id. */
  of(streamId: number, event: number): number {
    if (streamId < 0) return NONE;
    let row = this.#rows.get(streamId);
    if (row === undefined) {
      row = this.add(streamId, event);
      this.#rows.set(streamId, row);
    }
    return this.streams[row].event === event ? row : this.#otherOf(streamId, event);
  }

  #otherOf(streamId: number, event: number): number {
    const key = `${streamId} ${event}`;
    const row = this.#others.get(key) ?? this.add(streamId, event);
    this.#others.set(key, row);
    return row;
  }

  /** A new row, also for an id that has others. */
  add(streamId: number, event: number): number {
    this.streams.push({ streamId: String(streamId), event: event as EventIndex });
    return this.streams.length - 1;
  }
}
