import type { Profile } from '../profile/types.ts';

/** A function of JavaScript as V8 names its code in perf maps and jitdumps. */
export type V8Name = {
  /** Row of `V8_TIERS`; 0 where the name does not tell. */
  readonly tier: number;
  readonly file: string;
  /** Where the function begins, from 1. */
  readonly line: number;
  readonly column: number;
};

/** Of a function of the profile; null for what is not JavaScript. Ahead-of-time code never is. */
export function v8NameOfFunc({ funcs, dsos, strings }: Profile, func: number): V8Name | null {
  if (dsos[funcs.dso[func] as number]?.kind === 'user') return null;
  return parseV8Name(strings[funcs.name[func] as number] as string);
}

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
