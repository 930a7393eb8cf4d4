import { clip } from './clip.ts';
import { displayWidth } from './display-width.ts';

/** Time after which a wait is told of: who waits for less sees nothing flicker. */
export const PROGRESS_DELAY_MS = 1000;
/** Share of that time after which lines above the line may be made, so that they are there when it is drawn. */
const LEAST_OF_DELAY = 0.7;
/** They are made where the step still takes so many times as long. */
const WORTHWHILE_DELAYS = 2;
/** Time between two lines: at most ten a second. */
const REDRAW_MS = 100;
/** The time left is not guessed from less than this share of a step, or from less time. */
const MIN_SHARE_TO_GUESS = 0.05;
const MIN_MS_TO_GUESS = 500;

/** A step of a command, and how far it has come. */
export type ProgressStep = {
  /** `reading perf.data`; printable. The time left counts from the first time that this is shown. */
  readonly what: string;
  /** The share that is done, 0 … 1; null: it is not known. */
  readonly share: number | null;
  /** More about it: `3.2 MB`. */
  readonly detail?: string;
  /** The effect of Ctrl-C meanwhile. */
  readonly atInterrupt: string;
};

/** The surroundings of a line, handed in: clock, terminal and its width. */
export type ProgressPlace = {
  /** Milliseconds since the command began. */
  nowMs(): number;
  /** False where nothing could be drawn. */
  write(text: string): boolean;
  /** Lines that the terminal shows at once. */
  rows(): number;
  /** Columns of the terminal. */
  columns(): number;
  /** Milliseconds since the command began before which nothing is drawn. */
  readonly delayMs: number;
};

/** Columns of a line that the terminal does not wrap, and lines that it shows at once. */
export type LineRoom = { readonly columns: number; readonly rows: number };

/**
 * One line of a terminal that shows how far a command has come, and is drawn over itself.
 *
 *   perf-ts: reading perf.data: 43 %, 4 s left (Ctrl-C stops; no file changes)
 *
 * Whoever writes anything else to the terminal calls `erase` before.
 */
export class ProgressLine {
  readonly #place: ProgressPlace;
  #step: ProgressStep | null = null;
  #stepStartMs = 0;
  #drawnMs = Number.NEGATIVE_INFINITY;
  #isDrawn = false;
  #hasEnded = false;
  /** Lines above the line; those of them that are drawn. */
  #above: readonly string[] = [];
  #drawnAbove = 0;

  constructor(place: ProgressPlace) {
    this.#place = place;
  }

  /** The step that the command is in now. Cheap: it may be called at every turn of a loop. */
  show(step: ProgressStep): void {
    if (this.#hasEnded) return;
    const nowMs = this.#place.nowMs();
    const isNew = step.what !== this.#step?.what;
    const isFirstDetail = step.detail !== undefined && this.#step?.detail === undefined;
    if (isNew) this.#stepStartMs = nowMs;
    this.#step = step;
    if (nowMs < this.#place.delayMs) return;
    // A step of unknown length may not come back here before it is done.
    if (isNew || isFirstDetail || nowMs - this.#drawnMs >= REDRAW_MS) this.#draw(step, nowMs);
  }

  /**
   * The room for lines above the line, where `share` of the step is done; null where they would come early, or before anybody has
   * read them the step would end.
   */
  roomAbove(share: number): LineRoom | null {
    const { delayMs } = this.#place;
    const nowMs = this.#place.nowMs();
    if (this.#hasEnded || nowMs < LEAST_OF_DELAY * delayMs) return null;
    const leftMs = (nowMs * (1 - share)) / share;
    if (leftMs < WORTHWHILE_DELAYS * delayMs) return null;
    return { columns: this.#place.columns() - 1, rows: this.#place.rows() };
  }

  /** Shows lines above the line, in place of those before; they have `room`, and go with the step. */
  showAbove(lines: readonly string[]): void {
    this.erase();
    this.#above = lines;
    this.#drawnMs = Number.NEGATIVE_INFINITY;
    this.redraw();
  }

  /** Draws the current step once more: for one that waits, and reports nothing. */
  redraw(): void {
    if (this.#step !== null) this.show(this.#step);
  }

  /** Clears the line, for other text. The next `show` draws it again. */
  erase(): void {
    const up = this.#drawnAbove > 0 ? `\u001b[${this.#drawnAbove}A\u001b[J` : '\u001b[K';
    if (this.#isDrawn) this.#place.write(`\r${up}`);
    this.#isDrawn = false;
    this.#drawnAbove = 0;
  }

  /** Clears the line: the step is done, and `redraw` shows nothing until the next. */
  finishStep(): void {
    this.erase();
    this.#step = null;
    this.#above = [];
  }

  /** Clears the line for good. */
  end(): void {
    this.erase();
    this.#hasEnded = true;
  }

  #draw(step: ProgressStep, nowMs: number): void {
    const text = progressText(step, nowMs - this.#stepStartMs, this.#place.columns());
    const above = this.#isDrawn ? [] : this.#above;
    const lines = above.map((line) => `\r${line}\u001b[K\n`).join('');
    this.#drawnMs = nowMs;
    // In the background the terminal is another's, who writes over what was drawn.
    this.#isDrawn = this.#place.write(`${lines}\r${text}\u001b[K`);
    if (!this.#isDrawn) this.#drawnAbove = 0;
    else if (above.length > 0) this.#drawnAbove = above.length;
  }
}

/** `step` in less than `columns` columns: a full line would move the cursor to the next one. */
function progressText(step: ProgressStep, elapsedMs: number, columns: number): string {
  const { what, share, detail, atInterrupt } = step;
  const parts = [
    ...(share === null ? [] : [`${Math.floor(100 * share)} %`]),
    ...(detail === undefined ? [] : [detail]),
    ...(share === null && detail === undefined ? timeTaken(elapsedMs) : []),
    ...timeLeft(share, elapsedMs),
  ];
  const text = `perf-ts: ${what}${parts.length > 0 ? `: ${parts.join(', ')}` : ' ...'}`;
  const whole = `${text} (Ctrl-C ${atInterrupt})`;
  if (displayWidth(whole) < columns) return whole;
  // The sign of what is cut off is not ASCII.
  return displayWidth(text) < columns ? text : clip(text, columns).replace(/…$/, '');
}

/** `3 s`, of a step that says nothing else that changes. */
function timeTaken(elapsedMs: number): string[] {
  return elapsedMs < 1000 ? [] : [`${Math.floor(elapsedMs / 1000)} s`];
}

/** `4 s left`, from the time that the share took; nothing where that says too little. */
function timeLeft(share: number | null, elapsedMs: number): string[] {
  if (share === null || share < MIN_SHARE_TO_GUESS || elapsedMs < MIN_MS_TO_GUESS) return [];
  const seconds = Math.ceil((elapsedMs * (1 - share)) / share / 1000);
  return [seconds < 120 ? `${seconds} s left` : `${Math.ceil(seconds / 60)} min left`];
}
