import { FEATURE } from '../../formats/perf-data/features.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { EventAttr } from '../../kernel/perf-event/attr.ts';
import { UNKNOWN_EVENT } from '../../kernel/perf-event/event-lookup.ts';
import type { KernelRecord } from '../../kernel/perf-event/record.ts';
import { isAuxiliaryEvent, isSideband } from '../facts/event-description.ts';
import { readProvenance } from '../facts/provenance.ts';

/**
 * Counts of what did not arrive, by the event that lost it. The two columns count the same losses:
 * what LOST records announced, and what the counters knew when they were closed. Never add them up.
 *
 * The side-band event loses no samples but forks, execs and mappings: `lostSideband` is their number,
 * and the columns of events with samples have nothing of it.
 */
export class LossCounter {
  /** Parallel to the recording's attrs, as is the other. */
  readonly lostRecords: Float64Array;
  readonly lostSamples: Float64Array;
  readonly #data: Pick<PerfData, 'attrs' | 'lookup'>;
  readonly #sharesRings: boolean;

  constructor(data: PerfData) {
    this.lostRecords = new Float64Array(data.attrs.length);
    this.lostSamples = new Float64Array(data.attrs.length);
    this.#data = data;
    this.#sharesRings = sharesRings(data);
  }

  /** Side-band records that were lost: the better of the two figures, of each such event. */
  get lostSideband(): number {
    let sum = 0;
    this.#data.attrs.forEach((event, index) => {
      if (!isSideband(event.attr)) return;
      sum += Math.max(this.lostRecords[index], this.lostSamples[index]);
    });
    return sum;
  }

  /** Counts a record if it tells of a loss; a LOST record names the event by its id. */
  note(record: KernelRecord, attrIndex: number): void {
    if (record.kind === 'lost') {
      const named = this.#data.lookup.find(record.id);
      const index = this.#ownerOf(named === UNKNOWN_EVENT ? attrIndex : named);
      this.lostRecords[index] = this.lostRecords[index] + record.lost;
    } else if (record.kind === 'lostSamples' && !record.isFiltered) {
      this.lostSamples[attrIndex] = this.lostSamples[attrIndex] + record.lost;
    }
  }

  /**
   * The event whose loss a LOST record that names `attrIndex` announces. The record names the event
   * that wrote next into a ring: where the side-band event has no ring of its own, nearly all that
   * was lost were samples, and they are the first sampled event's as far as anybody can tell.
   */
  #ownerOf(attrIndex: number): number {
    const { attrs } = this.#data;
    if (!this.#sharesRings || !isSideband(attrs[attrIndex].attr)) return attrIndex;
    const sampled = attrs.findIndex((event) => !isAuxiliaryEvent(event));
    return sampled < 0 ? attrIndex : sampled;
  }
}

/**
 * Whether the side-band is in the rings of samples, as perf records it. A file that says nothing of
 * its recorder was cut before it could: perf's own can't be read then, so it is one of ours.
 */
function sharesRings(data: PerfData): boolean {
  return data.sections.bytes(FEATURE.VERSION) !== null && readProvenance(data) === null;
}

/**
 * Whether forks, execs and mappings may be among what an event lost: it carries them itself, as
 * perf's first event does where there is no event for them.
 */
export function mayLoseSideband({ flags }: EventAttr): boolean {
  return flags.mmap || flags.mmap2 || flags.task;
}
