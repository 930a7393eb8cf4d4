import { element, replaceKeepingFocus } from '../dom/dom.ts';
import { renderHeadings, renderRow, type TableHeading } from './data-table.ts';

export type VirtualTableOptions<Row> = {
  readonly keyOf: (row: Row) => string | number;
  readonly onChoose: (row: Row) => void;
  readonly onSort: (sort: string) => void;
  /** `ROWS_AT_ONCE` rows are needed that `show` was not given, from `first` on. */
  readonly onMissing: (first: number) => void;
};

/** Rows from `first` on, of a list of `length`, and how they are shown. */
export type ShownRows<Row> = {
  readonly rows: readonly Row[];
  readonly first: number;
  readonly length: number;
  readonly headings: readonly TableHeading<Row>[];
  readonly sort: string;
};

/** Rows that are asked for at once: several screens. */
export const ROWS_AT_ONCE = 200;
/** Rows drawn above and below those in view: a small scroll draws nothing. */
const SPARE_ROWS = 8;
/** Pixels, before a row was measured. */
const GUESSED_HEIGHT = 24;

/**
 * A grid of which only the rows in view, and some around them, are in the document:
 *
 *     box, scrolls ─┬─ runway, as high as all rows
 *                   └─ table, pushed down to where its first row belongs; its headings stick to the box
 *
 * The row that has the focus stays in the document wherever it is scrolled to, is the one that Tab comes back to, and
 * keys go on from it. Rows are all as high as the first.
 */
export class VirtualTable<Row> {
  readonly root = element('div', 'table-box');
  readonly #options: VirtualTableOptions<Row>;
  readonly #head = element('thead');
  readonly #body = element('tbody');
  readonly #table = element('table', 'data-table', this.#head, this.#body);
  readonly #runway = element('div', 'table-runway', this.#table);
  /** Drawn rows by their place in the list. */
  readonly #lines = new Map<number, HTMLTableRowElement>();
  #shown: ShownRows<Row> | null = null;
  #headings = '';
  /** The widths that columns had at most: rows that come in move none. */
  #widths: number[] = [];
  #rowHeight = 0;
  #chosen: string | number | null = null;
  /** The place of the row that Tab comes to; −1: the chosen one's, else the first in view. */
  #stop = -1;
  /** The place that keys went to before its row was there; −1: none. */
  #wanted = -1;

