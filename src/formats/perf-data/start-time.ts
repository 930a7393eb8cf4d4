import type { ByteSource } from '../../base/byte-source.ts';
import { type RawTime, readHigh32, readLow32 } from '../../base/u64.ts';
import { PERF_RECORD } from '../../kernel/perf-event/constants.ts';
import { type EventLookup, UNKNOWN_EVENT } from '../../kernel/perf-event/event-lookup.ts';
import { recordTimeOffset } from '../../kernel/perf-event/parse-info.ts';
import { isNoTime } from '../../kernel/perf-event/record-time.ts';
import type { RecordView } from '../../kernel/perf-event/record-view.ts';
import type { RecordedEvent } from './event-list.ts';
import type { RecordVisitor } from './record-visitor.ts';

type StartTimeInput = {
  readonly lookup: EventLookup;
  readonly attrs: readonly RecordedEvent[];
  readonly littleEndian: boolean;
  readonly threadFiles: readonly ByteSource[];
};

/**
 * Finds the earliest raw time of a recording. Rings are drained one after the other, so the first
 * record of the file need not be it, but no record of a round is earlier than all of the round
 * before the last: it lies in the first two rounds. Without rounds, or where every file of a
 * directory has its own, every record is looked at.
 */
export class StartTimeVisitor implements RecordVisitor {
  readonly #data: StartTimeInput;
  #rounds = 0;
  #high = 0;
  #low = 0;
  #isFound = false;

  constructor(data: StartTimeInput) {
    this.#data = data;
  }

  get isDone(): boolean {
    return this.#rounds >= 2 && this.#isFound && this.#data.threadFiles.length === 0;
  }

  /** 0 if no record has a time. */
  get startTime(): RawTime {
    return { high: this.#high, low: this.#low };
  }

  record(record: RecordView): void {
    if (record.type === PERF_RECORD.FINISHED_ROUND) this.#rounds++;
    const { lookup, attrs, littleEndian } = this.#data;
    const attrIndex = lookup.attrIndexOf(record);
    if (attrIndex === UNKNOWN_EVENT) return;
    const info = attrs[attrIndex]?.info;
    if (info === undefined) return;
    const at = recordTimeOffset(info, record);
    if (at < 0) return;
    const { view } = record;
    const high = readHigh32(view, at, littleEndian);
    const low = readLow32(view, at, littleEndian);
    if (isNoTime(high, low)) return;
    if (!this.#isFound || high < this.#high || (high === this.#high && low < this.#low)) {
      this.#high = high;
      this.#low = low;
      this.#isFound = true;
    }
  }
}
