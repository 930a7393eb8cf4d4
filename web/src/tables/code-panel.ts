import { element, pushButton } from '../dom/dom.ts';
import { scrollWithin } from '../dom/scroll-within.ts';
import { CodeMap } from './code-map.ts';
import { nameText } from './data-table.ts';

/** A function's code as it is shown. */
export type CodePicture = {
  readonly title: string;
  /** Path and line of the source, or the file with the machine code. */
  readonly where: string;
  /** Shows all of that file; absent where it is shown, or can't be. */
  readonly showWhole?: () => void;
  /** The weight that was spent here. */
  readonly figures: string;
  /** Notes on what stands in the way of reading it: above the code, so in view. */
  readonly notes: readonly string[];
  readonly content: readonly Node[];
};

const NOTHING: CodePicture = { title: '', where: '', figures: '', notes: [], content: [] };

/** The place for one picture of code at a time: it scrolls by itself, with its hot lines beside it. */
export class CodePanel {
  readonly title = element('h2');
  readonly where = element('span', 'source-file');
  readonly figures = element('span', 'source-figures');
  readonly notes = element('p', 'pruned');
  readonly root: HTMLElement;
  readonly #box = element('div', 'table-box code-box');
  readonly #map: CodeMap;
  /** Counts what was begun: only the last is drawn. */
  #turn = 0;
  #drawn = NOTHING;

  constructor() {
    this.#box.tabIndex = 0;
    this.#box.setAttribute('role', 'region');
    this.#map = new CodeMap(this.#box);
    this.root = element('div', 'code-area', this.#box, this.#map.root);
  }

  /** Draws what `picture` becomes, unless something else was begun meanwhile. */
  async draw(picture: CodePicture | Promise<CodePicture>): Promise<void> {
    const turn = ++this.#turn;
    const drawn = await picture;
    if (turn !== this.#turn) return;
    const { title, where, figures, notes, content } = drawn;
    const isSame = title === this.#drawn.title && where === this.#drawn.where;
    this.#drawn = drawn;
    this.title.replaceChildren(nameText(title, 'title-name'));
    this.title.title = title;
    this.where.replaceChildren(...renderWhere(drawn));
    this.figures.textContent = figures;
    this.notes.textContent = notes.join(' ');
    this.#box.setAttribute('aria-label', `Code of ${title}`);
    const { scrollTop } = this.#box;
    this.#box.replaceChildren(...content);
    // The same code with other weights stays where it is.
    this.#box.scrollTop = scrollTop;
    this.#map.draw();
    if (isSame) return;
    const first = this.#box.querySelector('.is-hottest') ?? this.#box.querySelector('.is-first');
    if (first instanceof HTMLElement) scrollWithin(this.#box, first);
    else this.#box.scrollTop = 0;
  }

  /** Goes to the next hot line, or the one before. */
  step(by: 1 | -1): void {
    this.#map.step(by);
  }

  /** Drops the picture that is waited for; the one that was drawn stays. */
  stop(): void {
    this.#turn++;
  }

  /** Shows nothing, until something is drawn. */
  clear(): void {
    void this.draw(NOTHING);
  }

  /** Shows a sentence in place of the code. */
  wait(text: string): void {
    this.stop();
    this.#show(element('p', 'pruned', text));
  }

  fail(problem: string): void {
    this.stop();
    this.notes.textContent = '';
    this.#show(element('p', 'problem', problem));
  }

  #show(content: Node): void {
    this.#drawn = NOTHING;
    this.#box.replaceChildren(content);
    this.#map.draw();
  }
}

/** Names of scripts end with the place already. */
function renderWhere({ title, where, showWhole }: CodePicture): HTMLElement[] {
  if (where === '') return [];
  const text = nameText(title.endsWith(where) ? '' : where, 'beside');
  text.title = where;
  if (showWhole === undefined) return [text];
  const whole = pushButton('', 'Whole file', showWhole);
  whole.title = `Weights of all functions in ${where}`;
  return [text, whole];
}
