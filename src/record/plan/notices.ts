/** What the user is told of a recording, one sentence each, every sentence once. */
export class Notices {
  readonly #sentences = new Set<string>();

  add(sentence: string): void {
    this.#sentences.add(sentence);
  }

  list(): string[] {
    return [...this.#sentences];
  }
}
