import { element } from '../dom.ts';

/** A function's code as it is shown. */
export type CodePicture = {
  readonly title: string;
  /** Path and line of the source, or the file with the machine code. */
  readonly where: string;
  readonly notes: readonly string[];
  readonly content: readonly Node[];
};

/** The place for one picture of code at a time. */
export class CodePanel {
  readonly title = element('h2');
  readonly where = element('span', 'beside');
  readonly notes = element('p', 'pruned');
  readonly box = element('div', 'table-box');
  /** Counts what was begun: only the last is drawn. */
  #turn = 0;

  /** Draws what `picture` becomes, unless something else was begun meanwhile. */
  async draw(picture: CodePicture | Promise<CodePicture>): Promise<void> {
    const turn = ++this.#turn;
    const { title, where, notes, content } = await picture;
    if (turn !== this.#turn) return;
    this.title.textContent = title;
    this.where.textContent = where;
    this.notes.textContent = notes.join(' ');
    this.box.replaceChildren(...content);
    const first = this.box.querySelector('.is-hottest') ?? this.box.querySelector('.is-first');
    first?.scrollIntoView({ block: 'center' });
  }

  /** Drops the picture that is waited for; the one that was drawn stays. */
  stop(): void {
    this.#turn++;
  }

  /** Shows a sentence in place of the code. */
  wait(text: string): void {
    this.stop();
    this.box.replaceChildren(element('p', 'pruned', text));
  }

  fail(problem: string): void {
    this.stop();
    this.notes.textContent = '';
    this.box.replaceChildren(element('p', 'problem', problem));
  }
}
