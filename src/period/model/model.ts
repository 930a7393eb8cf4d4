/**
 * How far the kernel's own algorithm explains one stream's reported periods.
 *
 * `replay.ts` computes each period from what was recorded before it. `model-rules.ts` finds out
 * what the recording does not say: HZ, when it ticked, how the kernel rounds. What is left
 * unexplained gets a cause in `model-departures.ts`.
 */

import { type EighthRounding, isCountedInSoftware } from '../controller.ts';
import type { PeriodSequence } from '../period-sequence.ts';
import type { StreamGroups } from '../streams.ts';
import type { PeriodInput } from '../types.ts';
import { DepartureCauses, type Departures } from './model-departures.ts';
import { findReplayRules, type ModelOptions } from './model-rules.ts';
import { replay } from './replay.ts';
import { isFitted, type Replay, type ReplayRules, STEP } from './replay-rules.ts';
import { TICK_RATES, type TickGrid } from './ticks.ts';

export type ModelReport = {
  /** Samples of which the replay expects a period. */
  readonly compared: number;
  /**
   * Expected and reported are the same integer. What a guess or a fitted pause had a part in does
   * not count.
   */
  readonly exact: number;
  /** Expected is within 1 % of reported; these are among them. */
  readonly within1Percent: number;
  /** The rate asked is below twice HZ: ticks adjust as often as overflows, and decide. */
  readonly tickDriven: boolean;
  /** Ticks per second, as found out; null where the ticks left no trace. */
  readonly hz: number | null;
  /** Phase of the ticks, for other streams of the same recording; null with `hz`. */
  readonly grid: TickGrid | null;
  /** 'unknown': no step tells the two apart. */
  readonly rounding: EighthRounding | 'unknown';
  /**
   * Whether the samples tell when the event was switched out ('recorded': they read the running
   * time of an event that the kernel counts), or that is guessed from the periods.
   */
  readonly switches: 'recorded' | 'guessed';
  /** Samples whose period no tick, restart or pause had a part in. */
  readonly overflowsOnly: {
    readonly compared: number;
    readonly exact: number;
    /**
     * Expected and reported differ by at most one event. The kernel adjusts by a time that it reads
     * some 100 ns before the sample's own; of a period of thousands that is a part of an event.
     */
    readonly within1Event: number;
  };
  /** Samples within 1 %, by what it took to explain them beyond the overflow itself. */
  readonly explainedBy: {
    readonly overflow: number;
    readonly ticks: number;
    readonly restarts: number;
    readonly pauses: number;
  };
  readonly departures: Departures;
};

/** Minimum number of compared samples for a statement. */
const MIN_COMPARED = 8;

/**
 * Replays one stream in frequency mode. Null: too few samples. Clocks and fixed periods have no
 * controller; do not ask for them.
 */
export function replayStream(sequence: PeriodSequence, options: ModelOptions): ModelReport | null {
  if (sequence.length - 2 < MIN_COMPARED) return null;
  const found = findReplayRules(sequence, options);
  const { rules, isHzClear, rounding } = found;
  const { grid, frequencyHz } = rules;
  // Where HZ is not known, only what holds for every HZ is said.
  const hz = isHzClear && grid !== null ? grid.hz : null;
  return {
    ...summarize(sequence, replay(sequence, rules), rules, options),
    tickDriven: frequencyHz < 2 * (hz ?? Math.min(...TICK_RATES)),
    hz,
    grid: hz === null ? null : grid,
    rounding,
    switches: sequence.offCpuNs && rules.isCountedInSoftware ? 'recorded' : 'guessed',
  };
}

/**
 * Replays group `group` of an input; null too for clocks and fixed periods. `grid` are the
 * ticks that another stream has shown.
 */
export function replayGroup(
  input: PeriodInput,
  groups: StreamGroups,
  group: number,
  sequence: PeriodSequence,
  grid: TickGrid | null,
): ModelReport | null {
  const index = groups.event[group];
  const stream = groups.stream[group];
  const { mode, frequencyHz, type } = input.events[index];
  if (mode !== 'frequency' || frequencyHz === null) return null;
  const isOfGroup = (row: { event: number; stream?: number }) =>
    (row.event === index || row.event < 0) && ((row.stream ?? -1) < 0 || row.stream === stream);
  return replayStream(sequence, {
    frequencyHz,
    // Of hardware events, which of the two explains more is part of the answer.
    rule: isCountedInSoftware(type) ? 'next' : 'unknown',
    isCountedInSoftware: isCountedInSoftware(type),
    ...(grid !== null && { grid }),
    throttles: (input.throttles ?? []).filter(isOfGroup),
    lossTimesNs: (input.lossGaps ?? []).filter(isOfGroup).map(({ timeNs }) => timeNs),
  });
}

function summarize(
  sequence: PeriodSequence,
  { expected, step, ticks }: Replay,
  rules: ReplayRules,
  options: ModelOptions,
) {
  const { length, periodEvents } = sequence;
  const steps = new Float64Array(6);
  const causes = new DepartureCauses(sequence, rules, options);
  let compared = 0;
  let exact = 0;
  let within1Percent = 0;
  let plain = 0;
  let plainExact = 0;
  let plainWithin1Event = 0;
  for (let i = 0; i < length; i++) {
    const kind = step[i];
    if (kind === STEP.NONE) continue;
    compared++;
    const distance = Math.abs(expected[i] - periodEvents[i]);
    const isExact = distance === 0 && !isFitted(kind);
    if (isExact) exact++;
    if (kind === STEP.OVERFLOW) {
      plain++;
      if (isExact) plainExact++;
      if (distance <= 1) plainWithin1Event++;
    }
    if (distance <= 0.01 * periodEvents[i]) {
      within1Percent++;
      steps[kind]++;
    } else {
      causes.add(i, ticks[i]);
    }
  }
  return {
    compared,
    exact,
    within1Percent,
    overflowsOnly: { compared: plain, exact: plainExact, within1Event: plainWithin1Event },
    explainedBy: {
      overflow: steps[STEP.OVERFLOW],
      ticks: steps[STEP.TICK],
      restarts: steps[STEP.RESTART] + steps[STEP.GUESS],
      pauses: steps[STEP.PAUSE],
    },
    departures: causes.departures,
  };
}
