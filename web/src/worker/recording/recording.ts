import { firstNotBelow } from '../../../../src/base/bisect.ts';
import { NONE } from '../../../../src/base/brand.ts';
import { lostSamplesOf } from '../../../../src/base/lost-samples.ts';
import { eachSlice, type Slices } from '../../../../src/base/slices.ts';
import { ProfileLevels } from '../../../../src/code/levels/levels-of.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import { withUnitOf } from '../../../../src/formats/export/weight-title.ts';
import type { Alignment } from '../../../../src/period/alignment.ts';
import { findInStep, type InStep } from '../../../../src/period/in-step.ts';
import { estimateEvent } from '../../../../src/period/uncertainty/event-estimator.ts';
import { firstMeasure } from '../../../../src/profile/analysis/diff-measure.ts';
import { clipWaits } from '../../../../src/profile/analysis/select/clip-waits.ts';
import { selectSamples } from '../../../../src/profile/analysis/select/filter.ts';
import type { ShareEstimator } from '../../../../src/profile/analysis/shares/share-steps.ts';
import { dsoPlace } from '../../../../src/profile/dso-place.ts';
import type { FrameLevel } from '../../../../src/profile/frame-level.ts';
import { funcLabel } from '../../../../src/profile/func-label.ts';
import { lostFunc } from '../../../../src/profile/losses.ts';
import { placesOfSamples, type SamplePlaces } from '../../../../src/profile/sample-places.ts';
import type { TurnTable } from '../../../../src/profile/turn-table.ts';
import {
  type EventIndex,
  FUNC_CATEGORIES,
  type Profile,
  type WeightKind,
  type Weights,
} from '../../../../src/profile/types.ts';
import { isWaitEvent } from '../../../../src/profile/wait-event.ts';
import type { FrameKind, OpenResult } from '../messages/messages.ts';
import type { Selection } from '../messages/selection.ts';
import { alignmentOf } from './alignment-of.ts';
import { lanesOf } from './lane-heads.ts';
import { type CommPrograms, programsOf, threadNames } from './thread-names.ts';

/** One recording with what every view of it needs: names, kinds, weights, estimators. */
export class LoadedRecording {
  readonly page: PageProfile;
  readonly profile: Profile;
  /** Names by FuncIndex: what functions are called where no DSO stands beside them. */
  readonly funcName: readonly string[];
  /** Names by ThreadIndex, as `threadNames` has them. */
  readonly threadName: readonly string[];
  readonly #lostFunc: number;
  readonly #levels: ProfileLevels;
  readonly #inStep = new Map<EventIndex, InStep | null>();
  #places: SamplePlaces | null = null;
  #programs: CommPrograms | null = null;

  constructor(page: PageProfile) {
    this.page = page;
    this.profile = page.profile;
    this.#levels = new ProfileLevels(page.profile);
    this.threadName = threadNames(this.profile.threads);
    this.#lostFunc = lostFunc(this.profile);
    const { length } = this.profile.funcs;
    this.funcName = Array.from({ length }, (_, func) => funcLabel(this.profile, func));
  }

  get programs(): CommPrograms {
    this.#programs ??= programsOf(this.profile);
    return this.#programs;
  }

  /** The profile with the stacks of a level. All rows but those of stacks are the same. */
  profileAt(level: FrameLevel): Profile {
    return this.page.firstFrames === undefined ? this.profile : this.#levels.at(level);
  }

  /**
   * The profile that tells whose code each sample ran: the category of its innermost function, where V8's way of
   * running a function is that function's own. The same for every level that is shown.
   */
  profileOfOwners(): Profile {
    return this.profileAt('javascript');
  }

  /** Throws where the recording does not have these weights. */
  weights(kind: WeightKind, event: number): Weights {
    const weights = this.page.weights[kind];
    const described = this.profile.events[event];
    if (weights === undefined || described === undefined) {
      throw new RangeError(
        this.page.missingWeights[kind] ??
          `this recording has no weights "${kind}" of event ${event}`,
      );
    }
    return withUnitOf(described, weights);
  }

  /** The weights within a time: a wait weighs its part inside of it. */
  weightsWithin(
    kind: WeightKind,
    event: number,
    { fromNs, toNs, inTurnsOver }: Pick<Selection, 'fromNs' | 'toNs' | 'inTurnsOver'>,
  ): Weights {
    const weights = this.weights(kind, event);
    if (!isWaitEvent(this.profile.events[event])) return weights;
    return clipWaits(this.profile, weights, {
      ...(fromNs !== null && { fromNs }),
      ...(toNs !== null && { toNs }),
      ...(inTurnsOver !== null && { inTurnsOver }),
    });
  }

