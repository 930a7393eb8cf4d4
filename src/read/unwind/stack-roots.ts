import { NONE } from '../../base/brand.ts';
import { GrowableUint8 } from '../../base/growable-columns.ts';
import { isRoot, STOP_NAMES } from '../../code/unwind/stop-reason.ts';
import type { RecordedEvent } from '../../formats/perf-data/event-list.ts';
import { hasLbrCallchain } from '../../kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import {
  type Completeness,
  computeCompleteness,
} from '../../profile/analysis/stacks/completeness.ts';
import {
  findStackEnds,
  markerAddress,
  type RootFacts,
  TRUNCATED_FUNC_NAME,
  unmarkWholeStacks,
} from '../../profile/analysis/stacks/cut-stacks.ts';
import { MARKER_DEPTH } from '../../profile/frame-table.ts';
import type { ProfileBuilder } from '../../profile/profile-builder.ts';
import type { Profile } from '../../profile/types.ts';
import { isHeapEvent } from '../../profile/wait-event.ts';
import { isAuxiliaryEvent } from '../facts/event-description.ts';
import { copiesStacks, NO_UNWINDER } from './unwind-stacks.ts';

// Reasons behind the unwinder's: of callchains that the kernel followed.
const CHAIN_REASON = NO_UNWINDER + 1;
const UNNAMED_REASON = CHAIN_REASON + 1;
/** The name in `Completeness` of a callchain by frame pointer that ends at no root. */
export const CHAIN_ENDS = 'frame pointers lead no further';
/** A callchain has as many frames as it may. */
export const CHAIN_FULL = CHAIN_REASON + 2;
/** The name in `Completeness` of that. */
export const CHAIN_IS_FULL = 'as many frames as the kernel records';
/** A callchain has as many calls as the CPU's branch records hold. */
export const LBR_FULL = CHAIN_REASON + 3;
/** The name in `Completeness` of that. */
export const LBR_IS_FULL = "as many calls as the CPU's branch records hold";
/** The name in `Completeness` of a callchain of fewer calls that ends at no root. */
export const LBR_ENDS = "the CPU's branch records lead no further";
/** The name in `Completeness` of copied stacks that are not unwound. */
const HAS_NO_UNWINDER = 'stacks of this architecture are not unwound';
const REASONS = [...STOP_NAMES, HAS_NO_UNWINDER, CHAIN_ENDS, null, CHAIN_IS_FULL, LBR_IS_FULL];

/**
 * The ends of stacks, while a recording is read and afterwards. Stacks that are known to go on where they end get a
 * marker frame there, one for each reason: those that unwinding could not follow, and callchains with as many frames as
 * the kernel gives. Of other callchains only the name of the outermost function tells. They are counted when frames
 * have names, and not marked: frame pointers of code without them lead astray, mostly at a place that says nothing, and
 * other tools show them as they are.
 */
export class StackRoots {
  readonly #builder: ProfileBuilder;
  /** Whether stacks are recorded, by event of the profile. */
  readonly #recordsStacks: boolean[];
  /** Reasons in words. Of stacks only the end is known, not the event, so one reason serves all. */
  readonly #reasons: readonly (string | null)[];
  /** Stack row of the marker by reason, −1 where it has none yet. */
  readonly #markers = new Int32Array(REASONS.length).fill(NONE);
  /** 1 for frames that nothing called. By frame; as long as it needs to be. */
  readonly #isRoot = new GrowableUint8();

  constructor(builder: ProfileBuilder, attrs: readonly RecordedEvent[]) {
    this.#builder = builder;
    const events = attrs.filter((event) => !isAuxiliaryEvent(event));
    const sampled = events.map(({ attr }) => attr);
    this.#recordsStacks = events.map(({ attr, name }) => {
      // V8 gives the JavaScript of a stack, whole.
      if (isHeapEvent({ name })) return false;
      const hasUserPart = !attr.flags.excludeCallchainUser || attr.flags.excludeUser;
      return copiesStacks(attr) || ((attr.sampleType & PERF_SAMPLE.CALLCHAIN) !== 0 && hasUserPart);
    });
    const withChains = sampled.filter((_, event) => this.#recordsStacks[event]);
    const areOfLbr = withChains.length > 0 && withChains.every(hasLbrCallchain);
    this.#reasons = areOfLbr ? REASONS.with(CHAIN_REASON, LBR_ENDS) : REASONS;
  }

  /** The row that a stack begins with that ends for the reason `stop`; −1 for whole ones. */
  markerOf(stop: number): number {
    if (stop < 0 || isRoot(stop)) return NONE;
    const row = this.#markers[stop];
    return row === NONE ? this.#markerRow(stop) : row;
  }

  /** Unwinding has found that nothing called the frame of the stack row `row`. */
  noteRoot(row: number): void {
    const frame = this.#builder.stacks.frame(row);
    while (this.#isRoot.length <= frame) this.#isRoot.push(0);
    this.#isRoot.array[frame] = 1;
  }

  /** Has markers made anew where they are asked for, because the rows of the stack table are gone. */
  forgetRows(): void {
    this.#markers.fill(NONE);
  }

  /** Counts whole stacks now that frames have names, and takes the markers off those that have one. */
  finish(profile: Profile): { profile: Profile; completeness: Completeness | null } {
    if (!this.#recordsStacks.includes(true)) return { profile, completeness: null };
    const facts: RootFacts = {
      rootFrames: this.#isRoot.finish(),
      chainReason: CHAIN_REASON,
      unnamedReason: UNNAMED_REASON,
    };
    const ends = findStackEnds(profile, facts);
    const completeness = computeCompleteness(profile, ends, this.#recordsStacks, this.#reasons);
    return { profile: unmarkWholeStacks(profile, ends), completeness };
  }

  #markerRow(reason: number): number {
    const builder = this.#builder;
    const frame = builder.frames.intern(NONE, markerAddress(reason), MARKER_DEPTH);
    const name = builder.strings.intern(TRUNCATED_FUNC_NAME);
    builder.frames.setFunc(frame, builder.funcs.intern(name, NONE));
    const row = builder.stacks.intern(NONE, frame);
    this.#markers[reason] = row;
    return row;
  }
}
