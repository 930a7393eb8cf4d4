export type Random = {
  readonly uniform: () => number;
  readonly between: (low: number, high: number) => number;
  readonly integer: (below: number) => number;
  readonly exponential: (mean: number) => number;
  readonly pareto: (least: number, shape: number) => number;
  readonly normal: () => number;
  readonly pick: (parts: readonly number[]) => number;
};

export function createRandom(seed: number): Random;
