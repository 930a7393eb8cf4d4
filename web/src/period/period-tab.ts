import { askLatest } from '../ask.ts';
import { chooser, element } from '../dom.ts';
import { formatCount } from '../format.ts';
import { reportOfEvent } from '../late-report.ts';
import type { TabView } from '../tab-view.ts';
import { onColoursChange } from '../theme.ts';
import { mark } from '../time/marks.ts';
import { clampRange } from '../time/range.ts';
import type { ViewContext } from '../view-context.ts';
import type { PeriodResult, ShownStream } from '../worker/time-messages.ts';
import { drawPeriodPlots, type PeriodPlots } from './period-plots.ts';
import { renderPeriodWords } from './period-words.ts';

/** How one stream's period went, and what it means. */
export function createPeriodTab({ store, ask, recording, report }: ViewContext): TabView {
  const plotBox = element('div', 'period-plots');
  const words = element('aside', 'period-words');
  words.setAttribute('aria-label', 'What the figures mean');
  // It scrolls, and has nothing else to reach it by.
  words.tabIndex = 0;
  const note = element('p', 'quiet-text');
  const legend = element('div', 'legend');
  let result: PeriodResult | null = null;
  let plots: PeriodPlots | null = null;
  const streams = chooser('Stream', [], (index) => {
    store.change({ stream: result?.streams[index]?.stream ?? null });
  });
  const root = element(
    'div',
    'period-tab',
    element('div', '', element('div', 'row', streams.root, note), plotBox, legend),
    words,
  );

  const question = askLatest(
    ask,
    'period',
    (answer) => {
      result = answer;
      streams.setOptions(answer.streams.map(({ label }) => label));
      streams.choose(answer.streams.findIndex(({ stream }) => stream === answer.shown?.stream));
      draw();
    },
    (problem) => {
      note.textContent = problem;
    },
  );

  function draw(): void {
    plots?.destroy();
    plots = null;
    const index = store.get().event;
    const event = reportOfEvent(report, index);
    const problem = report.problem();
    if (problem !== null) words.replaceChildren(element('p', 'problem', problem));
    plotBox.hidden = result === null || event === undefined;
    streams.root.hidden = plotBox.hidden || (result?.streams.length ?? 0) < 2;
    legend.replaceChildren();
    if (event === undefined && report.get() !== null) {
      words.replaceChildren();
      note.textContent = `${recording.events[index]?.name ?? 'This event'} ${NO_PERIOD}`;
    }
    if (result === null || event === undefined) return;
    const { shown, streamCount } = result;
    // The report's own where it describes the stream: that one has the model and the ledger.
    const stream = shown && (event.streams[shown.rank] ?? shown.report);
    words.replaceChildren(...renderPeriodWords(event, stream));
    note.textContent = describe(result, streamCount);
    plotBox.hidden = shown === null || shown.period.timeNs.length === 0;
    if (shown === null || plotBox.hidden || plotBox.clientWidth === 0) return;
    const [firstNs, lastNs] = [shown.period.timeNs[0], shown.period.timeNs.at(-1)!];
    plotBox.setAttribute('role', 'img');
    plotBox.setAttribute(
      'aria-label',
      'Period, samples per second and events per second over time. The words beside say the same.',
    );
    legend.replaceChildren(...renderLegend(shown, event.targetHz !== null));
    plots = drawPeriodPlots(plotBox, {
      event,
      stream: shown,
      range: store.get().range ?? { fromNs: firstNs, toNs: Math.max(lastNs, firstNs + 1) },
      onRange: (from, to) => store.change({ range: clampRange(from, to, recording.endNs) }),
    });
  }

  report.onArrival(draw);
  onColoursChange(window, store, draw);
  let drawnWidth = 0;
  new ResizeObserver(() => {
    if (plotBox.clientWidth === drawnWidth) return;
    drawnWidth = plotBox.clientWidth;
    draw();
  }).observe(plotBox);
  return {
    root,
    show({ event, stream, range }) {
      question({
        event,
        stream,
        fromNs: range?.fromNs ?? null,
        toNs: range?.toNs ?? null,
      });
    },
  };
}

/** The marks that are drawn for this stream. */
function renderLegend(stream: ShownStream, hasTarget: boolean): HTMLElement[] {
  return [
    ...(stream.ramps.length > 0 ? [mark('ramp', 'the kernel searched for the period')] : []),
    ...(stream.throttles.length > 0 ? [mark('throttled', 'the kernel had paused the event')] : []),
    ...(hasTarget ? [element('span', 'legend-entry', 'dashed: the rate asked')] : []),
    ...(stream.settleNs === null
      ? []
      : [element('span', 'legend-entry', 'dotted: the period came to rest')]),
  ];
}

const NO_PERIOD =
  'has no period of its own: its samples are taken with those of another event, or are context switches.';

function describe({ shown, streams }: PeriodResult, streamCount: number): string {
  if (shown === null) return 'This event has no samples.';
  const said: string[] = [];
  if (streamCount > streams.length) {
    said.push(`The largest ${formatCount(streams.length)} of ${formatCount(streamCount)} streams.`);
  }
  const { samplesPerRow, timeNs } = shown.period;
  if (timeNs.length === 0) said.push('No samples of this stream in the range.');
  else if (samplesPerRow > 1) {
    said.push(
      `Each point is the median of ${formatCount(samplesPerRow)} periods, the band their extremes.`,
    );
  }
  return said.join(' ');
}
