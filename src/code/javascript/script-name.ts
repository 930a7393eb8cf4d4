import { parseJscName, type ScriptName } from './jsc-name.ts';
import { parseV8Name } from './v8-name.ts';

/** What the name of a code object says, whatever engine it is of; null for all that is no JavaScript. */
export function parseScriptName(text: string): ScriptName | null {
  const v8 = parseV8Name(text);
  return v8 === null ? parseJscName(text) : { ...v8, hash: '' };
}
