import { ComputedOnce, type Slices } from '../../../src/base/slices.ts';
import { decodePageData } from '../../../src/formats/export/page-data.ts';
import { Comparison } from './diff.ts';
import { Matchings } from './matching.ts';
import type { OpenParams, OpenResult, Slot } from './messages.ts';
import type { SummaryResult } from './panel-messages.ts';
import { Recent } from './recent.ts';
import { LoadedRecording } from './recording.ts';
import { SelectedCache } from './selected.ts';
import type { WholeTable } from './table.ts';

/** A recording and what was computed from it lately. */
export type OpenRecording = {
  readonly recording: LoadedRecording;
  readonly selected: SelectedCache;
  readonly matchings: Matchings;
  readonly tables: Recent<WholeTable>;
  readonly summaries: Recent<SummaryResult>;
};

const SHOWN: Slot = 0;
const OTHER: Slot = 1;

/** The recordings that the page holds, and the comparison of the two. */
export class OpenRecordings {
  readonly #bySlot: (OpenRecording | undefined)[] = [];
  #comparison: ComputedOnce<Comparison> | null = null;

  *open({ slot, bytes }: OpenParams): Slices<OpenResult> {
    const recording = new LoadedRecording(yield* decodePageData(bytes));
    yield;
    const described = yield* recording.describe();
    this.#bySlot[slot] = {
      recording,
      selected: new SelectedCache(recording),
      matchings: new Matchings(recording),
      tables: new Recent(3),
      summaries: new Recent(4),
    };
    this.#comparison = null;
    return described;
  }

  /** The recording that is shown. Throws where none was opened. */
  shown(): OpenRecording {
    const shown = this.#bySlot[SHOWN];
    if (shown === undefined) throw new RangeError('no recording was opened');
    return shown;
  }

  /** The recording shown, compared with the other one. Throws where there is no other one. */
  *compared(): Slices<Comparison> {
    const { recording } = this.shown();
    const other = this.#bySlot[OTHER];
    if (other === undefined) throw new RangeError('no other recording was opened');
    this.#comparison ??= new ComputedOnce(() => Comparison.of(recording, other.recording));
    return yield* this.#comparison.get();
  }
}
