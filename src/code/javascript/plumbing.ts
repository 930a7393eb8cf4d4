/**
 * Which of V8's builtins are functions that a program calls, and which are steps of running one. The
 * same builtin is `Builtins_LoadIC` where it is embedded in the binary, and `Builtin:LoadIC` in V8's
 * map.
 */

/** `none`: frames as they are; `interpreter`: without its frames; `all`: without other steps too. */
export type Simplify = 'none' | 'interpreter' | 'all';

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