  constructor(options: VirtualTableOptions<Row>) {
    this.#options = options;
    this.#table.setAttribute('role', 'grid');
    this.root.addEventListener('scroll', () => this.#fill(), { passive: true });
    new ResizeObserver(() => this.#fill()).observe(this.root);
    // The root's font grows with the window.
    window.addEventListener('resize', () => {
      this.#rowHeight = 0;
      this.#fill();
    });
    this.#body.addEventListener('click', ({ target }) => this.#choose(placeOf(target)));
    this.#body.addEventListener('focusin', ({ target }) => this.#stopAt(placeOf(target)));
    this.#body.addEventListener('keydown', (event) => this.#followKey(event));
  }

  /** The caption, which changes with what the rows are. */
  set caption(text: string) {
    this.#table.setAttribute('aria-label', text);
  }

  /** Draws the rows in view of those given. */
  show(shown: ShownRows<Row>): void {
    const focused = this.#focused();
    const line = this.#lines.get(focused) ?? null;
    const isSameList = shown.length === this.#shown?.length && shown.sort === this.#shown.sort;
    this.#shown = shown;
    this.#table.setAttribute('aria-rowcount', String(shown.length + 1));
    if (this.#runway.parentElement === null) this.root.replaceChildren(this.#runway);
    this.#showHeadings(shown);
    // The row with the focus is drawn anew where it is among those given, and stays as it is where it is not.
    const isKept = isSameList && line !== null && this.#rowAt(focused) === null;
    for (const [place, other] of this.#lines) {
      if (isKept && other === line) continue;
      other.remove();
      this.#lines.delete(place);
    }
    this.#setHeight();
    const isThere = this.#wanted >= 0 && this.#rowAt(this.#wanted) !== null;
    if (isThere) this.#focus(this.#wanted, true);
    else this.#fill();
    if (line === null || isThere || isKept) return;
    // To the same row, to the same place, to any row.
    const same = shown.rows.findIndex(
      (row) => `row ${this.#options.keyOf(row)}` === line.dataset.key,
    );
    const to = same >= 0 ? shown.first + same : focused;
    if (this.#rowAt(to) === null) this.focus();
    else this.#focus(to, false);
  }

  /** Shows something else in place of rows. */
  clear(...content: readonly Node[]): void {
    this.#shown = null;
    this.root.replaceChildren(...content);
  }

  scrollToTop(): void {
    this.root.scrollTop = 0;
    this.#stop = -1;
    this.#wanted = -1;
  }

  /** Marks the row with this key as the chosen one, null: none; one that is not in view is scrolled to. */
  choose(key: string | number | null): void {
    const isNew = key !== this.#chosen;
    this.#chosen = key;
    for (const [place, line] of this.#lines) this.#mark(place, line);
    const at = key === null ? -1 : this.#placeOfKey(key);
    if (isNew && at >= 0) this.#stop = at;
    // The pane that was opened below may cover it.
    if (at >= 0 && (isNew || this.#lines.get(at)?.matches(':focus'))) this.#reveal(at);
  }

  /** Gives the focus to the row that Tab would come to. */
  focus(): void {
    this.#body.querySelector<HTMLElement>('tr[tabindex="0"]')?.focus({ preventScroll: true });
  }

  #showHeadings({ headings, sort }: ShownRows<Row>): void {
    const signature = JSON.stringify([headings.map(({ id, title }) => [id, title]), sort]);
    if (signature === this.#headings) return;
    this.#headings = signature;
    this.#widths = [];
    const { onSort } = this.#options;
    replaceKeepingFocus(this.#head, renderHeadings(headings, { sort, onSort }));
  }

  /** Puts the rows in view into the document, asks for those that are missing. */
  #fill(): void {
    const shown = this.#shown;
    const { clientHeight, scrollTop } = this.root;
    if (shown === null || clientHeight === 0) return;
    const { rows, first, length } = shown;
    const height = this.#rowHeight || GUESSED_HEIGHT;
    const above = Math.min(length, Math.max(0, Math.floor(scrollTop / height)));
    const below = Math.min(length, Math.ceil((scrollTop + clientHeight) / height));
    const from = Math.max(0, above - SPARE_ROWS);
    const until = Math.min(length, below + SPARE_ROWS);
    if (from < first || until > first + rows.length) {
      this.#ask(this.#wanted >= 0 ? this.#wanted : above);
    }
    if (this.#rowHeight > 0 && this.#hasAll(above, below, shown)) return;
    this.#draw(Math.max(from, first), Math.min(until, first + rows.length));
    if (this.#rowHeight === 0) this.#measure();
  }

  /** Whether all rows from `above` on until `below` are drawn that are there. */
  #hasAll(above: number, below: number, { rows, first }: ShownRows<Row>): boolean {
    const until = Math.min(below, first + rows.length);
    for (let place = Math.max(above, first); place < until; place++) {
      const line = this.#lines.get(place);
      if (line === undefined || line.classList.contains('is-away')) return false;
    }
    return true;
  }

  #draw(from: number, until: number): void {
    const focused = document.activeElement;
    for (const [place, line] of this.#lines) {
      const isAway = place < from || place >= until;
      line.classList.toggle('is-away', isAway);
      if (!isAway || line === focused) continue;
      line.remove();
      this.#lines.delete(place);
    }
    let next: Element | null = null;
    for (let place = until - 1; place >= from; place--) {
      const line = this.#lines.get(place) ?? this.#render(place);
      if (line.nextElementSibling !== next || line.parentElement === null) {
        this.#body.insertBefore(line, next);
        if (line === focused) line.focus({ preventScroll: true });
      }
      next = line;
    }
    this.#setHeight();
    this.#runway.style.paddingTop = `${Math.max(0, from) * (this.#rowHeight || GUESSED_HEIGHT)}px`;
    this.#keepWidths();
    this.#setStop();
  }

  #render(place: number): HTMLTableRowElement {
    const { headings } = this.#shown as ShownRows<Row>;
    const row = this.#rowAt(place) as Row;
    const line = renderRow(row, headings, this.#options.keyOf(row));
    line.setAttribute('aria-rowindex', String(place + 2));
    line.tabIndex = -1;
    this.#lines.set(place, line);
    this.#mark(place, line);
    return line;
  }

  /** The real height of rows, which all that follows is placed by. */
  #measure(): void {
    const line = this.#body.querySelector('tr:not(.is-away)');
    const height = line?.getBoundingClientRect().height ?? 0;
    if (height <= 0) return;
    this.#rowHeight = height;
    this.#fill();
    this.#setHeight();
  }

  #setHeight(): void {
    const rows = (this.#shown?.length ?? 0) * (this.#rowHeight || GUESSED_HEIGHT);
    this.#runway.style.height = `${this.#head.getBoundingClientRect().height + rows}px`;
  }

  #keepWidths(): void {
    const cells = [...this.#head.querySelectorAll('th')];
    const widths = cells.map((cell) => cell.offsetWidth);
    // The last column has what is left.
    for (const [column, cell] of cells.slice(0, -1).entries()) {
      if (widths[column] <= (this.#widths[column] ?? 0)) continue;
      this.#widths[column] = widths[column];
      cell.style.minWidth = `${widths[column]}px`;
    }
  }

  #mark(place: number, line: HTMLElement): void {
    const row = this.#rowAt(place);
    const isChosen = row !== null && this.#options.keyOf(row) === this.#chosen;
    line.setAttribute('aria-selected', String(isChosen));
  }

  #setStop(): void {
    const inView = [...this.#lines].filter(([, line]) => !line.classList.contains('is-away'));
    const places = inView.map(([place]) => place);
    const stop = this.#lines.has(this.#stop) ? this.#stop : Math.min(...places);
    for (const [place, line] of this.#lines) line.tabIndex = place === stop ? 0 : -1;
  }

  #stopAt(place: number): void {
    if (place < 0) return;
    this.#stop = place;
    this.#setStop();
  }

  #choose(place: number): void {
    const row = this.#rowAt(place);
    if (row !== null) this.#options.onChoose(row);
  }

  #followKey(event: KeyboardEvent): void {
    const at = placeOf(event.target);
    if (at < 0 || this.#shown === null) return;
    if (event.key === 'Enter' || event.key === ' ') this.#choose(at);
    else {
      const from = this.#wanted >= 0 ? this.#wanted : at;
      const last = this.#shown.length - 1;
      const page = this.#rowsInView();
      const to = {
        ArrowDown: from + 1,
        ArrowUp: from - 1,
        PageDown: from + page,
        PageUp: from - page,
        Home: 0,
        End: last,
      }[event.key];
      if (to === undefined) return;
      this.#focus(Math.min(Math.max(0, to), last), true);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Rows that fit below the headings, less one: what was last is first then. */
  #rowsInView(): number {
    return Math.max(1, Math.floor(this.root.clientHeight / this.#rowHeight) - 2);
  }

  /** Moves the focus to a row; where it is not there yet, when it comes. */
  #focus(place: number, isGoneTo: boolean): void {
    if (this.#rowAt(place) === null) {
      this.#wanted = place;
      this.#ask(place);
      return;
    }
    this.#wanted = -1;
    this.#stop = place;
    if (isGoneTo) this.#reveal(place);
    const line = this.#lines.get(place) ?? this.#render(place);
    if (line.parentElement === null) {
      line.classList.add('is-away');
      this.#body.prepend(line);
    }
    line.focus({ preventScroll: true });
  }

  /** Scrolls by as little as shows the row, below the headings. */
  #reveal(place: number): void {
    const { clientHeight, scrollTop } = this.root;
    const top = place * this.#rowHeight;
    const bottom = top + this.#rowHeight + this.#head.getBoundingClientRect().height;
    if (top < scrollTop) this.root.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) this.root.scrollTop = bottom - clientHeight;
    this.#fill();
  }

  #ask(around: number): void {
    const first = Math.max(0, around - Math.floor(ROWS_AT_ONCE / 2));
    if (first === this.#shown?.first) return;
    this.#options.onMissing(first);
  }

  /** The row at a place of the list; null where it is not there. */
  #rowAt(place: number): Row | null {
    if (this.#shown === null) return null;
    return this.#shown.rows[place - this.#shown.first] ?? null;
  }

  #placeOfKey(key: string | number): number {
    if (this.#shown === null) return -1;
    const { rows, first } = this.#shown;
    const at = rows.findIndex((row) => this.#options.keyOf(row) === key);
    return at < 0 ? -1 : first + at;
  }

  /** The place of the row that has the focus, −1: none. */
  #focused(): number {
    for (const [place, line] of this.#lines) if (line === document.activeElement) return place;
    return -1;
  }
}

/** The place in the list of the row that an event is at; −1: it is at none. */
function placeOf(target: EventTarget | null): number {
  const line = target instanceof Element ? target.closest('tr') : null;
  return Number(line?.getAttribute('aria-rowindex') ?? 1) - 2;
}
