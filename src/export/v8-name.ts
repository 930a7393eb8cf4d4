/** A function of JavaScript as V8 names its code in perf maps and jitdumps. */
export type V8Name = {
  /** Row of `V8_TIERS`; 0 where the name does not tell. */
  readonly tier: number;
  readonly file: string;
  /** Where the function begins, from 1. */
  readonly line: number;
  readonly column: number;
};

/** V8's ways to run a function. */
export const V8_TIERS = ['Other', 'Interpreted', 'Baseline', 'Maglev', 'TurboFan'] as const;
const TIER_OF_SIGN: Record<string, number> = { '~': 1, '^': 2, '+': 3, '*': 4 };

/**
 *   JS:~refreshOptions node:internal/options:40:24
 *   JS:*fib /home/me/a b/fib.js:3:13
 *   Eval:~ file:///srv/app.mjs:1:1
 *
 * Null for all else: `Builtin:ArrayMap`, `BytecodeHandler:Ldar`, code of other machines.
 */
export function parseV8Name(name: string): V8Name | null {
  const match = /^(?:JS|Eval|Script|Function|LazyCompile):([~^+*]?)\S* (.+):(\d+):(\d+)$/.exec(
    name,
  );
  if (match === null) return null;
  const [, sign = '', file = '', line, column] = match;
  return {
    tier: TIER_OF_SIGN[sign] ?? 0,
    file,
    line: Number(line),
    column: Number(column),
  };
}
