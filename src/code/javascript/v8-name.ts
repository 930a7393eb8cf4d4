import type { Tier } from '../../profile/types.ts';
import { withVersion } from './script-path.ts';

/** The parts of the name that V8 gives a code object in perf maps and jitdumps. */
export type V8Name = {
  readonly kind: 'function' | 'script' | 'wasm';
  /** `none` where the name has no marker. */
  readonly tier: Tier;
  /** The function's name; empty for an anonymous one. */
  readonly name: string;
  /** Path or URL of the script as V8 was given it; empty without one. */
  readonly file: string;
  /** Line of the function's start, from 1, in its script, or in what was evaluated where it has no file; 0: not known. */
  readonly line: number;
  /** Column from 1; 0 in names of Node 18. */
  readonly column: number;
};

const TIER_OF_SIGN: Readonly<Record<string, Tier>> = {
  '~': 'interpreter',
  '^': 'baseline',
  '+': 'Maglev',
  '*': 'TurboFan',
};

/** `JS` since V8 9; `Function` and `LazyCompile` before. `Script` and `Eval` are top-level code. */
const JAVASCRIPT = /^(JS|Function|LazyCompile|Script|Eval):(?:o?([+*])'?|([~^])|)(.*)$/s;
/** The column is below 1 on a first line that `node:vm` was given a `columnOffset` for. */
const PLACE = /^(.*):(\d+):(-?\d+)$/s;
/** V8 until 10.2 has no column. */
const LINE = /^(.*):(\d+)$/s;
/** The start of a path or URL behind a name, which may contain spaces: `get size`. */
const FILE_START = / (?=\/|node:|\[|[a-z][a-z+.-]*:\/\/)/;
const WASM = /^(?:wasm-function|wasm-to-js|js-to-wasm)/;
const WASM_TIER = /-(turbofan|liftoff)$/;
/** The name from a name section, the function's index and who compiled it. */
const NAMED_WASM = /^(.+)-(\d+)-(?:turbofan|liftoff)$/;

/** A function of V8's, whatever way it was run: the name of each of its code objects without the sign. */
export type V8Function = {
  /** `fib /home/me/fib.js:3:13`, the same for all code of the function. */
  readonly function: string;
  readonly tier: Tier;
};

/** A name that `nameEvaluated` gives. */
const MADE = /^(?:new Function|eval|(?:function at \d+:\d+|(.*)) evaluated) in /;
/** The beginning of the function of `new Function` in the text that V8 makes: `(async function* anonymous(`. */
const OF_CONSTRUCTOR = /^ :1:(?:20|21|26|27)$/;

/**
 * V8's own name of a function that has one of `nameEvaluated`, empty without one; null of other names. The place behind it is
 * that of a call, not of the function.
 */
export function nameBeforeMaker(name: string): string | null {
  const found = MADE.exec(name);
  return found === null ? null : (found[1] ?? '');
}

/** A function (`V8Function.function`) that had code evaluated, and where it called for that. */
export type Maker = {
  readonly function: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
};

/**
 * The name of a function without a file (`V8Function.function`) by the one that had it evaluated:
 *
 *     ␣:1:20          new Function in compile file:///app/rules.mjs:12:10
 *     ␣:1:1           eval in compile file:///app/rules.mjs:12:10
 *     check␣:1:40     check evaluated in compile file:///app/rules.mjs:12:10
 */
export function nameEvaluated(
  name: string,
  { function: maker, file, line, column }: Maker,
): string {
  const by = parseV8Name(`JS:~${maker}`);
  const isModule = by?.line === 1 && by.column === 1;
  const inMaker = `in ${by?.name || (isModule ? '(module)' : '(anonymous)')} ${file}:${line}:${column}`;
  if (OF_CONSTRUCTOR.test(name)) return `new Function ${inMaker}`;
  if (name === ' :1:1') return `eval ${inMaker}`;
  const own = parseV8Name(`JS:~${name}`);
  return `${own?.name || `function at ${own?.line}:${own?.column}`} evaluated ${inMaker}`;
}

/** The function that the name of a code object describes; null for all that is no JavaScript. */
export function parseV8Function(text: string): V8Function | null {
  const [, , optimized = '', other = '', rest = ''] = JAVASCRIPT.exec(text) ?? [];
  const tier = TIER_OF_SIGN[optimized || other];
  if (tier === undefined || WASM.test(rest)) return null;
  return { function: rest, tier };
}

/** The name that V8 would give code of the function `name` (`V8Function.function`) in this tier. */
export function formatV8Function(name: string, tier: Tier): string {
  const sign = Object.keys(TIER_OF_SIGN).find((key) => TIER_OF_SIGN[key] === tier) ?? '';
  return `JS:${sign}${name}`;
}

/**
 * The name of code whose script is another than the first of its path, as development servers evaluate a module anew
 * when it is edited: its path has the mark of its version.
 */
export function nameOfVersion(text: string, version: number): string {
  if (version <= 0) return text;
  const [, named, line, column] = PLACE.exec(text) ?? [];
  return named === undefined ? text : `${withVersion(named, version)}:${line}:${column}`;
}

/**
 *   JS:*fib /home/me/a b/fib.js:3:13                    optimized
 *   JS:^get size node:internal/deps/lru:7:11            a getter, baseline code
 *   JS:~ file:///srv/app.mjs:1:20                       anonymous, interpreted
 *   Script:~ file:///srv/app.mjs:1:1                    what a module does when it is loaded
 *   JS:o*loop /home/me/app.js:7:14                      entered in the midst of a loop (OSR), Node 26
 *   JS:*'next /home/me/app.js:9:1                       holds for one closure alone, Node 24
 *   JS:wasm-function[20]-20-turbofan
 *   JS:lib/pixel-3-liftoff                              WebAssembly with a name section
 *   LazyCompile:*fib /home/me/fib.js:3                  Node 18: without a column
 *   JS:*fib /home/me/fib.js:3                           the same, inlined into another function
 *
 * The names are those of V8's CodeEventLogger and LinuxPerfBasicLogger (src/logging/log.cc,
 * src/diagnostics/perf-jit.cc). Null for all else: `Builtin:ArrayMap`, `BytecodeHandler:Ldar`,
 * `RegExp:…` (`RegExp.> src: …` since V8 13), code of other machines.
 */
export function parseV8Name(text: string): V8Name | null {
  const match = JAVASCRIPT.exec(text);
  if (match === null) return null;
  const [, kind = '', optimized = '', other = '', rest = ''] = match;
  const sign = optimized || other;
  if (WASM.test(rest) || (sign === '' && NAMED_WASM.test(rest))) return parseWasm(rest);
  const tier = TIER_OF_SIGN[sign] ?? 'none';
  // Code that V8 before 11 inlined is `JS`, too, by `formatV8Function`; without a sign it may be another machine's.
  const hasLine = kind !== 'JS' || (sign !== '' && FILE_START.test(rest));
  const place = PLACE.exec(rest) ?? (hasLine ? LINE.exec(rest) : null);
  const isScript = kind === 'Script' || kind === 'Eval';
  if (place === null) {
    // Code of another machine may be called so too: V8's has a sign, or a place.
    if (sign === '') return null;
    return { kind: 'function', tier, name: rest.trim(), file: '', line: 0, column: 0 };
  }
  const [, named = '', line, column = '0'] = place;
  const found = FILE_START.exec(named)?.index ?? named.lastIndexOf(' ');
  const at = found < 0 ? named.length : found;
  const file = named.slice(at + 1);
  const isUnnamed = isScript && Number(line) === 1 && Number(column) <= 1;
  return {
    kind: isUnnamed ? 'script' : 'function',
    tier,
    name: named.slice(0, at),
    file,
    line: Number(line),
    column: Math.max(0, Number(column)),
  };
}

/** The file of the script that code with this name is of, as V8 has the bytes; empty: none. */
export function fileOfV8Name(name: Uint8Array): string {
  return parseV8Name(Buffer.from(name).toString())?.file ?? '';
}

function parseWasm(text: string): V8Name {
  const compiler = WASM_TIER.exec(text)?.[1];
  const tier = compiler === undefined ? 'none' : compiler === 'liftoff' ? 'baseline' : 'TurboFan';
  const name = NAMED_WASM.exec(text)?.[1] ?? text.replace(WASM_TIER, '');
  return { kind: 'wasm', tier, name, file: '', line: 0, column: 0 };
}
