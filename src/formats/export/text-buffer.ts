/** Large enough to make a write's cost negligible, and small in memory. */
const FLUSH_LENGTH = 1 << 20;

/** Gathers short texts and hands them on as long ones, so that outputs of any size stream. */
export class TextBuffer {
  readonly #write: (text: string) => void;
  #text = '';

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= FLUSH_LENGTH) this.flush();
  }

  /** Must be called after the last `add`. */
  flush(): void {
    if (this.#text !== '') this.#write(this.#text);
    this.#text = '';
  }
}
