import type { EventReport } from '../../../src/period/report/event-report.ts';
import { askLatest } from '../ask.ts';
import { chooser, element, onWidthChange } from '../dom.ts';
import { formatCount } from '../format.ts';
import { reportOfEvent } from '../late-report.ts';
import type { ViewState } from '../state.ts';
import type { TabView } from '../tab-view.ts';
import { onColoursChange } from '../theme.ts';
import { mark } from '../time/marks.ts';
import { clampRange } from '../time/range.ts';
import type { ViewContext } from '../view-context.ts';
import type { PeriodParams, PeriodResult, ShownStream } from '../worker/time-messages.ts';
import { drawPeriodPlots, type PeriodPlots } from './period-plots.ts';
import { renderPeriodWords } from './period-words.ts';

/** How one stream's period went, and what it means. */
export class PeriodTab implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #streams = chooser('Stream', [], (index) => this.#chooseStream(index));
  readonly #note = element('p', 'quiet-text');
  readonly #plotBox = element('div', 'period-plots');
  readonly #legend = element('div', 'legend');
  readonly #words = element('aside', 'period-words');
  readonly #ask: (params: PeriodParams) => boolean;
  #result: PeriodResult | null = null;
  #plots: PeriodPlots | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#plotBox.setAttribute('role', 'img');
    this.#plotBox.setAttribute(
      'aria-label',
      'Period, samples per second and events per second over time. The words beside say the same.',
    );
    this.#words.setAttribute('aria-label', 'What the figures mean');
    // It scrolls, and has nothing else to reach it by.
    this.#words.tabIndex = 0;
    const choice = element('div', 'row', this.#streams.root, this.#note);
    const pictures = element('div', '', choice, this.#plotBox, this.#legend);
    this.root = element('div', 'period-tab', pictures, this.#words);
    this.#ask = askLatest(
      context.ask,
      'period',
      (result) => {
        const { streams, shown } = result;
        this.#result = result;
        this.#streams.setOptions(streams.map(({ label }) => label));
        this.#streams.choose(streams.findIndex(({ stream }) => stream === shown?.stream));
        this.#draw();
      },
      (problem) => {
        this.#note.textContent = problem;
      },
    );
    context.report.onArrival(() => this.#draw());
    onColoursChange(window, context.store, () => this.#draw());
    onWidthChange(this.#plotBox, () => this.#draw());
  }

  show({ event, stream, range }: ViewState): void {
    this.#ask({ event, stream, fromNs: range?.fromNs ?? null, toNs: range?.toNs ?? null });
  }

  #chooseStream(index: number): void {
    this.#context.store.change({ stream: this.#result?.streams[index]?.stream ?? null });
  }

  /** Draws what there is: the streams come from the worker, what they mean from the late report. */
  #draw(): void {
    const { store, report } = this.#context;
    this.#plots?.destroy();
    this.#plots = null;
    this.#legend.replaceChildren();
    const event = reportOfEvent(report, store.get().event);
    if (this.#result !== null && event !== undefined) this.#drawEvent(this.#result, event);
    else this.#drawNothing(event);
  }

  #drawNothing(event: EventReport | undefined): void {
    const { store, recording, report } = this.#context;
    this.#plotBox.hidden = true;
    this.#streams.root.hidden = true;
    const problem = report.problem();
    if (problem !== null) this.#words.replaceChildren(element('p', 'problem', problem));
    if (event === undefined && report.get() !== null) {
      this.#words.replaceChildren();
      const name = recording.events[store.get().event]?.name ?? 'This event';
      this.#note.textContent = `${name} ${NO_PERIOD}`;
    }
  }

  #drawEvent(result: PeriodResult, event: EventReport): void {
    const { streams, shown } = result;
    this.#streams.root.hidden = streams.length < 2;
    // The report's own where it describes the stream: that one has the model and the ledger.
    const described = shown && (event.streams[shown.rank] ?? shown.report);
    this.#words.replaceChildren(...renderPeriodWords(event, described));
    this.#note.textContent = describe(result);
    const hasPeriods = shown !== null && shown.period.timeNs.length > 0;
    this.#plotBox.hidden = !hasPeriods;
    if (hasPeriods && this.#plotBox.clientWidth > 0) this.#drawStream(shown, event);
  }

  #drawStream(stream: ShownStream, event: EventReport): void {
    const { store, recording } = this.#context;
    const { timeNs } = stream.period;
    const [firstNs, lastNs] = [timeNs[0], timeNs[timeNs.length - 1]];
    this.#legend.replaceChildren(...renderLegend(stream, event.targetHz !== null));
    this.#plots = drawPeriodPlots(this.#plotBox, {
      event,
      stream,
      range: store.get().range ?? { fromNs: firstNs, toNs: Math.max(lastNs, firstNs + 1) },
      onRange: (from, to) => store.change({ range: clampRange(from, to, recording.endNs) }),
    });
  }
}

/** The marks that are drawn for this stream. */
function renderLegend(stream: ShownStream, hasTarget: boolean): HTMLElement[] {
  return [
    ...(stream.ramps.length > 0 ? [mark('ramp', 'the kernel searched for the period')] : []),
    ...(stream.throttles.length > 0 ? [mark('throttled', 'the kernel had paused the event')] : []),
    ...(hasTarget ? [element('span', 'legend-entry', 'dashed: the rate asked')] : []),
    ...(stream.settleNs === null
      ? []
      : [element('span', 'legend-entry', 'dotted: the period settled')]),
  ];
}

const NO_PERIOD =
  'has no period of its own: its samples are taken with those of another event, or are context switches.';

function describe({ shown, streams, streamCount }: PeriodResult): string {
  if (shown === null) return 'This event has no samples.';
  const sentences: string[] = [];
  if (streamCount > streams.length) {
    sentences.push(
      `The largest ${formatCount(streams.length)} of ${formatCount(streamCount)} streams.`,
    );
  }
  const { samplesPerRow, timeNs } = shown.period;
  if (timeNs.length === 0) sentences.push('No samples of this stream in the range.');
  else if (samplesPerRow > 1) {
    sentences.push(
      `Each point is the median of ${formatCount(samplesPerRow)} periods, the band their extremes.`,
    );
  }
  return sentences.join(' ');
}
