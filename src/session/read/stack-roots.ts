import { NONE } from '../../base/brand.ts';
import { GrowableUint8 } from '../../base/growable-columns.ts';
import type { RecordedEvent } from '../../perf-data/event-list.ts';
import { PERF_SAMPLE } from '../../perf-event/constants.ts';
import { type Completeness, computeCompleteness } from '../../profile/completeness.ts';
import {
  findStackEnds,
  MARKER_DEPTH,
  markCutStacks,
  markerAddress,
  type RootFacts,
  TRUNCATED_FUNC_NAME,
} from '../../profile/cut-stacks.ts';
import type { ProfileBuilder } from '../../profile/profile-builder.ts';
import type { Profile } from '../../profile/types.ts';
import { isRoot, STOP_NAMES } from '../../unwind/stop-reason.ts';
import { isSideband } from './event-description.ts';
import { copiesStacks } from './unwind-stacks.ts';

// Reasons behind the unwinder's: of callchains that the kernel followed.
const CHAIN_REASON = STOP_NAMES.length;
const UNNAMED_REASON = CHAIN_REASON + 1;
/** What `Completeness` calls a callchain by frame pointer that ends at no root. */
export const CHAIN_ENDS = 'frame pointers lead no further';
const REASONS = [...STOP_NAMES, CHAIN_ENDS, null];

/**
 * Where stacks end, while a recording is read and afterwards. Stacks that unwinding could not follow to
 * their root get a marker frame there at once, one for each reason. Of a callchain by frame pointer
 * only the name of its outermost function tells, so these are marked when frames have names.
 */
export class StackRoots {
  readonly #builder: ProfileBuilder;
  /** By event of the profile. */
  readonly #recordsStacks: boolean[];
  /** Stack row of the marker by reason, −1 where it has none yet. */
  readonly #markers = new Int32Array(REASONS.length).fill(NONE);
  /** 1 for frames that nothing called. By frame; as long as it needs to be. */
  readonly #isRoot = new GrowableUint8();

  constructor(builder: ProfileBuilder, attrs: readonly RecordedEvent[]) {
    this.#builder = builder;
    const sampled = attrs.filter((event) => !isSideband(event.attr)).map(({ attr }) => attr);
    this.#recordsStacks = sampled.map((attr) => {
      const hasUserPart = !attr.flags.excludeCallchainUser || attr.flags.excludeUser;
      return copiesStacks(attr) || ((attr.sampleType & PERF_SAMPLE.CALLCHAIN) !== 0 && hasUserPart);
    });
    // Its row comes before all that may be put below it.
    if (this.#recordsStacks.includes(true)) this.#markerRow(CHAIN_REASON);
  }

  /** The row that a stack begins with that ends for the reason `stop`; −1 for whole ones. */
  markerOf(stop: number): number {
    if (stop < 0 || isRoot(stop)) return NONE;
    const row = this.#markers[stop] as number;
    return row === NONE ? this.#markerRow(stop) : row;
  }

  /** Unwinding has found that nothing called the frame of the stack row `row`. */
  noteRoot(row: number): void {
    const frame = this.#builder.frameOfStack(row);
    while (this.#isRoot.length <= frame) this.#isRoot.push(0);
    this.#isRoot.array[frame] = 1;
  }

  /** Marks what is known to be cut now that frames have names, and counts whole stacks. */
  finish(profile: Profile): Completeness | null {
    const marker = this.#markers[CHAIN_REASON] as number;
    if (marker === NONE) return null;
    const facts: RootFacts = {
      rootFrames: this.#isRoot.finish(),
      chainReason: CHAIN_REASON,
      unnamedReason: UNNAMED_REASON,
    };
    const ends = findStackEnds(profile, facts);
    markCutStacks(profile, ends, facts, marker);
    return computeCompleteness(profile, ends, this.#recordsStacks, REASONS);
  }

  #markerRow(reason: number): number {
    const builder = this.#builder;
    const frame = builder.internFrame(NONE, markerAddress(reason), MARKER_DEPTH);
    const name = builder.strings.intern(TRUNCATED_FUNC_NAME);
    builder.setFunc(frame, builder.internFunc(name, NONE));
    const row = builder.internStack(NONE, frame);
    this.#markers[reason] = row;
    return row;
  }
}
