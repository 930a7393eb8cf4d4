import { areLossesKnown } from '../../../src/findings/finding.ts';
import type { EventReport } from '../../../src/period/report/event-report.ts';
import { askLatest } from '../ask/ask.ts';
import { formatCount, formatNanos } from '../ask/format.ts';
import { reportOfEvent } from '../ask/late-report.ts';
import { chooser, element } from '../dom/dom.ts';
import type { KeyBinding } from '../dom/keys.ts';
import type { ViewState } from '../state/state.ts';
import { windowOf } from '../state/time-axis.ts';
import type { ViewContext } from '../state/view-context.ts';
import { mark } from '../time/marks.ts';
import { rulerOf } from '../tracks/window-moves.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import type { PeriodParams, PeriodResult, ShownStream } from '../worker/messages/time-messages.ts';
import { PeriodPlots } from './period-plots.ts';
import { renderPeriodWords } from './period-words.ts';

/** How one stream's period went, and what it means: three plots where it moved, else a sentence. */
export class StreamCourse {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #streams = chooser('Stream', [], (index) => this.#chooseStream(index));
  readonly #note = element('p', 'quiet-text');
  readonly #plots: PeriodPlots;
  readonly #legend = element('div', 'legend');
  readonly #words = element('aside', 'period-words');
  readonly #ask: (params: PeriodParams) => boolean;
  #result: PeriodResult | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#plots = new PeriodPlots(context);
    this.#plots.hide();
    this.#words.setAttribute('aria-label', 'What the figures mean');
    const choice = element('div', 'row', this.#streams.root, this.#note);
    this.root = element(
      'div',
      'period-course',
      choice,
      this.#plots.root,
      this.#legend,
      this.#words,
    );
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
  }

  get keys(): readonly KeyBinding[] {
    return this.#plots.keys;
  }

  show(state: ViewState): void {
    const { recording } = this.#context;
    const { event, stream } = state;
    const window = windowOf(recording, state);
    // All of the recording is all of the stream: its rates get slices that fit it.
    const { fromNs, toNs } = rulerOf(window, recording.endNs) ?? { fromNs: null, toNs: null };
    if (!this.#ask({ event, stream, fromNs, toNs })) this.#plots.drawSoon();
  }

  #chooseStream(index: number): void {
    this.#context.store.change({ stream: this.#result?.streams[index]?.stream ?? null });
  }

  /** Draws what there is: the streams come from the worker, what they mean from the late report. */
  #draw(): void {
    const { store, report } = this.#context;
    this.#legend.replaceChildren();
    const event = reportOfEvent(report, store.get().event);
    if (this.#result !== null && event !== undefined) this.#drawEvent(this.#result, event);
    else this.#drawNothing(event);
  }

  #drawNothing(event: EventReport | undefined): void {
    const { store, recording, report } = this.#context;
    this.#plots.hide();
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
    const { recording, report } = this.#context;
    const { streams, shown } = result;
    const nothing = describeNothing(recording, event);
    this.#streams.root.hidden = nothing !== null || streams.length < 2;
    if (nothing !== null) {
      this.#plots.hide();
      this.#words.replaceChildren();
      this.#note.textContent = nothing;
      return;
    }
    // The report's own where it describes the stream: that one has the model and the ledger.
    const described = shown && (event.streams[shown.rank] ?? shown.report);
    const findings = report.get()?.findings ?? [];
    this.#words.replaceChildren(...renderPeriodWords(event, described, areLossesKnown(findings)));
    this.#note.textContent = describe(result);
    if (shown === null || shown.period.timeNs.length === 0) {
      this.#plots.hide();
      return;
    }
    this.#legend.replaceChildren(...renderLegend(shown, event.targetHz !== null));
    this.#plots.show(event, shown);
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

/** Why there is nothing to plot; null where there is. */
function describeNothing(
  { areLossesKnown, endNs }: OpenResult,
  { mode, event, samples, streams }: EventReport,
): string | null {
  if (samples === 0) return `${event} has no samples.`;
  if (!areLossesKnown && endNs === 0)
    return 'Text of another tool does not say at which periods samples were taken.';
  if (mode !== 'clock') return null;
  const [period] = streams[0]?.firstPeriods ?? [];
  const every = period > 0 ? ` each ${formatNanos(period)} of CPU time` : '';
  return `${event} is a clock: the kernel takes a sample${every}, so there is no period that could move.`;
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
  if (timeNs.length === 0) sentences.push('No samples of this stream in the time that is drawn.');
  else if (samplesPerRow > 1) {
    sentences.push(
      `Each point is the median of ${formatCount(samplesPerRow)} periods, the band their extremes.`,
    );
  }
  return sentences.join(' ');
}
