import type { Evaluator } from './evaluator.ts';
import type { Expression } from './expression.ts';
import type { NameScope } from './scope.ts';

/** A helper in the middle of being compiled: its arguments and where they come from. */
export type HelperCall = {
  readonly name: string;
  readonly args: readonly Expression[];
  readonly scope: NameScope;
  readonly compile: (expression: Expression, scope: NameScope) => Evaluator;
};
