import { ComputedOnce, type Slices } from '../../../src/base/slices.ts';
import { decodePageData } from '../../../src/formats/export/page-data.ts';
import type { OpenParams, OpenResult, Side } from './messages/messages.ts';
import type { SummaryResult } from './messages/panel-messages.ts';
import { Matchings } from './recording/matching.ts';
import { Recent } from './recording/recent.ts';
import { LoadedRecording } from './recording/recording.ts';
import { SelectedCache } from './recording/selected.ts';
import { PageComparison } from './tables/diff.ts';
import type { WholeTable } from './tables/table.ts';

/** A recording and what was computed from it lately. */
export type OpenRecording = {
  readonly recording: LoadedRecording;
  readonly side: Side;
  readonly selected: SelectedCache;
  readonly matchings: Matchings;
  readonly tables: Recent<WholeTable>;
  readonly summaries: Recent<SummaryResult>;
};

const SHOWN = 0;

/** The recordings that the page holds, and the comparison of their two sides. */
export class OpenRecordings {
  readonly #bySlot: (OpenRecording | undefined)[] = [];
  #comparison: ComputedOnce<PageComparison> | null = null;

  *open({ slot, side, bytes }: OpenParams): Slices<OpenResult> {
    const recording = new LoadedRecording(yield* decodePageData(bytes));
    yield;
    const described = yield* recording.describe();
    this.#bySlot[slot] = {
      recording,
      side,
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

  /** The recordings of its side compared with those of the other. Throws where there is no other one. */
  *compared(): Slices<PageComparison> {
    this.shown();
    const sideOf = (side: Side) =>
      this.#bySlot.flatMap((open) => (open?.side === side ? [open.recording] : []));
    const there = sideOf('there');
    if (there.length === 0) throw new RangeError('no other recording was opened');
    this.#comparison ??= new ComputedOnce(() => PageComparison.of(sideOf('here'), there));
    return yield* this.#comparison.get();
  }
}
