import { NONE } from '../../base/brand.ts';
import type { DsoKey } from '../process/types.ts';
import { FoundBuilder, type FoundFrames } from './found-frames.ts';
import type { SymbolProvider } from './symbol-request.ts';

/** The kind of lookup: names in symbol tables, or DWARF's lines and inlined calls. */
export type Contents = 'symbols' | 'lines';

/** Remembers between runs what was found in files. */
export type NameMemory = {
  /** Null: nothing is remembered for DSOs of this kind. `provider` is asked for the files. */
  recall(
    contents: Contents,
    dso: DsoKey,
    buildId: string | null,
    provider: SymbolProvider,
  ): RememberedNames | null;
};

/** Remembered finds of one DSO. */
export type RememberedNames = {
  /** Finds in the files that the provider answers with now; null: nothing is known of them. */
  readonly known: FoundFrames | null;
  /** Takes the place of the provider: the new finds will hold for its answers. */
  readonly provide: SymbolProvider;
  /** All that is known from now on, `known` included. */
  keep(found: FoundFrames): void;
  /** Closes the files that nobody has taken. */
  close(): void;
};

/**
 * The distinct names of `known` at `addresses`, and into `rows` which of them each has, −1 for none; null
 * unless all addresses are known.
 */
export function recallNames(
  known: FoundFrames,
  addresses: Float64Array,
  rows: Int32Array,
): string[] | null {
  const { first, name } = known.columns;
  const nameOf = new Map<number, number>();
  const names: string[] = [];
  for (let i = 0; i < addresses.length; i++) {
    const row = known.find(addresses[i]);
    if (row === NONE) return null;
    const text = known.count(row) === 0 ? NONE : name[first[row]];
    let index = text === NONE ? NONE : nameOf.get(text);
    if (index === undefined) {
      index = names.length;
      nameOf.set(text, index);
      names.push(known.texts.at(text));
    }
    rows[i] = index;
  }
  return names;
}

/** Adds to what is known the names found at `addresses`, in the form of `recallNames`. */
export function keepNames(
  remembered: RememberedNames,
  addresses: Float64Array,
  rows: Int32Array,
  names: readonly string[],
): void {
  const { known } = remembered;
  const builder = new FoundBuilder(known);
  const seen = new Set<number>();
  for (let i = 0; i < addresses.length; i++) {
    const address = addresses[i];
    if (seen.has(address) || (known !== null && known.find(address) !== NONE)) continue;
    seen.add(address);
    builder.begin(address);
    if (rows[i] !== NONE) builder.addFrame(names[rows[i]], '', 0, 0);
  }
  remembered.keep(builder.finish());
}
