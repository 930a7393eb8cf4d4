import { KIND_GROUPS } from '../../../src/formats/export/kind-group.ts';
import { formatCount } from '../ask/format.ts';
import { element, pushButton } from '../dom/dom.ts';
import { placeBelow } from '../dom/popover.ts';
import { groupColour } from '../kinds.ts';
import type { SearchHit } from '../worker/messages/messages.ts';
import './match-list.css';

/**
 * The matches of a search as a list below its field, the heaviest first: arrow keys go through it, Enter and a
 * click go to a match, Escape and a click elsewhere close it.
 */
export class MatchList {
  /** Says what was found; opens and closes the list. */
  readonly button: HTMLButtonElement;
  readonly root = element('div', 'popover match-list');
  readonly #field: HTMLElement;
  readonly #onChoose: (hit: number) => void;
  #hits: readonly SearchHit[] = [];
  /** Number of all matches; `#hits` are the heaviest of them. */
  #count = 0;
  #shareOf: (hit: SearchHit) => string = String;

  /** The list opens below `field`. */
  constructor(field: HTMLElement, onChoose: (hit: number) => void) {
    this.#field = field;
    this.#onChoose = onChoose;
    this.root.popover = 'auto';
    this.root.setAttribute('role', 'dialog');
    this.root.setAttribute('aria-label', 'Matches');
    this.button = pushButton('search-result', '', () => {});
    this.button.ariaLive = 'polite';
    this.button.popoverTargetElement = this.root;
    this.button.setAttribute('aria-haspopup', 'dialog');
    this.button.setAttribute('aria-expanded', 'false');
    // Drawn before it is shown: its first line can have the focus at once.
    this.root.addEventListener('beforetoggle', ({ newState }) => {
      if (newState === 'open') this.#draw();
    });
    this.root.addEventListener('toggle', (event) => {
      const isOpen = (event as ToggleEvent).newState === 'open';
      this.button.setAttribute('aria-expanded', String(isOpen));
      if (isOpen) placeBelow(this.root, this.#field);
    });
    this.root.addEventListener('keydown', (event) => this.#takeKey(event));
  }

  /** `hits` are the heaviest of `count`; none: there is nothing to open. */
  show(hits: readonly SearchHit[], count: number, shareOf: (hit: SearchHit) => string): void {
    this.button.disabled = hits.length === 0;
    if (hits === this.#hits) return;
    this.#hits = hits;
    this.#count = count;
    this.#shareOf = shareOf;
    if (!this.root.matches(':popover-open')) return;
    if (hits.length === 0) this.root.hidePopover();
    else this.#draw();
  }

  /** Writes on the button what was found; empty: it goes. */
  describe(text: string, title: string): void {
    // Said again it would be spoken again.
    if (this.button.textContent !== text) this.button.textContent = text;
    this.button.hidden = text === '';
    this.button.title = [text, title].filter(Boolean).join('\n');
  }

  /** Puts the focus on the first match. */
  open(): void {
    if (this.#hits.length === 0) return;
    this.root.showPopover();
    this.root.querySelector('button')?.focus();
  }

  #draw(): void {
    const count = this.#count;
    const lines = this.#hits.map((hit, index) => this.#renderHit(hit, index));
    const listed = formatCount(lines.length);
    this.root.replaceChildren(element('div', 'match-lines', ...lines));
    if (lines.length === count) return;
    const reported = `The heaviest ${listed} of ${formatCount(count)} matches.`;
    this.root.append(element('p', 'pruned', reported));
  }

  #renderHit(hit: SearchHit, index: number): HTMLButtonElement {
    const line = pushButton('match', '', () => {
      this.root.hidePopover();
      this.#onChoose(index);
    });
    const swatch = element('span', 'swatch');
    swatch.style.background = groupColour(KIND_GROUPS[hit.group]);
    line.title = `${hit.name}\n${hit.kind}`;
    line.append(
      element('span', 'match-share', this.#shareOf(hit)),
      swatch,
      element('span', 'cut-name', hit.name),
      element('span', 'quiet-text', hit.kind),
    );
    return line;
  }

  #takeKey(event: KeyboardEvent): void {
    // The keys of the page must not act on what lies below.
    event.stopPropagation();
    const lines = [...this.root.querySelectorAll('button')];
    const at = lines.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: lines.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    lines[Math.max(0, Math.min(to, lines.length - 1))]?.focus();
  }
}
