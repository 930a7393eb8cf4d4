/** The strings of a pprof file, each once; the first is empty. */
export class PprofStrings {
  readonly all: string[] = [''];
  readonly #rows = new Map([['', 0]]);

  rowOf(text: string): number {
    const known = this.#rows.get(text);
    if (known !== undefined) return known;
    const row = this.all.push(text) - 1;
    this.#rows.set(text, row);
    return row;
  }
}
