import type { PerfData } from '../../../perf-data/reader.ts';
import { UNKNOWN_EVENT } from '../../../perf-event/event-lookup.ts';
import type { KernelRecord } from '../../../perf-event/record.ts';

/**
 * What did not arrive, by the event that lost it. The two columns count the same losses: what LOST
 * records announced, and what the counters knew when they were closed. Never add them up.
 */
export class LossCounter {
  /** Parallel to the recording's attrs, as is the other. */
  readonly lostRecords: Float64Array;
  readonly lostSamples: Float64Array;
  readonly #lookup: PerfData['lookup'];

  constructor({ attrs, lookup }: Pick<PerfData, 'attrs' | 'lookup'>) {
    this.lostRecords = new Float64Array(attrs.length);
    this.lostSamples = new Float64Array(attrs.length);
    this.#lookup = lookup;
  }

  /** Whether an attr that is no event of the profile, by this map of attr to event, lost any. */
  hasLostSideband(attrToEvent: Int32Array): boolean {
    return attrToEvent.some(
      (event, attr) =>
        event < 0 &&
        ((this.lostRecords[attr] as number) > 0 || (this.lostSamples[attr] as number) > 0),
    );
  }

  /** Counts a record if it tells of a loss; a LOST record names the event by its id. */
  note(record: KernelRecord, attrIndex: number): void {
    if (record.kind === 'lost') {
      const named = this.#lookup.find(record.id);
      const index = named === UNKNOWN_EVENT ? attrIndex : named;
      this.lostRecords[index] = (this.lostRecords[index] as number) + record.lost;
    } else if (record.kind === 'lostSamples' && !record.isFiltered) {
      this.lostSamples[attrIndex] = (this.lostSamples[attrIndex] as number) + record.lost;
    }
  }
}
