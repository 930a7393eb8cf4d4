import type { Brand } from './brand.ts';

export type StringIndex = Brand<number, 'StringIndex'>;

/** Every distinct string once; tables refer to strings by index. Index 0 is the empty string. */
export class StringTable {
  readonly strings: string[] = [''];
  readonly #indexOf = new Map<string, StringIndex>([['', 0 as StringIndex]]);

  /** The index of `text`, new or existing. */
  intern(text: string): StringIndex {
    const known = this.#indexOf.get(text);
    if (known !== undefined) return known;
    const index = this.strings.length as StringIndex;
    this.strings.push(text);
    this.#indexOf.set(text, index);
    return index;
  }

  get(index: StringIndex): string {
    return this.strings[index];
  }
}
