import { askLatest } from '../ask/ask.ts';
import { atNextFrame, fontScale } from '../dom/canvas.ts';
import { createDivider } from '../dom/divider.ts';
import { element, pushButton } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import { onColoursChange } from '../shell/theme.ts';
import { tracksParams } from '../state/selection.ts';
import { DEFAULT_STATE, MOST_TRACK_ROWS, type Range, type ViewState } from '../state/state.ts';
import { TimeAxis } from '../state/time-axis.ts';
import type { ViewContext } from '../state/view-context.ts';
import { timeProblem } from '../time/time-problem.ts';
import type { Track, TracksParams, TracksResult } from '../worker/messages/track-messages.ts';
import { Lanes } from './lanes.ts';
import { RangeReadout } from './range-readout.ts';
import { Ruler } from './ruler.ts';
import { ShownWindow } from './shown-window.ts';
import { readTrackColours, type TrackColours } from './track-colours.ts';
import { TrackGestures } from './track-gestures.ts';
import { TrackLabels } from './track-labels.ts';
import { scaleOf, type TrackScale } from './track-names.ts';
import { TrackPicture } from './track-picture.ts';

/** Rows of tracks unless a person asks for more. */
const COMPACT_TRACKS = 4;
/** Threads with a track of their own in the list of all. */
const MOST_TRACKS = 60;
/** Pixels, on a common screen. */
const TRACK_HEIGHT = 16.2;
/** The part of the window that tracks may take when they are dragged. */
const MOST_OF_WINDOW = 0.6;
/** Keys of the state that no track depends on: all others are drawn, or choose samples. */
const OF_VIEWS: ReadonlySet<string> = new Set<keyof ViewState>([
  ...([
    'tab',
    'roots',
    'tree',
    'shape',
    'sort',
    'lens',
    'zoom',
    'search',
    'match',
    'listBy',
  ] as const),
  ...(['tableBy', 'tableSort', 'tableFilter', 'diffSort', 'diffBy', 'treeOpen', 'pane'] as const),
  ...(['code', 'codeBytes', 'sourceFile', 'timeView', 'heatColumnNs', 'heatRows'] as const),
]);
const LOOKED_AT = (Object.keys(DEFAULT_STATE) as (keyof ViewState)[]).filter(
  (key) => !OF_VIEWS.has(key),
);
/** A window that is lower has room for one line. */
const LOW_WINDOW = '(max-height: 499px)';

/**
 * The time line of the page: what each thread did, as shares of a CPU by kind of function. Dragging
 * over it takes the range that all views show, names choose threads, the wheel zooms its axis.
 */
