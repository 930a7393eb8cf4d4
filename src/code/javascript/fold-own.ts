import { NONE } from '../../base/brand.ts';
import { FUNC_CATEGORIES, type FuncCategory, type Profile } from '../../profile/types.ts';
import { type Library, libraryKind } from '../native-frames/library-kind.ts';
import { LibraryRuns } from '../native-frames/library-runs.ts';
import type { FoldedStacks, StackFoldInput } from '../native-frames/stack-fold.ts';
import type { FrameClass } from './frame-class.ts';

/** The part that a function has in a stack of the author's functions. */
type Part =
  /** Functions of the program, and kinds of code: frames of their own. */
  | { readonly is: 'own' | 'kind' }
  /** Functions of JavaScript that belong to others: a kind only where no own function has called them. */
  | {
      readonly is: 'foreign';
      readonly label: string;
      readonly category: FuncCategory;
      /** The highest names several in a row. */
      readonly rank: number;
    }
  /** Functions of a library: one frame for several in a row. `isSystem`: also below another library. */
  | { readonly is: 'library'; readonly library: Library; readonly isSystem: boolean };

const KIND: Part = { is: 'kind' };
const OWN: Part = { is: 'own' };
const foreign = (label: string, category: FuncCategory, rank: number): Part => ({
  is: 'foreign',
  label,
  category,
  rank,
});
const DEPENDENCIES = foreign('(dependencies)', 'dependency', 2);
const INTERNALS = foreign('(node internals)', 'node internal', 1);
/** Nobody knows whose they are: they go by what called them. */
const WEB_ASSEMBLY = foreign('(WebAssembly)', 'native', 0);
const GENERATED = foreign('(generated code)', 'unknown', 0);
const EXPRESSIONS = foreign('(regular expressions)', 'V8', 0);

/** A run of foreign frames that waits for its end: its frame and its rank. */
type Pending = { readonly frame: number; readonly rank: number };

/**
 * Stacks, native frames folded already, in which functions of `node_modules` and of Node are part of the
 * own function that called them; those that none has called are one frame.
 *
 *     (event loop) → emit → next → handle → stringify → (garbage collector)
 *      ──▶  (event loop) → handle → (garbage collector)
 */
export function foldOwn(input: StackFoldInput, classes: readonly FrameClass[]): FoldedStacks {
  const { profile, builder, kinds, wanted, isNeeded } = input;
  const { stacks, frames } = profile;
  const parts = partsOf(profile, classes);
  const base = new Int32Array(stacks.length);
  const newStack = new Int32Array(stacks.length).fill(NONE);
  const hasOwn = new Uint8Array(stacks.length);
  const pending: (Pending | null)[] = new Array(stacks.length);
  const pendingOf = new Map<Part, Pending>();
  const libraries = new LibraryRuns(input);
  // Hot: once per stack row. Prefixes come first, so theirs are known.
  for (let row = 0; row < stacks.length; row++) {
    if (isNeeded[row] === 0) continue;
    const prefix = stacks.prefix[row];
    const part = parts[frames.func[stacks.frame[row]]];
    const caller = prefix === NONE ? NONE : base[prefix];
    const waiting = prefix === NONE ? null : pending[prefix];
    hasOwn[row] = prefix === NONE ? 0 : hasOwn[prefix];
    pending[row] = null;
    switch (part.is) {
      case 'own':
        base[row] = builder.intern(caller, stacks.frame[row]);
        hasOwn[row] = 1;
        break;
      case 'kind':
        base[row] = builder.intern(settle(caller, waiting), stacks.frame[row]);
        break;
      case 'library':
        base[row] = libraries.intern(settle(caller, waiting), part.library, part.isSystem);
        break;
      case 'foreign':
        base[row] = caller;
        if (hasOwn[row] === 0) pending[row] = stronger(waiting, part);
    }
    if (wanted[row] === 1) newStack[row] = settle(base[row], pending[row]);
  }
  return { newStack };

  function settle(caller: number, waiting: Pending | null): number {
    return waiting === null ? caller : builder.intern(caller, waiting.frame);
  }

  function stronger(waiting: Pending | null, part: Extract<Part, { is: 'foreign' }>): Pending {
    const { label, category, rank } = part;
    if (waiting !== null && waiting.rank >= rank) return waiting;
    const known = pendingOf.get(part) ?? { frame: kinds.intern(label, category), rank };
    pendingOf.set(part, known);
    return known;
  }
}

function partsOf(profile: Profile, classes: readonly FrameClass[]): Part[] {
  const { funcs, dsos } = profile;
  return classes.map((found, func): Part => {
    if (found.is === 'script') return partOf(FUNC_CATEGORIES[funcs.category[func]]);
    const dso = dsos[funcs.dso[func]];
    if (dso === undefined || found.is === 'kernel' || found.is === 'wait') return KIND;
    return { is: 'library', library: libraryKind(dso), isSystem: found.is === 'system' };
  });
}

function partOf(category: FuncCategory): Part {
  switch (category) {
    case 'user code':
      return OWN;
    case 'dependency':
      return DEPENDENCIES;
    case 'V8':
      return EXPRESSIONS;
    case 'native':
    case 'unknown':
      return category === 'native' ? WEB_ASSEMBLY : GENERATED;
    default:
      return INTERNALS;
  }
}
