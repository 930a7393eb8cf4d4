import { NONE } from '../../base/brand.ts';
import { SCRIPTS, scriptFunction } from './call-frame.ts';
import type { ImportedProfileBuilder } from './imported-profile.ts';
import { asNumber, asObject, asText } from './json-text.ts';

/** A place in a script, which has a name of V8's form. */
export const SCRIPT =
  /^(?:file|node|https?|wasm|webpack(?:-internal)?):|\.(?:[cm]?[jt]s|[jt]sx|vue|svelte)$/;

/** `shared.frames` of a speedscope file, as frames of the profile; each is made when it is first met. */
export class SpeedscopeFrames {
  readonly #values: readonly unknown[];
  readonly #builder: ImportedProfileBuilder;
  /** The row in the profile by row of `values`, −1 before it is met. */
  readonly #rows: Int32Array;
  /** The sample before: its frames, and the stack with each. Samples have most of it in common. */
  #last: readonly unknown[] = [];
  #lastStacks: number[] = [];

  constructor(values: readonly unknown[], builder: ImportedProfileBuilder) {
    this.#values = values;
    this.#builder = builder;
    this.#rows = new Int32Array(values.length).fill(NONE);
  }

  /** The stack of a list of rows, outermost first, −1 of an empty one; null where one is no row. */
  stackOf(sample: unknown): number | null {
    if (!Array.isArray(sample)) return null;
    const last = this.#last;
    const stacks = this.#lastStacks;
    let depth = 0;
    while (depth < sample.length && depth < stacks.length && sample[depth] === last[depth]) depth++;
    stacks.length = depth;
    this.#last = sample;
    let stack = depth === 0 ? NONE : stacks[depth - 1];
    for (; depth < sample.length; depth++) {
      const extended = this.extend(stack, sample[depth]);
      if (extended === null) return null;
      stack = extended;
      stacks.push(stack);
    }
    return stack;
  }

  /** The path `prefix` with a row of the frames behind it; null where it is none. */
  extend(prefix: number, value: unknown): number | null {
    // Some writers nest the rows, and speedscope, which looks them up by their text, takes `[32]` for 32.
    const row = Array.isArray(value) && value.length === 1 ? value[0] : value;
    if (typeof row !== 'number' || !Number.isInteger(row)) return null;
    if (row < 0 || row >= this.#values.length) return null;
    if (this.#rows[row] === NONE) this.#rows[row] = this.#make(this.#values[row]);
    return this.#builder.extend(prefix, this.#rows[row]);
  }

  /**
   * A function of a script gets V8's name for it (`scriptFunction`). Else `file` is the DSO, as `writeSpeedscope`
   * has it, and with a line the source; code without a symbol is called by its DSO there.
   */
  #make(value: unknown): number {
    const frame = asObject(value);
    const name = asText(frame?.name) || '(anonymous)';
    const file = asText(frame?.file);
    const line = wholeOrZero(frame?.line);
    const column = wholeOrZero(frame?.col);
    if (line > 0 && column > 0 && SCRIPT.test(file)) {
      return this.#builder.frameOnLine(scriptFunction(name, file, line, column), SCRIPTS, 0, 0);
    }
    const isUnnamed = name === file || name === `[${file.slice(file.lastIndexOf('/') + 1)}]`;
    if (file === '') return this.#builder.frameOnLine(name, null, 0, 0);
    return this.#builder.frameOnLine(isUnnamed ? '[unknown]' : name, file, line, column);
  }
}

function wholeOrZero(value: unknown): number {
  const number = asNumber(value, 0);
  return Number.isInteger(number) && number > 0 && number < 2 ** 31 ? number : 0;
}
