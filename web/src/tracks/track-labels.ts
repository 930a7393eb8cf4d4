import { element, pushButton, replaceKeepingFocus } from '../dom/dom.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { Track, TracksResult } from '../worker/messages/track-messages.ts';
import { describeTrack, shortNames, type TrackScale, trackName } from './track-names.ts';

/** All that the label of a track says, and whom a click chooses. */
type LabelWords = Pick<Track, 'kind' | 'rows' | 'branch'> & {
  readonly name: string;
  /** The part that tells it from others of that name. */
  readonly which: string;
  readonly figure: string;
  /** The track in a sentence. */
  readonly text: string;
};

/**
 * The names of the tracks, one below the other. They are one stop of the Tab key, arrow keys go from
 * one to another. Pressed, a name shows its threads only; with Ctrl or Shift it adds them to
 * those shown or takes them away. That of a program, or of all that has no track, opens the list of all: a tree, whose
 * branches are opened by their sign or the right arrow.
 */
export class TrackLabels {
  readonly root = element('div', 'track-labels');
  readonly #context: ViewContext;
  #names: ReturnType<typeof shortNames>;
  readonly #onExpand: () => void;
  readonly #onOpen: (key: string) => void;
  #isExpanded = false;
  /** The words of the labels that are drawn. */
  #drawn = '';

  constructor(
    context: ViewContext,
    { onExpand, onOpen }: { readonly onExpand: () => void; readonly onOpen: (key: string) => void },
  ) {
    this.#context = context;
    this.#names = shortNames(context.recording.threads);
    this.#onExpand = onExpand;
    this.#onOpen = onOpen;
    context.onReplaced(() => {
      this.#names = shortNames(context.recording.threads);
    });
    this.root.setAttribute('role', 'toolbar');
    this.root.setAttribute('aria-orientation', 'vertical');
    this.root.setAttribute('aria-label', 'Threads');
    this.root.addEventListener('keydown', (event) => this.#followKey(event));
    this.root.addEventListener('focusin', (event) => this.#stopAt(event.target as HTMLElement));
  }

  draw(result: TracksResult, scale: TrackScale, isExpanded: boolean): void {
    this.#isExpanded = isExpanded;
    const words = result.tracks.map((track) => this.#wordsOf(track, result, scale));
    const drawn = JSON.stringify([words, isExpanded]);
    // Another chosen function changes what is lit in the tracks, and none of their names.
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const focused = this.#buttons().find((button) => button === document.activeElement);
    const key = focused?.dataset.key;
    const labels = words.map((words) => this.#createLabel(words, isExpanded));
    replaceKeepingFocus(this.root, ...labels);
    const stop = labels.find((label) => label.dataset.key === key) ?? labels[0];
    if (stop !== undefined) this.#stopAt(stop);
    // The track of a program is not in the list that it opens.
    if (focused !== undefined) stop?.focus({ preventScroll: true });
    this.mark(this.#context.store.get());
  }

  /** Marks the threads that are chosen. */
  mark({ threads }: ViewState): void {
    for (const button of this.#buttons()) {
      if (button.dataset.key === MERGED) continue;
      const rows = rowsOf(button);
      const isChosen = rows.length > 0 && rows.every((row) => threads.includes(row));
      button.setAttribute('aria-pressed', String(isChosen));
    }
  }

  #wordsOf(track: Track, result: TracksResult, scale: TrackScale): LabelWords {
    const { recording } = this.#context;
    const { kind, rows, branch } = track;
    return {
      ...{ kind, rows, branch },
      ...trackName(track, this.#names, recording.threads),
      figure: scale.figureOf(track),
      text: describeTrack(track, result, scale, recording),
    };
  }

  #createLabel(
    { kind, rows, branch, name, which, figure, text }: LabelWords,
    isExpanded: boolean,
  ): HTMLElement {
    const label = pushButton('track-label', '', () => {});
    label.append(
      element('span', 'track-name', name),
      element('span', 'track-figure', which),
      element('span', 'track-figure', ` · ${figure}`),
    );
    if (branch !== null) label.style.paddingInlineStart = `${0.6 + branch.depth}rem`;
    const isOfAll = kind === 'merged' && (branch?.depth ?? 0) === 0;
    if (isOfAll || (kind === 'program' && !isExpanded)) {
      label.append(element('span', 'track-more', isExpanded ? ' ▾' : ' ▸'));
      label.dataset.key = isOfAll ? MERGED : keyOf(rows);
      label.setAttribute('aria-expanded', String(isExpanded));
      label.addEventListener('click', this.#onExpand);
      label.title = `${text}. Click to ${isExpanded ? 'close' : 'open'} the list of all threads.`;
    } else {
      label.dataset.key = keyOf(rows);
      label.addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
        if (branch !== null && (target as Element).matches('.track-more')) this.#onOpen(branch.key);
        else this.#choose(rows, ctrlKey || metaKey || shiftKey);
      });
      if (branch !== null && branch.name !== '') {
        label.prepend(element('span', 'track-more', branch.isOpen ? '▾ ' : '▸ '));
        label.dataset.branch = branch.key;
        label.setAttribute('aria-expanded', String(branch.isOpen));
      }
      const opens = label.dataset.branch === undefined ? '' : ' ▸, or the right arrow, opens it.';
      label.title = `${text}. Click to show nothing else; Ctrl or Shift adds it.${opens}`;
    }
    // What is read begins with what is seen: those who speak to the page say that.
    label.setAttribute('aria-label', `${name}${which} · ${figure}: ${text}`);
    return label;
  }

  #choose(rows: readonly number[], isAdding: boolean): void {
    const { threads } = this.#context.store.get();
    const isChosen = rows.every((row) => threads.includes(row));
    const others = isAdding ? threads.filter((other) => !rows.includes(other)) : [];
    const isBack = isChosen && (isAdding || threads.length === rows.length);
    const next = isBack ? others : [...others, ...rows].sort((a, b) => a - b);
    this.#context.store.change({ threads: next, zoom: [] });
  }

  #followKey(event: KeyboardEvent): void {
    const buttons = this.#buttons();
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    const { branch } = buttons[at]?.dataset ?? {};
    const isOpen = buttons[at]?.getAttribute('aria-expanded') === 'true';
    const isTurned = event.key === (isOpen ? 'ArrowLeft' : 'ArrowRight');
    if (to !== undefined) buttons[to]?.focus();
    else if (branch !== undefined && isTurned) this.#onOpen(branch);
    else if (event.key === 'Enter' && (event.ctrlKey || event.shiftKey)) {
      // The click that a key makes says nothing of Ctrl and Shift.
      const rows = buttons[at] === undefined ? [] : rowsOf(buttons[at]);
      if (rows.length > 0) this.#choose(rows, true);
    } else if (event.key === 'Escape' && this.#canShowAll()) {
      this.#context.store.change({ threads: [], zoom: [] });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The list of all threads is closed first. */
  #canShowAll(): boolean {
    return !this.#isExpanded && this.#context.store.get().threads.length > 0;
  }

  #stopAt(stop: HTMLElement): void {
    const buttons = this.#buttons();
    if (!buttons.includes(stop as HTMLButtonElement)) return;
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.root.querySelectorAll('button')];
  }
}

/** The key of the label of all that has no track. */
const MERGED = 'merged';

/** The key of any other label: its threads. */
const keyOf = (rows: readonly number[]): string => rows.join(' ');

function rowsOf({ dataset: { key = '' } }: HTMLButtonElement): number[] {
  return key === MERGED ? [] : key.split(' ').map(Number);
}
