import { NONE } from '../../base/brand.ts';
import { isKindOfCode } from '../../profile/frame-level.ts';
import { MARKER_DEPTH } from '../../profile/frame-table.ts';
import { categoryRow } from '../../profile/func-table.ts';
import { longerTable } from '../../profile/longer-table.ts';
import type { FuncCategory, Profile } from '../../profile/types.ts';

/** Addresses of these frames, which lie in no DSO: far from those of markers and of waits. */
const FIRST_ADDRESS = -(2 ** 21);

/**
 * Frames that stand for a kind of code, `(garbage collector)`: rows behind those of a profile's tables,
 * each once. They have no DSO, since what they stand for may lie in several.
 */
export class KindFrames {
  readonly #profile: Profile;
  readonly #labels: { readonly label: string; readonly category: FuncCategory }[] = [];
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
      this.#labels.push({ label, category });
      this.#frameOf.set(label, frame);
    }
    return frame;
  }

  /** The tables with what was added. */
  tables(): Pick<Profile, 'strings' | 'funcs' | 'frames'> {
    const { strings: known, funcs: knownFuncs, frames: knownFrames } = this.#profile;
    const strings = known.slice();
    const added = this.#labels.filter(({ label }) => !this.#knownFuncs.has(label));
    const funcOf = new Map(this.#knownFuncs);
    const funcs = longerTable(knownFuncs, added.length);
    added.forEach(({ label, category }, i) => {
      const func = knownFuncs.length + i;
      funcOf.set(label, func);
      funcs.name[func] = strings.push(label) - 1;
      funcs.dso[func] = NONE;
      funcs.category[func] = categoryRow(category);
      funcs.file[func] = NONE;
    });
    const frames = longerTable(knownFrames, this.#labels.length);
    this.#labels.forEach(({ label }, i) => {
      const frame = knownFrames.length + i;
      frames.func[frame] = funcOf.get(label) as number;
      frames.dso[frame] = NONE;
      frames.address[frame] = FIRST_ADDRESS - frame;
      frames.inlineDepth[frame] = MARKER_DEPTH;
      frames.file[frame] = NONE;
    });
    return { strings, funcs, frames };
  }
}
