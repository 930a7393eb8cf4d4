/** Notices of a recording for the user, one sentence each, every sentence once. */
export class Notices {
  readonly #sentences = new Set<string>();

  add(sentence: string): void {
    this.#sentences.add(sentence);
  }

  list(): string[] {
    return [...this.#sentences];
  }
}
