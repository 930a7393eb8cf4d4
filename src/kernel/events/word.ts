/** A part of the text of `-e`, and where it stands there. */
export type Word = {
  readonly text: string;
  /** Offset in `source`, which is the whole text. */
  readonly offset: number;
  readonly source: string;
};

/** The word of `source` from `start` to `end`; an empty one is a place. */
export function wordAt(source: string, start: number, end = start): Word {
  return { text: source.slice(start, end), offset: start, source };
}