  /**
   * The estimator as in `OpenedProfile.shareEstimator`: of a part of the samples it is not known
   * what was counted in between, so each counts as drawn.
   */
  *estimator(
    weights: Weights,
    event: EventIndex,
    samples: Int32Array,
    isWhole: boolean,
  ): Slices<ShareEstimator | null> {
    if (samples.length === 0) return null;
    const alignment = yield* alignmentOf(this.page).get();
    const { periodInput, isPart } = this.page;
    return yield* estimateEvent({
      input: periodInput,
      alignment,
      weights,
      event,
      rows: samples,
      isWhole: isWhole && !isPart,
      eventsCounted: periodInput.eventTotals?.[event] ?? null,
      inStep: () => this.#inStepOf(event, alignment),
      places: () => this.#placesOfSamples(),
    });
  }

  #inStepOf(event: EventIndex, { groups, arrivedEvents }: Alignment): InStep | null {
    let found = this.#inStep.get(event);
    if (found === undefined) {
      found = findInStep(
        this.page.periodInput,
        groups,
        event,
        arrivedEvents,
        this.#placesOfSamples(),
      );
      this.#inStep.set(event, found);
    }
    return found;
  }

  #placesOfSamples(): SamplePlaces {
    this.#places ??= placesOfSamples(this.profile);
    return this.#places;
  }

  /** A link may name a function of another recording. */
  hasFunc(func: number): boolean {
    return func >= 0 && func < this.profile.funcs.length;
  }

  kindOf(func: number): FrameKind {
    return func === this.#lostFunc ? 'lost' : FUNC_CATEGORIES[this.groups[func]];
  }

  /** Row of `KIND_GROUPS` by FuncIndex: whose code each function is, whatever the level. */
  get groups(): Uint8Array {
    return this.profile.funcs.category;
  }

  /** `src/server.ts:12` where a function begins; empty if that is not known. */
  placeOf(func: number): string {
    const { funcs, strings } = this.profile;
    const file = funcs.file[func];
    if (file === NONE) return '';
    const line = funcs.line[func];
    return line > 0 ? `${strings[file]}:${line}` : strings[file];
  }

  dsoPathOf(func: number): string {
    return dsoPlace(this.profile.dsos[this.profile.funcs.dso[func]]);
  }

  *describe(): Slices<OpenResult> {
    const { profile, page } = this;
    const ofThread = new Int32Array(profile.threads.length);
    const ofEvent = new Int32Array(profile.events.length);
    const cpus = new Set<number>();
    const { thread, event, cpu, timeNs, length } = profile.samples;
    yield* eachSlice(length, (first, end) => {
      for (let i = first; i < end; i++) {
        ofThread[thread[i]]++;
        ofEvent[event[i]]++;
        cpus.add(cpu[i]);
      }
    });
    cpus.delete(NONE);
    const { profile: _profile, weights, periodInput: _input, ...head } = page;
    return {
      events: profile.events.map(({ name, type, mode, unit, leader }, index) => {
        const lostSamples = lostSamplesOf(profile.losses, index);
        const counted = page.periodInput.eventTotals?.[index] ?? null;
        const readBy = leader === undefined ? null : profile.events[leader].name;
        return { name, type, mode, unit, readBy, samples: ofEvent[index], lostSamples, counted };
      }),
      threads: profile.threads.map(({ pid, tid, comm }, index) => ({
        pid,
        tid,
        comm,
        name: this.threadName[index],
        samples: ofThread[index],
      })),
      funcNames: this.funcName,
      dsoNames: profile.dsos.map(({ name }) => name),
      cpus: [...cpus].sort((a, b) => a - b),
      turnsOver: countTurns(profile.turns),
      lanes: lanesOf(profile),
      areLossesKnown: !Object.values(weights).some(({ areOfText }) => areOfText === true),
      endNs: length === 0 ? 0 : timeNs[length - 1],
      diffBy: firstMeasure(profile),
      meta: profile.meta,
      head: { ...head, weightKinds: Object.keys(weights) as WeightKind[] },
    };
  }

  /** Samples of one event and those that the filters admit, in time order. */
  samplesOf(
    event: number,
    filter: Pick<Selection, 'threads' | 'pid' | 'cpu' | 'fromNs' | 'toNs' | 'inTurnsOver'>,
  ): Slices<Int32Array> {
    const { threads, pid, cpu, fromNs, toNs, inTurnsOver } = filter;
    return selectSamples(this.profile, {
      event,
      ...(threads.length > 0 && { threads: new Set(threads) }),
      ...(pid !== null && { pids: new Set([pid]) }),
      ...(cpu !== null && { cpus: new Set([cpu]) }),
      ...(fromNs !== null && { fromNs }),
      ...(toNs !== null && { toNs }),
      ...(inTurnsOver !== null && { inTurnsOver }),
    });
  }
}

/** Milliseconds by which turns are chosen. */
const LEAST_TURNS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/** Counts the turns that took as long or longer, where any did. */
function countTurns(turns: TurnTable | undefined): OpenResult['turnsOver'] {
  if (turns === undefined) return [];
  const lengths = turns.toNs.map((toNs, row) => toNs - turns.fromNs[row]).sort();
  return LEAST_TURNS.map((ms) => {
    return { ms, turns: lengths.length - firstNotBelow(lengths, ms * 1e6) };
  }).filter(({ turns: count }) => count > 0);
}
