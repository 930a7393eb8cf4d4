import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { FailedError, UsageError } from '../../base/errors.ts';
import { getOrMake } from '../../base/group-by.ts';
import { memoize } from '../../base/memoize.ts';
import { finish } from '../../base/slices.ts';
import type { CodePart, FunctionAssembly } from '../../code/disassembly/types.ts';
import { kindFacts } from '../../code/javascript/native-kind.ts';
import { ProfileLevels } from '../../code/levels/levels-of.ts';
import { type DescribedDiagnostic, describeDiagnostics } from '../../findings/diagnostic-text.ts';
import type { RecordingMarks } from '../../formats/export/recording-marks.ts';
import {
  ASKED,
  checkArguments,
  MARKS_OF_PROFILE,
  SELECTED,
  TURNS_OF_PROFILE,
  type TurnsOptions,
} from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import { type Alignment, alignPeriods, findReportedPeriods } from '../../period/alignment.ts';
import { findInStep, type InStep } from '../../period/in-step.ts';
import { computeLedgers, type EventLedger } from '../../period/loss/loss-ledger.ts';
import {
  type PeriodsReport,
  type ReportOptions,
  reportPeriods,
} from '../../period/report/report.ts';
import { type RuleDoubt, readByLeaderText, ruleDoubtText } from '../../period/report/rule-doubt.ts';
import type { PeriodInput, ReportedPeriod } from '../../period/types.ts';
import { estimateEvent } from '../../period/uncertainty/event-estimator.ts';
import { movedShare, shiftOfOtherReading } from '../../period/uncertainty/other-reading.ts';
import { computeWeights } from '../../period/weights.ts';
import { computeFlatReport, type FlatReport } from '../../profile/analysis/flat-report.ts';
import { clipWaits } from '../../profile/analysis/select/clip-waits.ts';
import {
  isRestricting,
  type SampleSelection,
  selectSamples,
} from '../../profile/analysis/select/filter.ts';
import type { RatioSource } from '../../profile/analysis/shares/ratios.ts';
import type { ShareEstimator } from '../../profile/analysis/shares/share-steps.ts';
import type { Completeness } from '../../profile/analysis/stacks/completeness.ts';
import { hasCallers } from '../../profile/callers.ts';
import { findEvents } from '../../profile/find-events.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import { funcLabel } from '../../profile/func-label.ts';
import type { MarkTable } from '../../profile/mark-table.ts';
import { placesOfSamples, type SamplePlaces } from '../../profile/sample-places.ts';
import type { RecordedTime, TimeRange } from '../../profile/time-range.ts';
import type { EventIndex, FuncIndex, Profile, WeightKind, Weights } from '../../profile/types.ts';
import { isMeasuredEvent, isWaitEvent, OFF_CPU_EVENT } from '../../profile/wait-event.ts';
import { type AwaitRow, findAwaits } from '../../questions/awaits.ts';
import { findInstructions, type InstructionWeights } from '../../questions/instructions.ts';
import { type MarkSummary, summarizeMarks } from '../../questions/marks.ts';
import { ownersOfSamples, REQUEST } from '../../questions/request-owners.ts';
import { type RequestTimeTable, timesOfRequests } from '../../questions/request-times.ts';
import { findRequests, type RequestReport } from '../../questions/requests.ts';
import type { Asked } from '../../questions/shares-by-key.ts';
import { type SyscallSummary, summarizeSyscalls, syscallEvents } from '../../questions/syscalls.ts';
import { reportThreads, type ThreadTables } from '../../questions/threads.ts';
import { slowestTurns, summarizeLoops, type TurnReport } from '../../questions/turns.ts';
import type { FunctionCode } from '../code/function-code.ts';
import { NO_FACTS, type RecordingFacts } from '../facts/recording-facts.ts';

/** Results that do not depend on the frames, kept from the first time that they are asked for. */
type Computed = {
  readonly weights: Map<WeightKind, Weights>;
  readonly inStep: Map<EventIndex, InStep | null>;
  alignment?: Alignment;
  rules?: readonly ReportedPeriod[];
  places?: SamplePlaces;
};

/** The parts of a recording that was read. */
export type ReadParts = {
  /** The profile with all frames, alone or with the levels that are folded already. */
  readonly recorded: Profile | ProfileLevels;
  readonly periodInput: PeriodInput;
  readonly diagnostics: Diagnostics;
  readonly truncatedAt: number | null;
  /** `frames` is the level shown. */
  readonly facts?: RecordingFacts;
  readonly completeness?: Completeness | null;
  readonly code?: Pick<FunctionCode, 'disassemble'> | null;
};

