import { NONE } from '../base/brand.ts';
import { memoize } from '../base/memoize.ts';
import { PairInterner } from '../base/pair-interner.ts';
import { MARKER_DEPTH } from './frame-table.ts';
import { categoryRow } from './func-table.ts';
import { longerTable } from './longer-table.ts';
import type { Profile } from './types.ts';

/**
 * Adds rows behind those of a profile's tables: frames that state something of what lies below them, why a thread waits, which
 * system call it made, and the stacks that end in them. Each once.
 */
export class LabelledStacks {
  readonly profile: Profile;
  readonly #firstAddress: number;
  /** One frame and one function each; `of` is the function below, −1 where none is known. */
  readonly #labels: { readonly label: string; readonly of: number }[] = [];
  readonly #frameOfLabel = new Map<string, number>();
  /** first = prefix, second = frame. */
  readonly #paths = new PairInterner();

  /** `firstAddress`: that of the first of these frames, which lie in no DSO; others follow downwards. */
  constructor(profile: Profile, firstAddress: number) {
    this.profile = profile;
    this.#firstAddress = firstAddress;
  }

  /** The stack `prefix` with the label on top; `of`: the function in whose DSO it is. */
  intern(prefix: number, label: string, of: number): number {
    let frame = this.#frameOfLabel.get(label);
    if (frame === undefined) {
      frame = this.profile.frames.length + this.#labels.length;
      this.#labels.push({ label, of });
      this.#frameOfLabel.set(label, frame);
    }
    return this.profile.stacks.length + this.#paths.intern(prefix, frame);
  }

  funcOf(stack: number): number {
    const { frames, stacks } = this.profile;
    return frames.func[stacks.frame[stack]];
  }

  isKernel(stack: number): boolean {
    const { frames, stacks, dsos } = this.profile;
    const dso = frames.dso[stacks.frame[stack]];
    const kind = dso === NONE ? undefined : dsos[dso]?.kind;
    return kind === 'kernel' || kind === 'module';
  }

  /** The tables with what was added. */
  tables(): Pick<Profile, 'strings' | 'funcs' | 'frames' | 'stacks'> {
    const { stacks } = this.profile;
    const strings = this.profile.strings.slice();
    const funcs = longerTable(this.profile.funcs, this.#labels.length);
    const frames = longerTable(this.profile.frames, this.#labels.length);
    this.#labels.forEach(({ label, of }, i) => {
      const func = this.profile.funcs.length + i;
      const frame = this.profile.frames.length + i;
      funcs.name[func] = strings.push(label) - 1;
      funcs.dso[func] = of === NONE ? NONE : funcs.dso[of];
      funcs.category[func] = categoryRow('kernel');
      funcs.file[func] = NONE;
      frames.func[frame] = func;
      frames.dso[frame] = NONE;
      frames.address[frame] = this.#firstAddress - i;
      frames.inlineDepth[frame] = MARKER_DEPTH;
      frames.file[frame] = NONE;
    });
    const { first, second, length } = this.#paths;
    const longerStacks = longerTable(stacks, length);
    longerStacks.prefix.set(first.finish(), stacks.length);
    longerStacks.frame.set(second.finish(), stacks.length);
    return { strings, funcs, frames, stacks: longerStacks };
  }
}

/** Samples whose stacks get a frame on top that says what they are of. */
export type LeafLabels = {
  readonly length: number;
  /** Rows of the sample table. */
  readonly row: Int32Array;
  /** Index into `labels`. */
  readonly label: Int32Array;
  readonly labels: readonly string[];
};

/** Far from the addresses of the frames of waits and of the markers of cut stacks. */
const FIRST_ADDRESS = -(2 ** 21);

/**
 * The profile with the label of each of these samples in place of the kernel's frames, which are those of the tracepoint:
 *
 *     readConfig  …  read  entry_SYSCALL_64  syscall_trace_enter   ─▶   readConfig  …  read  (kernel: read)
 */
export function addLeafLabels(
  profile: Profile,
  { length, row, label, labels }: LeafLabels,
): Profile {
  if (length === 0) return profile;
  const added = new LabelledStacks(profile, FIRST_ADDRESS);
  const { samples, stacks } = profile;
  const stack = new Int32Array(samples.stack);
  const userPart = memoize((recorded: number) => {
    let user = recorded;
    while (user !== NONE && added.isKernel(user)) user = stacks.prefix[user];
    return user;
  });
  for (let i = 0; i < length; i++) {
    const user = userPart(samples.stack[row[i]]);
    stack[row[i]] = added.intern(user, labels[label[i]], NONE);
  }
  return { ...profile, ...added.tables(), samples: { ...samples, stack } };
}
