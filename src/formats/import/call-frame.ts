import { NONE } from '../../base/brand.ts';
import { scriptName } from '../../profile/script-name.ts';
import { asNumber, asObject, asText } from './json-text.ts';

/** A builder of stacks. With `address` 0 and `inlineDepth` 0 the frame has a function alone. */
type StackBuilder = {
  stack(
    prefix: number,
    name: string,
    dso: string | null,
    address: number | null,
    inlineDepth: number,
  ): number;
};

/** The DSO of functions of JavaScript: no address shows where their code was. */
export const SCRIPTS = '[JIT] scripts';
/** The engines' name of the node that is no function. */
const ROOT = '(root)';
/** The text for code of a DSO that has no symbol. */
const UNNAMED = /^\[(?!unknown\]|lost\]).+\]$/;

/**
 * Adds the `callFrame` of a node (`Runtime.CallFrame` of the DevTools protocol) to the stack
 * `prefix`. A function of a script gets the name that V8 gives its code in perf maps, so that it is
 * named, placed and looked up in source maps as in a recording:
 *
 *     { functionName: 'handle', url: 'file:///srv/a.js', lineNumber: 7, columnNumber: 22 }
 *     JS:handle file:///srv/a.js:8:23
 *
 * Without a line, `url` is the DSO, as `writeCpuProfile` has it; the root adds nothing.
 */
export function addCallFrame(builder: StackBuilder, prefix: number, value: unknown): number {
  const frame = asObject(value);
  const name = asText(frame?.functionName);
  const url = asText(frame?.url);
  const line = asNumber(frame?.lineNumber, NONE) + 1;
  if (name === ROOT && prefix === NONE) return prefix;
  // Code that `eval` or `new Function` compiled is in no script, and its lines are those of a text.
  if (line > 0 && url === '') return builder.stack(prefix, `JS:${name}`, SCRIPTS, null, 0);
  if (line > 0) {
    const column = asNumber(frame?.columnNumber, NONE) + 1;
    return builder.stack(prefix, scriptFunction(name, url, line, column), SCRIPTS, null, 0);
  }
  if (url.startsWith('file:') || url.startsWith('node:')) {
    return builder.stack(prefix, `JS:${name} ${url}:0:0`, SCRIPTS, null, 0);
  }
  if (url === '') return builder.stack(prefix, name === '' ? '(anonymous)' : name, null, null, 0);
  return builder.stack(prefix, UNNAMED.test(name) ? '[unknown]' : name, url, null, 0);
}

/**
 * The name that V8 gives code of this function in perf maps; `line` and `column` from 1. Exports of perf-ts have the
 * place in the name, too: `handle src/server.ts:12` of `/srv/src/server.ts`.
 */
export function scriptFunction(name: string, url: string, line: number, column: number): string {
  return `JS:${scriptName(name, url)} ${url}:${line}:${column}`;
}

/** The function's name, for nodes that are no functions: `(idle)`, `(program)`. */
export function nameOfFrame(value: unknown): string {
  return asText(asObject(value)?.functionName);
}