/** A recording as a profile, with what is computed from it. */
export class AnalysedProfile {
  /** The profile with the frames of one level, `facts.frames`. */
  readonly profile: Profile;
  /** Problems that did not end the reading: what is damaged, and what has no names. */
  readonly diagnostics: { entries(): DescribedDiagnostic[] };
  /** Offset at which the file ends early; null if it is whole. */
  readonly truncatedAt: number | null;
  /** Facts of the recording that the profile has no place for. */
  readonly facts: RecordingFacts;
  /** How many samples have whole stacks; null where no event records stacks. */
  readonly completeness: Completeness | null;
  /** Input of weights and period reports. */
  readonly periodInput: PeriodInput;
  readonly #levels: ProfileLevels;
  readonly #parts: ReadParts;
  #computed: Computed = { weights: new Map(), inStep: new Map() };

  constructor(parts: ReadParts) {
    const { recorded, diagnostics, facts = NO_FACTS } = parts;
    this.#parts = parts;
    this.#levels = recorded instanceof ProfileLevels ? recorded : new ProfileLevels(recorded);
    this.profile = this.profileAt(facts.frames);
    this.completeness = parts.completeness ?? null;
    this.facts = facts;
    this.periodInput = parts.periodInput;
    this.diagnostics = { entries: () => describeDiagnostics(diagnostics) };
    this.truncatedAt = parts.truncatedAt;
  }

  /**
   * The profile with the frames of a level, whatever level is shown. Samples, weights and all rows but those of
   * stacks stay.
   */
  profileAt(frames: FrameLevel): Profile {
    return this.#levels.at(frames);
  }

