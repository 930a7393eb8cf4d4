import { askLatest } from '../ask/ask.ts';
import { formatNanos } from '../ask/format.ts';
import { fitCanvas } from '../dom/canvas.ts';
import { element } from '../dom/dom.ts';
import type { PopoverButton } from '../dom/popover.ts';
import { Tooltip } from '../dom/tooltip.ts';
import type { TimeAxis } from '../state/time-axis.ts';
import type { ViewContext } from '../state/view-context.ts';
import type { Lane, LaneItem, LanesParams } from '../worker/messages/lane-messages.ts';
import { createLaneList } from './lane-list.ts';
import { type LaneColours, paintLane } from './lane-paint.ts';
import { describeLane, describeLanesAt, laneItemAt, laneRemark, longestOf } from './lane-words.ts';
import { changeToSpan } from './window-moves.ts';

/** Pixels beside a thing at which it is still meant. */
const REACH = 2;
/** Pixels; what is dragged over fewer is a click. */
const LEAST_DRAGGED = 3;

/**
 * Rows above the tracks: turns of event loops, requests and what else programs named, and collections of garbage, of the
 * threads that are shown. A click on a thing shows its time in the flame chart of its thread; a title lists the longest.
 */
export class Lanes {
  readonly labels = element('div', 'lane-labels');
  readonly plot = element('div', 'lane-plot');
  readonly #context: ViewContext;
  readonly #canvas = element('canvas');
  readonly #tooltip = new Tooltip();
  readonly #ask: (params: LanesParams) => boolean;
  #lists: readonly PopoverButton[] = [];
  #lanes: readonly Lane[] = [];
  #axis: TimeAxis | null = null;

  constructor(context: ViewContext, onAnswer: () => void) {
    this.#context = context;
    this.plot.append(this.#canvas);
    this.#canvas.setAttribute('role', 'img');
    this.#ask = askLatest(
      context.ask,
      'lanes',
      (lanes) => {
        this.#lanes = lanes;
        this.#describe();
        onAnswer();
      },
      (problem) => {
        this.plot.title = problem;
      },
    );
    let pressedAt = 0;
    this.plot.addEventListener('pointerdown', ({ clientX }) => {
      pressedAt = clientX;
      this.#tooltip.hide();
    });
    this.plot.addEventListener('pointermove', (event) => this.#hover(event));
    this.plot.addEventListener('pointerleave', () => this.#tooltip.hide());
    this.plot.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - pressedAt) < LEAST_DRAGGED) this.#click(event);
    });
  }

  request(params: LanesParams): void {
    this.#ask(params);
  }

  draw(axis: TimeAxis, colours: LaneColours): void {
    this.#axis = axis;
    const height = this.plot.clientHeight / Math.max(1, this.#lanes.length);
    const context = fitCanvas(this.#canvas, axis.width, height * this.#lanes.length);
    if (context === null) return;
    for (const [index, lane] of this.#lanes.entries()) {
      paintLane(context, lane, axis, { top: index * height, height }, colours);
    }
  }

  /** Titles keep the focus: they are made once for each set of lanes. */
  #describe(): void {
    if (this.#lists.length !== this.#lanes.length) {
      this.#lists = this.#lanes.map(({ title }, index) =>
        createLaneList(
          this.#context,
          title,
          () => this.#lanes[index],
          (item) => this.#show(item),
        ),
      );
      this.labels.replaceChildren(...this.#lists.map(({ root }) => root));
    }
    for (const [index, lane] of this.#lanes.entries()) {
      const { button } = this.#lists[index];
      const longest = longestOf(lane);
      const figure = longest > 0 ? ` · ≤ ${formatNanos(longest)}` : '';
      button.replaceChildren(lane.title, element('span', 'track-figure', figure));
      button.title = `${describeLane(lane)}. ${laneRemark(lane)}. Click to list the longest.`;
    }
    this.#canvas.setAttribute('aria-label', this.#lanes.map(describeLane).join('; '));
  }

  #hover({ offsetX, offsetY, clientX, clientY, buttons }: PointerEvent): void {
    const lane = this.#laneAt(offsetY);
    const [text] = lane && buttons === 0 ? describeLanesAt([lane], ...this.#momentAt(offsetX)) : [];
    if (lane === undefined || text === undefined) this.#tooltip.hide();
    else {
      const line = { term: '', text: 'click: in the flame chart of its thread' };
      this.#tooltip.showAt(text, [line], { x: clientX, y: clientY });
    }
  }

  #click({ offsetX, offsetY }: MouseEvent): void {
    const lane = this.#laneAt(offsetY);
    const at = lane === undefined ? -1 : laneItemAt(lane, ...this.#momentAt(offsetX));
    if (lane !== undefined && at >= 0) this.#show(lane.longest[at]);
  }

  #show(item: LaneItem): void {
    const { store, recording } = this.#context;
    this.#tooltip.hide();
    store.change({
      tab: 'time',
      timeView: 'chart',
      ...(item.thread >= 0 && { threads: [item.thread] }),
      ...changeToSpan(item, recording.endNs),
    });
  }

  #laneAt(y: number): Lane | undefined {
    return this.#lanes[Math.floor((y / this.plot.clientHeight) * this.#lanes.length)];
  }

  /** A moment on the axis, and how far from it things are still meant. */
  #momentAt(x: number): [atNs: number, withinNs: number] {
    const { nsPerPixel = 0 } = this.#axis ?? {};
    return [this.#axis?.nsAt(x) ?? 0, REACH * nsPerPixel];
  }
}
