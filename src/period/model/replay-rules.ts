import type { EighthRounding } from '../controller.ts';
import type { TickGrid } from './ticks.ts';

/** Facts besides the samples that a replay needs. */
export type ReplayRules = {
  readonly frequencyHz: number;
  readonly lag: 1 | 2;
  readonly rounding: EighthRounding;
  /** Null: replay overflows only. */
  readonly grid: TickGrid | null;
  /** Software events, tracepoints and breakpoints: restarted when their task is switched in. */
  readonly isCountedInSoftware: boolean;
};

/** The basis of the expected period. */
export const STEP = {
  /** Not compared: no overflow before it is known. */
  NONE: 0,
  OVERFLOW: 1,
  TICK: 2,
  /** The event is known to have been switched in. */
  RESTART: 3,
  /** A pause whose time is fitted, or what was taken up after it. */
  PAUSE: 4,
  /** A restart that nothing recorded tells of. */
  GUESS: 5,
} as const;

/** Steps that are chosen so that the result is near: such a period is never called exact. */
export function isFitted(step: number): boolean {
  return step === STEP.PAUSE || step === STEP.GUESS;
}

export type Replay = {
  /** The period that the replay expects; NaN where it expects none. Parallel to the sequence. */
  readonly expected: Float64Array;
  /** A value of STEP. */
  readonly step: Uint8Array;
  /** Ticks that adjusted the period on the way to this sample's. */
  readonly ticks: Uint16Array;
};

/** A replay that expects no period yet. */
export function emptyReplay(length: number): Replay {
  return {
    expected: new Float64Array(length).fill(Number.NaN),
    step: new Uint8Array(length),
    ticks: new Uint16Array(length),
  };
}

/** Within 1 % of what is reported. */
export function isNear(expected: number, reported: number): boolean {
  return Math.abs(expected - reported) <= 0.01 * reported;
}