export class Tracks {
  readonly root = element('section', 'tracks');
  readonly keys: readonly KeyBinding[];
  readonly #context: ViewContext;
  readonly #window: ShownWindow;
  readonly #ruler: Ruler;
  readonly #labels: TrackLabels;
  readonly #lanes: Lanes;
  readonly #picture = new TrackPicture();
  readonly #plot = element('div', 'track-plot', this.#picture.root);
  readonly #scroller = element('div', 'track-scroller');
  readonly #allThreads = pushButton('range-button all-threads', 'All threads ×', () =>
    this.#context.store.change({ threads: [], zoom: [] }),
  );
  /** The meaning of the tracks' height where it is not a whole CPU. */
  readonly #top = element('span', 'track-top');
  readonly #before = element('div', 'track-shade');
  readonly #after = element('div', 'track-shade');
  readonly #handles = [element('div', 'range-handle'), element('div', 'range-handle')] as const;
  readonly #overlay = element('div', 'track-overlay');
  readonly #readout: RangeReadout;
  readonly #gestures: TrackGestures;
  readonly #low = window.matchMedia(LOW_WINDOW);
  readonly #ask: (params: TracksParams) => boolean;
  /** Pixels of the plot: to ask for them among changes takes a layout. */
  #width = 0;
  #result: TracksResult | null = null;
  /** The heights of `#result`. */
  #scale: TrackScale | null = null;
  #colours: TrackColours | null = null;
  #isExpanded = false;
  /** Keys of the branches of the list of all threads that are open. */
  readonly #open = new Set<string>();
  #isBegun = false;
  readonly #drawSoon = atNextFrame(() => this.#draw());

  constructor(context: ViewContext) {
    this.#context = context;
    this.#window = new ShownWindow(context, this.#drawSoon);
    this.#ruler = new Ruler(context, this.#window);
    this.#labels = new TrackLabels(context, {
      onExpand: () => this.#expand(!this.#isExpanded),
      onOpen: (key) => {
        if (!this.#open.delete(key)) this.#open.add(key);
        this.#request();
      },
    });
    this.#lanes = new Lanes(context, this.#drawSoon);
    this.#readout = new RangeReadout(context, () =>
      context.store.change({ range: null, ruler: null }),
    );
    this.#gestures = new TrackGestures(context, this.#window, this.#plot, this.#drawSoon);
    this.root.setAttribute('aria-label', 'Threads over time');
    this.#ask = askLatest(
      context.askAround,
      'tracks',
      (result) => this.#take(result),
      (problem) => {
        this.root.title = problem;
      },
    );
    this.keys = this.#ruler.keys;
    this.#begin();
    context.onReplaced(() => (this.#isBegun ? this.#show(context.store.get()) : this.#begin()));
  }

  /** Begins unless nothing has a time: then there are no tracks; of a live recording there may be some later. */
  #begin(): void {
    this.#isBegun = timeProblem(this.#context.recording) === null;
    this.root.hidden = !this.#isBegun;
    if (this.#isBegun) this.#assemble();
  }

  #assemble(): void {
    const { store } = this.#context;
    this.#overlay.append(this.#before, this.#after, ...this.#handles);
    this.#scroller.append(this.#labels.root, this.#plot);
    this.root.append(
      this.#allThreads,
      this.#top,
      this.#ruler.root,
      this.#lanes.labels,
      this.#lanes.plot,
      this.#scroller,
      this.#overlay,
      this.#readout.root,
      this.#createDivider(),
    );
    this.#gestures.listen(this.#plot, 'tracks');
    this.#gestures.listen(this.#lanes.plot, 'tracks');
    this.#gestures.listen(this.#ruler.root, 'ruler');
    this.#gestures.listenToHandle(this.#handles[0], 'fromNs');
    this.#gestures.listenToHandle(this.#handles[1], 'toNs');
    this.root.addEventListener('keydown', (event) => this.#followKey(event));
    document.addEventListener('pointerdown', (event) => {
      if (!this.root.contains(event.target as Node)) this.#expand(false);
    });
    store.subscribe((state, previous) => {
      const changed = LOOKED_AT.filter((key) => state[key] !== previous[key]);
      // Until its part of each track is there, another chosen function changes nothing that is seen.
      if (changed.some((key) => key !== 'func')) this.#show(state);
      else if (changed.length > 0) this.#requestSoon();
    });
    onColoursChange(window, store, () => {
      this.#colours = null;
      this.#drawSoon();
    });
    this.#low.addEventListener('change', () => this.#show(store.get()));
    new ResizeObserver(() => {
      this.#width = this.#plot.clientWidth;
      this.#show(store.get());
    }).observe(this.#plot);
    this.#reserve();
  }

  /** The views below are as high as the window leaves room, so the tracks must not grow later. */
  #reserve(): void {
    const rows = Math.min(this.#rows, this.#active);
    this.root.style.setProperty('--track', `${this.#trackHeight}px`);
    this.root.style.setProperty('--tracks', String(rows));
    this.root.style.setProperty('--lanes', String(this.#laneCount));
  }

  /** Rows below the ruler, the one of all other threads included. */
  get #rows(): number {
    return this.#low.matches ? 1 : (this.#context.store.get().tracks ?? COMPACT_TRACKS);
  }

  /** Lanes have no room in a low window. */
  get #laneCount(): number {
    return this.#low.matches ? 0 : this.#context.recording.lanes.length;
  }

  /** Threads that have samples. */
  get #active(): number {
    return this.#context.recording.threads.filter(({ samples }) => samples > 0).length;
  }

  /** Pixels of a track: fewer of them share the rows that were asked for. */
  get #trackHeight(): number {
    const { tracks } = this.#context.store.get();
    const isShared = tracks !== null && !this.#low.matches && !this.#isExpanded;
    return Math.round(rowHeight() * (isShared ? Math.max(1, tracks / this.#active) : 1));
  }

  #createDivider(): HTMLElement {
    const { store } = this.#context;
    const resize = (rows: number) => {
      const most = Math.floor((MOST_OF_WINDOW * window.innerHeight) / rowHeight());
      const tracks = Math.max(1, Math.min(rows, most, MOST_TRACK_ROWS));
      store.change({ tracks }, 'adjust');
    };
    const divider = createDivider({
      label: 'Height of the threads over time',
      onDrag: (y) =>
        resize(Math.round((y - this.#scroller.getBoundingClientRect().top) / rowHeight())),
      onStep: (by) => resize(this.#rows + by),
      onFit: () => store.change({ tracks: null }, 'adjust'),
    });
    const show = () => divider.setAttribute('aria-valuenow', String(this.#rows));
    store.subscribe(show);
    show();
    return divider;
  }

  #show(state: ViewState): void {
    this.#reserve();
    this.#labels.mark(state);
    this.#allThreads.hidden = state.threads.length === 0;
    this.#requestSoon();
    this.#drawSoon();
  }

  /** The open view asks first: it is what the person waits for. */
  #requestSoon(): void {
    setTimeout(() => this.#request(), 0);
  }

  #request(): void {
    const width = this.#width;
    if (width === 0) return;
    const state = this.#context.store.get();
    const own = this.#ownTracks();
    const tree = this.#isExpanded && { tree: [...this.#open] };
    const plan = { own, chosen: state.threads, only: null, lit: state.func, ...tree };
    this.#ask(tracksParams(state, this.#window.get(), width, plan));
    const { threads, pid } = state;
    if (this.#laneCount > 0) {
      this.#lanes.request({ threads, pid, ...this.#window.get(), pixels: width });
    }
  }

  /** Threads with a track of their own: one row is left for the others. */
  #ownTracks(): number {
    if (this.#isExpanded) return MOST_TRACKS;
    const rows = this.#rows;
    return this.#active <= rows ? rows : rows - 1;
  }

  #take(result: TracksResult): void {
    // Idle CPUs come last, and have a track where there is room.
    const tracks = this.#isExpanded ? result.tracks : result.tracks.slice(0, this.#rows);
    this.#result = { ...result, tracks };
    this.#drawSoon();
    const scale = this.#scaleOf(this.#result);
    this.#scale = scale;
    if (this.#top.textContent !== scale.note) this.#top.textContent = scale.note;
    this.#labels.draw(this.#result, scale, this.#isExpanded);
  }

  #draw(): void {
    const width = this.#width;
    if (width === 0) return;
    this.#colours ??= readTrackColours(this.root);
    const window = this.#window.get();
    const range = this.#gestures.range;
    const state = this.#context.store.get();
    this.#readout.show(state, range, window, this.#window.isWhole);
    const axis = new TimeAxis(0, width, window);
    this.#ruler.draw(axis, range, width - this.#readout.width, this.#colours);
    this.#placeRange(axis, range);
    this.#lanes.draw(axis, this.#colours.lanes);
    if (this.#result === null || this.#scale === null) return;
    this.#picture.draw(this.#result, {
      window,
      width,
      trackHeight: this.#trackHeight,
      fullOf: this.#scale.ofTrack,
      isDimmed: (track) => isLeftOut(track, state),
      colours: this.#colours,
    });
  }

  #scaleOf(result: TracksResult): TrackScale {
    const { firstNs, cellNs, length } = result.grid;
    const { cpus, meta } = this.#context.recording;
    return scaleOf(result, Math.max(1, cpus.length), meta.sampled, {
      fromNs: firstNs,
      toNs: firstNs + cellNs * length,
    });
  }

  /** Shades what is outside of the range, and puts handles at its edges. */
  #placeRange(axis: TimeAxis, range: Range | null): void {
    this.#overlay.hidden = range === null;
    if (range === null) return;
    const inside = (ns: number) => Math.min(axis.width, Math.max(0, axis.xOf(ns)));
    const left = inside(range.fromNs);
    const right = inside(range.toNs);
    this.#before.style.width = `${left}px`;
    this.#after.style.left = `${right}px`;
    for (const [index, ns] of [range.fromNs, range.toNs].entries()) {
      const handle = this.#handles[index];
      handle.hidden = ns < axis.fromNs || ns > axis.toNs;
      handle.style.left = `${inside(ns)}px`;
    }
  }

  #expand(isExpanded: boolean): void {
    if (isExpanded === this.#isExpanded) return;
    this.#isExpanded = isExpanded;
    this.root.classList.toggle('expanded', isExpanded);
    this.#reserve();
    this.#scroller.scrollTop = 0;
    this.#request();
  }

  #followKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !this.#isExpanded) return;
    this.#expand(false);
    event.preventDefault();
    event.stopPropagation();
  }
}

function rowHeight(): number {
  return Math.round(TRACK_HEIGHT * fontScale());
}

/** Tracks of threads that the views do not show stay, dimmed. */
export function isLeftOut({ rows }: Track, { threads }: ViewState): boolean {
  return threads.length > 0 && !rows.some((row) => threads.includes(row));
}
