import { askLatest } from '../ask/ask.ts';
import { formatShare, formatWeight } from '../ask/format.ts';
import { fontScale } from '../dom/canvas.ts';
import { element, onWidthChange, pushButton, replaceKeepingFocus } from '../dom/dom.ts';
import { onColoursChange } from '../shell/theme.ts';
import { tracksParams } from '../state/selection.ts';
import type { Range, ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import { timeProblem } from '../time/time-problem.ts';
import { formatSpan } from '../tracks/format-span.ts';
import { readTrackColours, type TrackColours } from '../tracks/track-colours.ts';
import { highestRate, longName, shortNames, timeWordOf, trackName } from '../tracks/track-names.ts';
import { TrackPicture } from '../tracks/track-picture.ts';
import { isLeftOut } from '../tracks/tracks.ts';
import type { Track, TracksParams, TracksResult } from '../worker/messages/track-messages.ts';

/** Threads with a strip of their own. */
const OWN_STRIPS = 11;
/** Pixels, on a common screen. */
const STRIP_HEIGHT = 18;

/** A strip for each thread that ran a function: its share of the function, first and last moment, and course over time. */
export class FuncStrips {
  readonly root = element('section', 'chosen-part strips');
  readonly #context: ViewContext;
  readonly #labels = element('ol', 'strip-labels');
  readonly #picture = new TrackPicture();
  readonly #plot = element('div', 'strip-plot', this.#picture.root);
  readonly #rows = element('div', 'strip-rows', this.#labels, this.#plot);
  readonly #note = element('p', 'quiet-text');
  readonly #ask: (params: TracksParams | null) => boolean;
  /** Pixels of the plot: to ask for them among changes takes a layout. */
  #width = 0;
  #func: number | null = null;
  #result: TracksResult | null = null;
  #colours: TrackColours | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.root.append(element('h3', '', 'Who ran it, and when'), this.#rows, this.#note);
    this.#picture.root.setAttribute('aria-hidden', 'true');
    this.#ask = askLatest(
      context.askAround,
      'tracks',
      (result) => {
        this.#result = result;
        this.#draw();
      },
      (problem) => {
        this.#note.textContent = problem;
      },
    );
    onColoursChange(window, context.store, () => {
      this.#colours = null;
      this.#draw();
    });
    onWidthChange(this.#plot, (width) => {
      this.#width = width;
      if (this.#func !== null) this.show(context.store.get(), this.#func);
    });
  }

  show(state: ViewState, func: number): void {
    this.#func = func;
    const { recording } = this.#context;
    const problem = timeProblem(recording);
    // The room that strips are kept free would push the reason out of sight.
    this.#rows.hidden = problem !== null;
    if (problem !== null) {
      this.#ask(null);
      this.#note.textContent = problem;
      return;
    }
    const width = this.#width;
    if (width === 0) return;
    const window = windowOf(state, recording.endNs);
    const plan = { own: OWN_STRIPS, chosen: [], only: func, lit: null };
    this.#ask(tracksParams(state, window, width, plan));
  }

  #draw(): void {
    const result = this.#result;
    if (result === null) return;
    const { recording } = this.#context;
    const { firstNs, cellNs, length } = result.grid;
    const window = { fromNs: firstNs, toNs: firstNs + cellNs * length };
    const ran = result.tracks.filter(({ weight, waitNs }) => weight > 0 || waitNs > 0);
    const sum = ran.reduce((all, { weight }) => all + weight, 0);
    const names = shortNames(recording.threads);
    const height = Math.round(STRIP_HEIGHT * fontScale());
    this.root.style.setProperty('--strip', `${height}px`);
    replaceKeepingFocus(
      this.#labels,
      ...ran.map((track) => this.#renderLabel(track, result, sum, names)),
    );
    this.#colours ??= readTrackColours(this.root);
    const most = ran.reduce((top, track) => Math.max(top, highestRate(track, result)), 0) || 1;
    const state = this.#context.store.get();
    this.#picture.draw(
      { ...result, tracks: ran },
      {
        window,
        width: this.#width,
        trackHeight: height,
        fullOf: () => most,
        isDimmed: (track) => isLeftOut(track, state),
        colours: this.#colours,
      },
    );
    const full =
      result.unit === 'nanoseconds'
        ? `${formatShare(most)} of ${timeWordOf(result)}`
        : 'the highest rate of any';
    this.#note.textContent =
      ran.length === 0
        ? 'It was not on a CPU in this time.'
        : `${formatSpan(window)}; full height: ${full}`;
  }

  #renderLabel(
    track: Track,
    { unit }: TracksResult,
    sum: number,
    names: ReturnType<typeof shortNames>,
  ): HTMLElement {
    const { store, recording } = this.#context;
    const { rows, weight, busyFromNs, busyToNs } = track;
    const { name, which } = trackName(track, names, recording.threads);
    const share = element('span', 'neighbour-share', formatShare(sum === 0 ? 0 : weight / sum));
    const span = Number.isNaN(busyFromNs) ? '' : formatSpan({ fromNs: busyFromNs, toNs: busyToNs });
    const text = `${longName(track, recording.threads)}: ${formatWeight(weight, unit)}, ${span}`;
    const label = pushButton('link cut-name', `${name}${which}`, () =>
      store.change({ threads: rows, zoom: [] }),
    );
    label.title = `${text}. Click to show nothing else.`;
    label.dataset.key = `strip ${rows[0]}`;
    return element('li', 'strip-label', share, label, element('span', 'where-place', span));
  }
}

/** The chosen range, else what the ruler spans, else all. */
function windowOf({ range, ruler }: ViewState, endNs: number): Range {
  return range ?? ruler ?? { fromNs: 0, toNs: endNs };
}
