/** A place of a text: its line, and its words in one line. */
export type Place = { readonly line: number; readonly words: string };

export function findHeadless(text: string): Place[];
export function findRiddles(text: string): Place[];