  /**
   * The recording with the frames of a level: `javascript` makes native code kinds, `(garbage collector)`,
   * `own` dependencies too. Weights stay.
   */
  atLevel(frames: FrameLevel): AnalysedProfile {
    if (frames === this.facts.frames) return this;
    const facts = { ...this.facts, frames };
    const other = new AnalysedProfile({ ...this.#parts, recorded: this.#levels, facts });
    other.#computed = this.#computed;
    return other;
  }

  /**
   * Returns the weight of each sample; `events` weighs by what was really counted. With `event` the
   * unit is that event's, else the one that all events share. With `select` a wait that reaches out of the
   * selected times weighs its part inside of them.
   */
  weights(kind: WeightKind = 'events', event?: EventIndex, select: SampleSelection = {}): Weights {
    checkArguments({ kind });
    return clipWaits(this.profile, this.#weightsOf(kind, event), select);
  }

  #weightsOf(kind: WeightKind, event?: EventIndex): Weights {
    let weights = this.#computed.weights.get(kind);
    if (weights === undefined) {
      weights = computeWeights(
        kind,
        this.periodInput,
        () => this.#aligned(),
        () => this.#places(),
      );
      const { imported } = this.facts;
      if (imported !== null) weights = { ...weights, areOfText: true };
      if (isSummed(imported)) weights = { ...weights, areSums: true };
      this.#computed.weights.set(kind, weights);
    }
    const described = event === undefined ? undefined : this.profile.events[event];
    // A recording may have no event at all, where the first is asked for.
    if (described === undefined) return weights;
    const { name, unit } = described;
    const isCount = kind === 'samples' || kind === 'time';
    return {
      ...weights,
      ...(!isCount && { unit }),
      ...(name === OFF_CPU_EVENT
        ? { areWaits: true as const }
        : isMeasuredEvent(described) && { areMeasured: true as const }),
    };
  }

  /** Whether callers are known: stacks were recorded, or the text of another tool has some. */
  get hasStacks(): boolean {
    return this.completeness !== null || hasCallers(this.profileAt('all'));
  }

  /** The event with this name, or the only or first one. Throws UsageError for an unknown name. */
  eventIndex(name?: string): EventIndex {
    if (name === undefined) return 0 as EventIndex;
    const names = this.profile.events.map((event) => event.name);
    return findEvents(names, name)[0] as EventIndex;
  }

  /** Samples of one event, as rows, which are not to be changed; with `select` those that it admits. */
  samplesOf(event: EventIndex, select: SampleSelection = {}): Int32Array {
    return finish(selectSamples(this.profile, { ...select, event }));
  }

  /** When the samples were taken. */
  recordedTime(): RecordedTime {
    const { timeNs, length } = this.profile.samples;
    const startTime = BigInt(this.profile.meta.startTime);
    const times = [timeNs[0], timeNs[length - 1]].map((time) => time ?? Number.NaN);
    return { startTime, firstNs: times[0], lastNs: times[1] };
  }

  /**
   * How well shares of one event are known, by these weights of its samples. Of a part of them it
   * is not known what was counted in between: each counts as drawn with its own weight. Null for
   * texts whose items are sums, and for recordings without events.
   */
  shareEstimator(
    weights: Weights,
    event: EventIndex,
    select: SampleSelection = {},
  ): ShareEstimator | null {
    const described = this.profile.events[event];
    if (described === undefined) return null;
    return finish(
      estimateEvent({
        input: this.periodInput,
        alignment: this.#aligned(),
        weights,
        event,
        rows: this.samplesOf(event, select),
        isWhole: !isRestricting(select),
        eventsCounted: this.eventsCounted(event),
        inStep: () => this.inStep(event),
        places: () => this.#places(),
      }),
    );
  }

  /** The samples of an event that `select` admits, and what each weighs: the matter of a question. */
  #asked(
    profile: Profile,
    event: EventIndex,
    { weight, select }: { weight?: WeightKind; select?: SampleSelection },
  ): Asked {
    const weights = this.weights(weight, event, select);
    const estimator = this.shareEstimator(weights, event, select);
    return { profile, weights, estimator, rows: this.samplesOf(event, select) };
  }

  /** The counts that ratios of events are computed from, of the selected samples. */
  ratioSource(select: SampleSelection = {}): RatioSource {
    const { profile } = this;
    const eventOf = (event: EventIndex) =>
      this.#asked(profile, event, { weight: 'events', select });
    return { profile, aligned: this.#aligned(), eventOf: memoize(eventOf) };
  }

  /** Self and total by symbol, DSO, thread and comm, with 95 % intervals of the shares. */
  report(
    options: { event?: string; weight?: WeightKind; select?: SampleSelection } = {},
  ): FlatReport & ThreadTables {
    checkOptions(ASKED, options, 'report');
    const asked = this.#asked(this.profile, this.eventIndex(options.event), options);
    const { profile, weights, estimator, rows } = asked;
    const wanted = estimator && { estimator, tables: ['bySymbol', 'byDso'] as const, totals: true };
    const report = computeFlatReport(profile, weights, rows, wanted ?? undefined);
    return { ...report, ...reportThreads(asked) };
  }

  /**
   * How long event loops of Node were busy at a time, and what they did in the slowest turns, by function of the
   * program's author; null where the recording has no turns.
   */
  turns(options: TurnsOptions = {}): TurnReport | null {
    checkOptions(TURNS_OF_PROFILE, options, 'turns');
    const { turns } = this.profile;
    if (turns === undefined) return null;
    const { over = 1, limit = Number.POSITIVE_INFINITY, times } = options;
    const event = this.eventIndex(options.event);
    const question = {
      profile: this.profile,
      recorded: this.profileAt('all'),
      rows: this.samplesOf(event),
      weights: this.weights(options.weight, event),
      overNs: over * 1e6,
      limit,
      ...(times !== undefined && { times }),
    };
    return { loops: summarizeLoops(turns, times), slowest: slowestTurns(turns, question) };
  }

  /**
   * Marks of the recorded programs: requests, garbage collections, `performance.measure()`, `console.time()`, by kind
   * and name; empty where nothing in them told any.
   */
  programMarks(options: { times?: readonly TimeRange[] } = {}): MarkSummary[] {
    checkOptions(MARKS_OF_PROFILE, options, 'programMarks');
    const { marks } = this.profile;
    return marks === undefined ? [] : summarizeMarks(marks, options.times);
  }

  /**
   * Requests that servers answered, by route: how long they took, and what ran for them, as far as that can be told; null
   * where the recording has none.
   */
  requests(
    options: { event?: string; weight?: WeightKind; select?: SampleSelection } = {},
  ): RequestReport | null {
    checkOptions(ASKED, options, 'requests');
    const profile = this.profileAt('all');
    const { marks } = profile;
    if (marks?.kind.includes(REQUEST) !== true) return null;
    const event = this.eventIndex(options.event);
    const { owners, times } = this.#requestTimes(marks, event, options.weight);
    return finish(findRequests(this.#asked(profile, event, options), marks, owners, times));
  }

  /**
   * Functions that V8 resumed, with the functions that await them, and what ran below; null where `record --async-stacks` did not record
   * them. Functions are rows of `profileAt('all')`.
   *
   * @example
   * ```ts
   * import { type AwaitRow, openProfile } from 'perf-ts';
   *
   * const opened = await openProfile('perf.data');
   * const rows: readonly AwaitRow[] = opened.awaits() ?? [];
   * for (const { resumed, awaiting, share } of rows) {
   *   const by = awaiting?.map((func) => opened.nameOf(func)).join(' < ') ?? 'not known';
   *   console.log(`${opened.nameOf(resumed)} ${(share * 100).toFixed(1)}%, awaited by ${by}`);
   * }
   * ```
   */
  awaits(
    options: { event?: string; weight?: WeightKind; select?: SampleSelection } = {},
  ): AwaitRow[] | null {
    checkOptions(ASKED, options, 'awaits');
    const profile = this.profileAt('all');
    if (profile.marks?.asyncStacks === undefined) return null;
    return finish(findAwaits(this.#asked(profile, this.eventIndex(options.event), options)));
  }

  /**
   * The times of each request, by row of the marks, by the samples of the first event; null where the recording has no requests,
   * or that event counts something else than time.
   */
  requestTimes(weight?: WeightKind): RequestTimeTable | null {
    const { marks } = this.profile;
    if (marks?.kind.includes(REQUEST) !== true) return null;
    return this.#requestTimes(marks, this.eventIndex(), weight).times;
  }

  #requestTimes(marks: MarkTable, event: EventIndex, kind?: WeightKind) {
    const profile = this.profileAt('all');
    const rows = this.samplesOf(event);
    const owners = ownersOfSamples(profile, marks, rows);
    const { unit, values } = this.weights(kind, event);
    const isTime = unit === 'nanoseconds' && !isMeasuredEvent(profile.events[event]);
    if (!isTime) return { owners, times: null };
    const ofWaits = profile.events.findIndex(isWaitEvent);
    const waitRows = ofWaits === NONE ? null : this.samplesOf(ofWaits as EventIndex);
    const waits = waitRows && {
      rows: waitRows,
      owners: ownersOfSamples(profile, marks, waitRows),
    };
    const sampled = { rows, weights: values, owners };
    return { owners, times: timesOfRequests(profile, marks, sampled, waits) };
  }

  /**
   * System calls by the function that made them: how many, how long they took, how many bytes they moved; null where
   * `record --syscalls` did not record them.
   */
  syscalls(options: { select?: SampleSelection } = {}): SyscallSummary[] | null {
    checkOptions(SELECTED, options, 'syscalls');
    const profile = this.profileAt('javascript');
    const events = syscallEvents(profile);
    if (events === null) return null;
    const rowsOf = (event: EventIndex | -1) =>
      event === -1 ? new Int32Array(0) : this.samplesOf(event, options.select);
    const own = kindFacts('recorder').label;
    const rows = { calls: rowsOf(events.calls), bytes: rowsOf(events.bytes), own };
    return summarizeSyscalls(profile, rows);
  }

  /** A function as reports and graphs call it; code without a symbol goes by its DSO. */
  nameOf(func: FuncIndex): string {
    const { length } = this.profile.funcs;
    if (!(func >= 0 && func < length)) {
      throw new UsageError(`func ${func}: this profile has the functions 0 to ${length - 1}`);
    }
    return funcLabel(this.profile, func);
  }

  /**
   * The machine code of a function, decoded, with the instruction of each frame in it. Throws
   * `FailedError` where the disassembler is not installed, and for a text, which has no code.
   */
  disassemble(func: FuncIndex): Promise<FunctionAssembly> {
    const { frames } = this.profile;
    const rows: number[] = [];
    for (let frame = 0; frame < frames.length; frame++) {
      if (frames.func[frame] === func) rows.push(frame);
    }
    return this.disassembleFrames(rows);
  }

  /**
   * Sums the weights at the instructions of a part that `disassemble` gave of `func`, as columns by its
   * rows: of one event, in weights of one kind; with `select` only of the samples that it admits.
   */
  weighInstructions(
    func: FuncIndex,
    part: CodePart,
    options: { event?: string; weight?: WeightKind; select?: SampleSelection } = {},
  ): InstructionWeights {
    checkArguments({ func });
    checkOptions(ASKED, options, 'weighInstructions');
    const event = this.eventIndex(options.event);
    const weights = this.weights(options.weight, event, options.select);
    const rows = this.samplesOf(event, options.select);
    const { frames, rowOfFrame, text } = part;
    const places = { frames, instructions: rowOfFrame, count: text.length };
    return findInstructions({ profile: this.profile, weights, rows }, func, places);
  }

  /** Disassembles the code of rows of the frame table, as `disassemble` does that of a function. */
  async disassembleFrames(frames: readonly number[]): Promise<FunctionAssembly> {
    const { code = null } = this.#parts;
    if (code === null) {
      throw new FailedError('no assembly: only a perf.data file records which code ran');
    }
    return code.disassemble(this.profile, frames);
  }

  /** Which interval the periods of each event measure, and how that is known. */
  rules(): readonly ReportedPeriod[] {
    this.#computed.rules ??=
      this.#computed.alignment?.rules ?? finish(findReportedPeriods(this.periodInput));
    return this.#computed.rules;
  }

  /**
   * The final value of an event's counter over all its instances, or as far as the samples read it;
   * null if they did not.
   */
  eventsCounted(event: EventIndex): number | null {
    const total = this.periodInput.eventTotals?.[event] ?? null;
    const { count } = this.profile.samples;
    if (total !== null || count === null) return total;
    const rows = this.samplesOf(event);
    if (rows.length === 0 || rows.some((row) => Number.isNaN(count[row]))) return null;
    const { elapsedEvents } = this.#aligned();
    return rows.reduce((sum, row) => sum + elapsedEvents[row], 0);
  }

  /**
   * Collects events in time that are not samples: losses, throttling, re-ramps, context switches.
   * `report` describes all streams.
   */
  marks(report: PeriodsReport = this.periods({ streams: 'all' })): RecordingMarks {
    const { losses, throttles, switches } = this.facts;
    const reported = this.reportedEvents();
    const reRamps = report.events.flatMap(({ streams }, index) => {
      const event = reported[index];
      return streams.flatMap(({ streamId, reRamps }) =>
        reRamps.map((ramp) => ({ ...ramp, event, streamId })),
      );
    });
    return { losses, throttles, switches, reRamps };
  }

  /** Accounts for each event: what arrived and what did not, in events. */
  ledgers(): EventLedger[] {
    return computeLedgers(this.periodInput, this.#aligned());
  }

  /** How the kernel's adaptive period behaved, and what was lost; its events are `reportedEvents()`. */
  periods(options: ReportOptions = {}): PeriodsReport {
    const places = this.#places();
    const report = reportPeriods(this.periodInput, { places, ...options }, this.#aligned());
    return { ...report, events: this.reportedEvents().map((event) => report.events[event]) };
  }

  /**
   * The events with a period: members of a sampled group have none of their own, since their leader samples
   * them, nor have waits and system calls one.
   */
  reportedEvents(): EventIndex[] {
    const reported: EventIndex[] = [];
    this.profile.events.forEach(({ fixedPeriod, name, areDrawn }, event) => {
      const isOwn = fixedPeriod !== 0 && !isMeasuredEvent({ name }) && !areDrawn;
      if (isOwn) reported.push(event as EventIndex);
    });
    return reported;
  }

  /** How samples of an event fall in step with the work; null where that is not seen. */
  inStep(event: EventIndex): InStep | null {
    const described = this.profile.events[event];
    // V8 draws its intervals, and of its samples only the half second is known.
    if (described?.areDrawn) return null;
    return getOrMake(this.#computed.inStep, event, () => {
      const { groups, arrivedEvents } = this.#aligned();
      return findInStep(this.periodInput, groups, event, arrivedEvents, this.#places());
    });
  }

  /** Why the weights of an event may be those of neighbouring samples, for every command that prints shares. */
  weightDoubt(event: EventIndex): string | null {
    const { events } = this.profile;
    const leader = events[event]?.leader;
    if (leader !== undefined) return readByLeaderText(events[leader].name);
    const doubt = this.ruleDoubt(event);
    return doubt === null ? null : ruleDoubtText(doubt);
  }

  /**
   * Why the shares of an event may be those of neighbouring samples; null where it is known which interval
   * each period measures. `weightDoubt` has it as a sentence.
   */
  ruleDoubt(event: EventIndex): RuleDoubt | null {
    const reported = this.rules()[event];
    if (reported?.rule !== 'unknown' || isSummed(this.facts.imported)) return null;
    const { values } = this.weights('events', event);
    const rows = this.samplesOf(event);
    const weight = rows.reduce((sum, row) => sum + values[row], 0);
    const { groups } = this.#aligned();
    const shift = shiftOfOtherReading(this.periodInput, groups, { weights: values, rows });
    const moved = movedShare(shift, weight);
    return moved > 0 ? { reported, moved } : null;
  }

  #places(): SamplePlaces {
    this.#computed.places ??= placesOfSamples(this.profileAt('all'));
    return this.#computed.places;
  }

  #aligned(): Alignment {
    this.#computed.alignment ??= finish(alignPeriods(this.periodInput));
    return this.#computed.alignment;
  }
}

/** Its items are sums, each of several samples. */
function isSummed(format: RecordingFacts['imported']): boolean {
  return (
    format === 'folded' || format === 'heapprofile' || format === 'speedscope' || format === 'pprof'
  );
}
