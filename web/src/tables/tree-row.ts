import { splitPlace } from '../../../src/formats/export/frame-label.ts';
import { formatCount, formatShare, formatWeight } from '../ask/format.ts';
import { element } from '../dom/dom.ts';
import { colourNameOfKind, colourVariable } from '../flame-graph/frame-colours.ts';
import { isInlined } from '../worker/messages/frame-key.ts';
import type { FrameKey, TreeResult } from '../worker/messages/messages.ts';
import { focusRow, nameText, shareCell } from './data-table.ts';

/** Place of a row in the table: the frames above it and its depth. */
export type RowPlace = {
  readonly path: readonly FrameKey[];
  readonly depth: number;
};

/** A row of the call tree; its children are made when it is opened for the first time. */
export class TreeRow {
  readonly result: TreeResult;
  /** Row of `result.rows`. */
  readonly row: number;
  /** `ViewState.zoom` that shows this frame alone. */
  readonly path: readonly FrameKey[];
  readonly line: HTMLTableRowElement;
  readonly #place: RowPlace;
  #children: readonly TreeRow[] | null = null;
  #isOpen = false;
  static readonly #ofLine = new WeakMap<Element, TreeRow>();

  /** The row that an event happened on. */
  static at(target: EventTarget | null): TreeRow | null {
    const line = target instanceof Element ? target.closest('tr') : null;
    return (line && TreeRow.#ofLine.get(line)) ?? null;
  }

  /** The rows of `result` below its row `parent`; −1: the outermost ones. */
  static below(result: TreeResult, parent: number, place: RowPlace): TreeRow[] {
    const { prefix } = result.rows;
    const rows: TreeRow[] = [];
    for (let row = parent + 1; row < prefix.length; row++) {
      if (prefix[row] === parent) rows.push(new TreeRow(result, row, place));
    }
    return rows;
  }

  constructor(result: TreeResult, row: number, place: RowPlace) {
    this.result = result;
    this.row = row;
    this.#place = place;
    this.path = this.#folded > 0 ? place.path : [...place.path, this.key];
    this.line = this.#render();
    if (this.#folded === 0) this.line.dataset.key = `path ${this.path.join('-')}`;
    TreeRow.#ofLine.set(this.line, this);
  }

  get key(): FrameKey {
    return this.result.labels.key[this.label];
  }

  /** Row of `result.labels`. */
  get label(): number {
    return this.result.rows.label[this.row];
  }

  /** Whether a path leads to this row, or through it. */
  isOnPath(path: readonly FrameKey[]): boolean {
    return this.#folded === 0 && this.path.every((key, depth) => path[depth] === key);
  }

  /** Part of the weight of all that is shown. */
  get share(): number {
    return this.#shareOf(this.result.rows.total[this.row]);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** True if something was spent in the callees and is not folded. */
  get canOpen(): boolean {
    const { total, self } = this.result.rows;
    return this.#folded === 0 && total[this.row] - self[this.row] > 1e-9 * total[this.row];
  }

  /** True if the children were made before, or came with the row and none of them is folded. */
  get hasBranch(): boolean {
    if (this.#children !== null) return true;
    const { prefix, folded } = this.result.rows;
    let children = 0;
    for (let child = this.row + 1; child < prefix.length; child++) {
      if (prefix[child] !== this.row) continue;
      if (folded[child] > 0) return false;
      children++;
    }
    return children > 0;
  }

  /** The rows below, if they were made; they are hidden while this one is closed. */
  get children(): readonly TreeRow[] {
    return this.#children ?? [];
  }

  /** Shows the children: those of `branch`, which was asked for, or those that came with the row. */
  open(branch: TreeResult | null): void {
    const place = { path: this.path, depth: this.#place.depth + 1 };
    this.#children ??=
      branch === null
        ? TreeRow.below(this.result, this.row, place)
        : TreeRow.below(branch, -1, place);
    this.#isOpen = true;
    this.line.setAttribute('aria-expanded', 'true');
    this.line.after(...this.#children.flatMap((child) => child.#visibleLines()));
  }

  close(): void {
    this.#isOpen = false;
    this.line.setAttribute('aria-expanded', 'false');
    for (const child of this.children) child.#remove();
  }

  focusParent(): void {
    const level = Number(this.line.getAttribute('aria-level'));
    let above = this.line.previousElementSibling;
    while (above !== null && Number(above.getAttribute('aria-level')) >= level) {
      above = above.previousElementSibling;
    }
    focusRow(above, this.line);
  }

  #visibleLines(): HTMLTableRowElement[] {
    const below = this.#isOpen ? this.children.flatMap((child) => child.#visibleLines()) : [];
    return [this.line, ...below];
  }

  #remove(): void {
    this.line.remove();
    for (const child of this.children) child.#remove();
  }

  get #folded(): number {
    return this.result.rows.folded[this.row];
  }

  #shareOf(value: number): number {
    const { weight } = this.result;
    return weight === 0 ? 0 : value / weight;
  }

  #render(): HTMLTableRowElement {
    const { rows, labels, unit } = this.result;
    const { path, depth } = this.#place;
    const self = rows.self[this.row];
    const number = (content: string | Node) => element('td', 'number', content);
    const extra = (content: string) => element('td', 'number is-extra', content);
    const line = element(
      'tr',
      labels.isMatch[this.label] === 1 ? 'is-match' : '',
      number(shareCell(formatShare(this.share), this.share)),
      number(self === 0 ? '' : formatShare(this.#shareOf(self))),
      ...(unit === 'samples' ? [] : [extra(formatWeight(rows.total[this.row], unit))]),
      extra(this.#folded > 0 ? '' : formatCount(rows.samples[this.row])),
      element('td', '', this.#renderName()),
    );
    line.tabIndex = -1;
    line.dataset.key = `row ${[...path, this.key].join()}`;
    line.setAttribute('aria-level', String(depth + 1));
    if (this.canOpen) line.setAttribute('aria-expanded', 'false');
    return line;
  }

  #renderName(): HTMLElement {
    const { labels } = this.result;
    const { depth } = this.#place;
    const { label } = this;
    const twist = element('button', 'twist', '▸');
    twist.type = 'button';
    twist.tabIndex = -1;
    twist.setAttribute('aria-hidden', 'true');
    twist.hidden = !this.canOpen;
    const swatch = element('span', 'swatch');
    swatch.style.background = colourVariable(colourNameOfKind(labels, label));
    const name =
      this.#folded > 0 ? `(${formatCount(this.#folded)} lighter frames)` : labels.name[label];
    const suffix = isInlined(this.key) ? ' (inlined)' : '';
    const dso = labels.dso[label];
    // Names of JavaScript's functions have their places; the DSO of such code tells nothing.
    const { name: own, place } = splitPlace(name, '');
    const cell = element(
      'span',
      'name-cell',
      twist,
      swatch,
      nameText(own + suffix),
      element('span', 'beside', place === '' ? dso.replace(/^.*\//, '') : place),
    );
    cell.style.setProperty('--indent', String(indentOf(depth)));
    cell.title = [name, dso, labels.place[label]].filter(Boolean).join('\n');
    return cell;
  }
}

/** Levels that are indented in full; each of those below them by a quarter: a stack can be 100 deep. */
const FULL_LEVELS = 16;

function indentOf(depth: number): number {
  return Math.min(depth, FULL_LEVELS) + Math.max(0, depth - FULL_LEVELS) / 4;
}
