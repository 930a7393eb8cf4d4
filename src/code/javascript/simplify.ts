import { NONE } from '../../base/brand.ts';
import { foldFrames } from '../../profile/analysis/stacks/fold-frames.ts';
import type { Profile } from '../../profile/types.ts';
import { parseV8Name } from './v8-name.ts';

/** `none`: frames as they are; `interpreter`: without its frames; `all`: without other steps too. */
export type Simplify = 'none' | 'interpreter' | 'all';

/** The common name of the interpreter's builtins. */
export const INTERPRETER_NAME = '[interpreter]';

/**
 * V8's builtins are functions that a program calls, or steps of running one. The same builtin is
 * `Builtins_LoadIC` where it is embedded in the binary, and `Builtin:LoadIC` in V8's map.
 */
const BUILTIN = /^(?:Builtins_|Builtin:)/;

/**
 * The interpreter: its entries and one handler for each bytecode (`LdaNamedPropertyHandler`,
 * `StarWideHandler`); and the entry of every call from C++.
 */
const INTERPRETER =
  /^(?:Interpreter(?:Entry|Push|Enter|OnStack)\w*|Baseline(?:OrInterpreter)\w*|JSEntry\w*|JSConstructEntry|JSRunMicrotasksEntry|[A-Z]\w*Handler)$/;

/** Builtins that are functions of the language are named after their object: `ArrayPrototypeJoin`. */
const OF_LANGUAGE =
  /^(?:Array|Async(?:Generator|Iterator)Prototype|Atomics|BigInt|Boolean|DataView|Date|Error|Finalization|FunctionPrototype|Generator|Global|Iterator|Json|Map|Math|Number|Object|Promise|Proxy|Reflect|RegExp|Set(?:Prototype|Constructor)|String|Symbol|TypedArray|Weak)[A-Z]/;
/** Steps that begin with such a name: `a + b`, `[x]`, a call through `f.call`. */
const STEP =
  /^(?:Array(?:Single|No|N)Argument|Array\w*Trampoline|String(?:Add_|Equal|Less|Greater|Char|Substring|ToNumber)|NumberToString|ObjectToString|FunctionPrototype(?:Call|Apply|HasInstance)|Promise(?:Reject|Resolve|Fulfill)Reaction|RegExp\w*Trampoline)|IC(?:_|Baseline|Trampoline|$)|Baseline/;

/** Whether the frame of this function is part of its caller's. */
export function isPlumbing(name: string, simplify: Simplify): boolean {
  if (simplify === 'none') return false;
  if (name.startsWith('BytecodeHandler:')) return true;
  const isStub = name.startsWith('Stub:');
  if (!isStub && !BUILTIN.test(name)) return false;
  const builtin = name.replace(BUILTIN, '');
  if (INTERPRETER.test(builtin)) return true;
  if (simplify === 'interpreter') return false;
  return isStub || !OF_LANGUAGE.test(builtin) || STEP.test(builtin);
}

/**
 * Stacks without the frames that are V8's way of running a function. `interpreter`: its handlers and
 * entries go, but where a sample was taken in one of them, `[interpreter]` stays below the last
 * function known. By frame pointer that is not always the one that ran: a handler without a frame
 * hides its function, and the next frame is that function's caller. Unwinding finds it.
 * `all`: these go too, and inline caches, call stubs and the like, into the function of JavaScript
 * above them.
 */
export function simplifyStacks(profile: Profile, simplify: Simplify): Profile {
  if (simplify === 'none') return profile;
  const { funcs, strings } = profile;
  const isFolded = Uint8Array.from({ length: funcs.length }, (_, func) => {
    const name = strings[funcs.name[func]];
    return name === INTERPRETER_NAME || isPlumbing(name, simplify) ? 1 : 0;
  });
  if (!isFolded.includes(1)) return profile;
  const takesLeaf = Uint8Array.from(funcs.file, (file) =>
    simplify === 'all' && file !== NONE ? 1 : 0,
  );
  return foldFrames(profile, isFolded, takesLeaf);
}

/**
 * A callchain, leaf first, without V8's steps of running a function, by the rules of
 * `simplifyStacks` with `all`: the outermost frame stays, and so does an innermost one that no
 * function of JavaScript has called. Names are V8's own.
 */
export function simplifyChain<Frame extends { readonly symbol: string | null }>(
  frames: readonly Frame[],
): Frame[] {
  const isStep = ({ symbol }: Frame) => symbol !== null && isPlumbing(symbol, 'all');
  const kept = frames.filter((frame, i) => i === frames.length - 1 || !isStep(frame));
  const leaf = frames[0];
  if (leaf === undefined || kept[0] === leaf) return kept;
  const caller = kept[0]?.symbol ?? null;
  const isTaken = caller !== null && (parseV8Name(caller)?.file ?? '') !== '';
  return isTaken ? kept : [leaf, ...kept];
}
