import type { EventReport } from '../../../src/period/report/event-report.ts';
import { atNextFrame } from '../dom/canvas.ts';
import { element } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import { onColoursChange } from '../shell/theme.ts';
import type { Range } from '../state/state.ts';
import { TimeAxis } from '../state/time-axis.ts';
import type { ViewContext } from '../state/view-context.ts';
import { axisHeight } from '../time/heat-picture.ts';
import { readColours, type TimeColours } from '../time/marks.ts';
import { ShownWindow } from '../tracks/shown-window.ts';
import { TrackGestures } from '../tracks/track-gestures.ts';
import type { ShownStream } from '../worker/messages/time-messages.ts';
import { idleAfter } from './idle.ts';
import { describeMoment, type Moment, momentAt, stepFrom } from './moment.ts';
import { drawPlots } from './plot-picture.ts';

/** Pixels beside a point at which it is still meant. */
const REACH = 4;
/** Part of the axis by which Shift and a key move the cursor. */
const LARGE_STEP = 0.1;

const HOW_TO = 'Point at the plots, or use the arrow keys there, to read their values.';

type Shown = {
  readonly event: EventReport;
  readonly stream: ShownStream;
  readonly idleAfter: ReadonlySet<number>;
};

/**
 * Three plots of one stream over the page's axis of time: the period, samples per second with the rate
 * asked, events per second. They are one slider, whose value is the moment that is read out.
 */
export class PeriodPlots {
  readonly root: HTMLElement;
  readonly keys: readonly KeyBinding[] = [
    {
      key: 'ArrowLeft',
      does: 'plots, with →: to the samples before, behind; Shift: far',
      run: null,
    },
    { key: 'Escape', does: 'plots: read out nothing any more', run: null },
  ];
  readonly #canvas = element('canvas');
  /** The area of the plots, as wide as the axis. */
  readonly #area = element('div', 'plot-area');
  readonly #box = element('div', 'period-plots', this.#canvas, this.#area);
  readonly #readout = element('p', 'plot-readout quiet-text', HOW_TO);
  readonly #window: ShownWindow;
  readonly #gestures: TrackGestures;
  #shown: Shown | null = null;
  #colours: TimeColours | null = null;
  /** The moment that is read out. */
  #cursorNs: number | null = null;
  #isCursorOfKeys = false;
  readonly drawSoon = atNextFrame(() => this.#draw());

  constructor(context: ViewContext) {
    this.root = element('div', '', this.#readout, this.#box);
    this.#window = new ShownWindow(context, this.drawSoon);
    this.#gestures = new TrackGestures(context, this.#window, this.#area, this.drawSoon);
    this.#area.tabIndex = 0;
    this.#area.setAttribute('role', 'slider');
    this.#area.setAttribute(
      'aria-label',
      'Period, samples per second and events per second over time',
    );
    this.#gestures.listen(this.#area, 'plot');
    this.#area.addEventListener('pointermove', ({ offsetX }) => this.#follow(offsetX));
    this.#area.addEventListener('pointerleave', () => this.#leave());
    this.#area.addEventListener('keydown', (event) => this.#followKey(event));
    onColoursChange(window, context.store, () => {
      this.#colours = null;
      this.drawSoon();
    });
    new ResizeObserver(this.drawSoon).observe(this.#box);
  }

  show(event: EventReport, stream: ShownStream): void {
    if (this.#shown?.stream !== stream) {
      this.#shown = { event, stream, idleAfter: idleAfter(stream.period.timeNs) };
    }
    this.root.hidden = false;
    this.drawSoon();
  }

  hide(): void {
    this.#shown = null;
    this.root.hidden = true;
  }

  #draw(): void {
    if (this.#shown === null || this.#area.clientWidth === 0) return;
    this.#colours ??= readColours(this.root);
    this.#area.style.bottom = `${axisHeight()}px`;
    const axis = this.#axis();
    const cursor = this.#moment(this.#shown, axis);
    drawPlots(this.#canvas, {
      ...this.#shown,
      axis,
      height: this.#box.clientHeight,
      range: this.#gestures.range,
      cursor,
      colours: this.#colours,
    });
    this.#notify(this.#shown, axis, cursor);
  }

  #notify({ event, stream }: Shown, axis: TimeAxis, cursor: Moment | null): void {
    const text = cursor === null ? HOW_TO : describeMoment(stream, event, cursor, axis.nsPerPixel);
    if (this.#readout.textContent !== text) this.#readout.textContent = text;
    const seconds = (ns: number) => (ns / 1e9).toFixed(6);
    this.#area.setAttribute('aria-valuemin', seconds(axis.fromNs));
    this.#area.setAttribute('aria-valuemax', seconds(axis.toNs));
    this.#area.setAttribute('aria-valuenow', seconds(cursor?.atNs ?? axis.fromNs));
    this.#area.setAttribute('aria-valuetext', text);
  }

  #moment({ stream, idleAfter }: Shown, axis: TimeAxis): Moment | null {
    const atNs = this.#readNs(axis);
    return atNs === null ? null : momentAt(stream, idleAfter, atNs, REACH * axis.nsPerPixel);
  }

  /** The moment that is read out; null where it is not drawn. */
  #readNs({ fromNs, toNs }: Range): number | null {
    const atNs = this.#cursorNs;
    return atNs === null || atNs < fromNs || atNs > toNs ? null : atNs;
  }

  /** The axis on the canvas. */
  #axis(): TimeAxis {
    return new TimeAxis(this.#area.offsetLeft, this.#area.clientWidth, this.#window.get());
  }

  #follow(offsetX: number): void {
    const axis = this.#axis();
    const atNs = axis.nsAt(axis.left + offsetX);
    this.#read(Math.min(axis.toNs, Math.max(axis.fromNs, atNs)), false);
  }

  #leave(): void {
    if (!this.#isCursorOfKeys) this.#read(null, false);
  }

  #read(atNs: number | null, isOfKeys: boolean): void {
    this.#cursorNs = atNs;
    this.#isCursorOfKeys = isOfKeys;
    this.drawSoon();
  }

  #followKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const axis = this.#axis();
    const large = axis.spanNs * LARGE_STEP;
    const step = event.shiftKey ? large : axis.nsPerPixel;
    const by = { ArrowLeft: -step, ArrowRight: step, PageUp: -large, PageDown: large }[event.key];
    if (event.key === 'Home') this.#step(null, axis.nsPerPixel, axis);
    else if (event.key === 'End') this.#step(null, -axis.nsPerPixel, axis);
    else if (by !== undefined) this.#step(this.#readNs(axis), by, axis);
    else if (event.key === 'Escape' && this.#cursorNs !== null) this.#read(null, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #step(fromNs: number | null, byNs: number, axis: TimeAxis): void {
    if (this.#shown === null) return;
    const { timeNs } = this.#shown.stream.period;
    const row = stepFrom(timeNs, fromNs, byNs, axis);
    if (row >= 0) this.#read(timeNs[row], true);
  }
}
