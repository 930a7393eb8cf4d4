export type Scenario = { readonly title: string; readonly isInStep: boolean };

type Held = { readonly all: number; readonly held: number };

/** Of all functions with 1 % and more of the truth, over the trials. */
export type Summary = {
  readonly title: string;
  readonly isInStep: boolean;
  readonly self: Held;
  /** Of functions 0 and 2 together, as in a caller's total. */
  readonly total: Held;
  /** Trials that were reported to be in step, 0…1. */
  readonly flagged: number;
  /** Trials that were reported to be in step, or whose intervals all hold, 0…1. */
  readonly heldOrFlagged: number;
  readonly functions: readonly {
    readonly bias: number;
    readonly half: number;
    readonly rms: number;
    readonly periodRms: number;
  }[];
};

export const SCENARIOS: readonly Scenario[];

export function runTrials(
  modules: object,
  scenario: Scenario,
  options: {
    readonly trials: number;
    readonly seed?: number;
    readonly hasCounts?: boolean;
    readonly finals?: 'each' | 'sum' | 'none';
    readonly hasHeader?: boolean;
  },
): Summary;
