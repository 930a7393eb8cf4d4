import { NONE } from '../../base/brand.ts';
import { memoize } from '../../base/memoize.ts';
import type { Profile } from '../../profile/types.ts';
import type { ScriptName } from './jsc-name.ts';
import type { ScriptFunctions, SourceFunction } from './script-functions.ts';
import type { SourceMaps } from './source-map.ts';
import { nameBeforeMaker } from './v8-name.ts';

/** Bodies of generators that Babel has lowered, and before V8 12 what initializes a class's fields: V8 has no other name for them. */
const MADE_NAME = /^(?:_callee\d*\$?|<instance_members_initializer>)$/;

/** Whether V8 has no name for a function that its author could have given. */
export const hasNoName = ({ name }: Pick<ScriptName, 'name'>): boolean =>
  name === '' || MADE_NAME.test(name);

/** Whether V8 means all of a script: a module's body begins where the file does, in whatever tier it ran. */
export function isWholeScript({ kind, name, file, line, column }: ScriptName): boolean {
  return kind === 'script' || (file !== '' && name === '' && line === 1 && column === 1);
}

/**
 * Names of functions that V8 has none for, by the texts of their scripts. A text is believed only if it is the one that V8
 * ran, as far as that is known: each function of the script in the profile has to begin in it where V8 says.
 */
export class SourceNames {
  readonly #parsed: readonly (ScriptName | null)[];
  readonly #functions: (script: string) => ScriptFunctions | null;

  constructor(parsed: readonly (ScriptName | null)[], sourceMaps: SourceMaps | null) {
    this.#parsed = parsed;
    this.#functions = memoize((script: string) => {
      const functions = sourceMaps?.functionsOf?.(script) ?? null;
      if (functions === null) return null;
      const names = this.#parsed.filter((name) => name?.file === script);
      return isTextOf(functions, names as ScriptName[]) ? functions : null;
    });
  }

  /**
   * Rows of the functions without a name, and of those whose name `isDoubtful`, in the order of the samples that they
   * are in, those in most first.
   */
  toDescribe(
    { samples, stacks, frames }: Profile,
    isDoubtful: (name: ScriptName, func: number) => boolean,
  ): number[] {
    const rows = [...this.#parsed.keys()].filter((func) => {
      const name = this.#parsed[func];
      if (name == null || name.file === '' || name.kind !== 'function') return false;
      return !isWholeScript(name) && (hasNoName(name) || isDoubtful(name, func));
    });
    if (rows.length === 0) return rows;
    const through = new Float64Array(stacks.length);
    for (let i = 0; i < samples.length; i++) {
      if (samples.stack[i] !== NONE) through[samples.stack[i]]++;
    }
    const weight = new Float64Array(this.#parsed.length);
    for (let row = stacks.length - 1; row >= 0; row--) {
      if (stacks.prefix[row] !== NONE) through[stacks.prefix[row]] += through[row];
      weight[frames.func[stacks.frame[row]]] += through[row];
    }
    return rows.sort((a, b) => weight[b] - weight[a] || a - b);
  }

  /** The function that V8 means; null where the text that it ran is not known. */
  find({ file, line, column }: ScriptName): SourceFunction | null {
    const functions = this.#functions(file);
    if (functions === null) return null;
    // Node 18 has no columns.
    return column === 0 ? functions.findOnLine(line) : functions.find(line, column);
  }

  /** Whether a function without a column is the body of a module: no other begins on its first line. */
  isModule({ name, file, line, column }: ScriptName): boolean {
    if (name !== '' || line !== 1 || column !== 0) return false;
    return this.#functions(file)?.onLine(line).size === 0;
  }
}

/** Whether all these functions of a script begin in its text where V8 says. */
export function isTextOf(functions: ScriptFunctions, names: readonly ScriptName[]): boolean {
  return names.every((name) => {
    if (name.column === 0 || isWholeScript(name)) return true;
    // No function begins where one was made.
    if (nameBeforeMaker(name.name) !== null) return true;
    // Code that V8 makes for a class, `<instance_members_initializer>`, begins at a member.
    if (name.name.startsWith('<')) return true;
    return functions.find(name.line, name.column) !== null;
  });
}
