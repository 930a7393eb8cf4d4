import { NONE } from '../../base/brand.ts';
import { MARKER_DEPTH } from '../../profile/analysis/cut-stacks.ts';
import { isKindOfCode } from '../../profile/frame-level.ts';
import { categoryRow } from '../../profile/func-table.ts';
import type { FuncCategory, Profile } from '../../profile/types.ts';

/** Addresses of these frames, which lie in no DSO: far from those of markers and of waits. */
const FIRST_ADDRESS = -(2 ** 21);

/**
 * Frames that stand for a kind of code, `(garbage collector)`: rows behind those of a profile's tables,
 * each once. They have no DSO, since what they stand for may lie in several.
 */
export class KindFrames {
  readonly #profile: Profile;
  readonly #labels: string[] = [];
  readonly #categories: FuncCategory[] = [];
  /** Rows of functions that the profile has of kinds already: it was folded before. */
  readonly #knownFuncs = new Map<string, number>();
  readonly #frameOf = new Map<string, number>();

  constructor(profile: Profile) {
    this.#profile = profile;
    const { funcs, frames, strings } = profile;
    for (let func = 0; func < funcs.length; func++) {
      const name = strings[funcs.name[func]];
      if (isKindOfCode(name, funcs.dso[func])) this.#knownFuncs.set(name, func);
    }
    if (this.#knownFuncs.size === 0) return;
    for (let frame = 0; frame < frames.length; frame++) {
      const func = frames.func[frame];
      if (frames.dso[frame] !== NONE || funcs.dso[func] !== NONE) continue;
      const name = strings[funcs.name[func]];
      if (this.#knownFuncs.has(name)) this.#frameOf.set(name, frame);
    }
  }

  /** The row of the frame table. */
  intern(label: string, category: FuncCategory): number {
    let frame = this.#frameOf.get(label);
    if (frame === undefined) {
      frame = this.#profile.frames.length + this.#labels.length;
      this.#labels.push(label);
      this.#categories.push(category);
      this.#frameOf.set(label, frame);
    }
    return frame;
  }

  /** The tables with what was added. */
  tables(): Pick<Profile, 'strings' | 'funcs' | 'frames'> {
    const { frames } = this.#profile;
    const count = this.#labels.length;
    const { strings, funcs, funcOf } = this.#tablesOfFuncs();
    const rows = Int32Array.from({ length: count }, (_, i) => i);
    const zero = new Int32Array(count);
    const none = new Int32Array(count).fill(NONE);
    const address = Float64Array.from(rows, (i) => FIRST_ADDRESS - frames.length - i);
    return {
      strings,
      funcs,
      frames: {
        length: frames.length + count,
        func: joined(frames.func, Int32Array.from(this.#labels, funcOf)),
        dso: joined(frames.dso, none),
        address: joined(frames.address, address),
        inlineDepth: joined(frames.inlineDepth, new Uint8Array(count).fill(MARKER_DEPTH)),
        file: joined(frames.file, none),
        line: joined(frames.line, zero),
        column: joined(frames.column, zero),
        tier: joined(frames.tier, new Uint8Array(count)),
      },
    };
  }

  #tablesOfFuncs(): Pick<Profile, 'strings' | 'funcs'> & { funcOf: (label: string) => number } {
    const { funcs } = this.#profile;
    const strings = [...this.#profile.strings];
    const known = new Map(this.#knownFuncs);
    const names: number[] = [];
    const categories: number[] = [];
    this.#labels.forEach((label, i) => {
      if (known.has(label)) return;
      known.set(label, funcs.length + names.length);
      names.push(strings.push(label) - 1);
      categories.push(categoryRow(this.#categories[i]));
    });
    const zero = new Int32Array(names.length);
    const none = new Int32Array(names.length).fill(NONE);
    return {
      strings,
      funcs: {
        length: funcs.length + names.length,
        name: joined(funcs.name, Int32Array.from(names)),
        dso: joined(funcs.dso, none),
        category: joined(funcs.category, Uint8Array.from(categories)),
        file: joined(funcs.file, none),
        line: joined(funcs.line, zero),
        column: joined(funcs.column, zero),
      },
      funcOf: (label) => known.get(label) as number,
    };
  }
}

function joined<Column extends Int32Array | Uint8Array | Float64Array>(
  first: Column,
  second: Column,
): Column {
  const both = new (first.constructor as new (length: number) => Column)(
    first.length + second.length,
  );
  both.set(first);
  both.set(second, first.length);
  return both;
}
