/** An open row of the call tree, by its FrameKey, with the open rows below it. */
export type OpenRow = { readonly key: number; readonly below: readonly OpenRow[] };

/** Nothing is open; the empty text leaves it to the tree. */
const NONE_OPEN = '.';
/** An address is no place for more. */
const MOST_TEXT = 4000;

/**
 * Open rows as they stand in the address: `12-5-7_.9_` is 12 with 5 and 9 open below it, and 7 below 5.
 * The empty text where they are too many to be written down.
 */
export function encodeOpenRows(rows: readonly OpenRow[]): string {
  const text = rows.length === 0 ? NONE_OPEN : encodeAll(rows);
  return text.length > MOST_TEXT ? '' : text;
}

function encodeAll(rows: readonly OpenRow[]): string {
  return rows
    .map(({ key, below }) => (below.length === 0 ? `${key}` : `${key}-${encodeAll(below)}_`))
    .join('.');
}

/** Null: the tree opens what it likes. What can't be read is as if it were not there. */
export function decodeOpenRows(text: string): readonly OpenRow[] | null {
  if (text === '' || text.length > MOST_TEXT) return null;
  const top: OpenRow[] = [];
  const levels: OpenRow[][] = [top];
  for (const token of text.match(/\d+|[-_]/g) ?? []) {
    const level = levels.at(-1)!;
    if (token === '-') {
      const below = level.at(-1)?.below as OpenRow[] | undefined;
      if (below === undefined) return null;
      levels.push(below);
    } else if (token === '_') {
      if (levels.length === 1) return null;
      levels.pop();
    } else {
      level.push({ key: Number(token), below: [] });
    }
  }
  return top;
}
