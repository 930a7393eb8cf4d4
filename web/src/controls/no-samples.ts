import { formatCount, formatWeight } from '../ask/format.ts';
import { emptyState } from '../dom/dom.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import { formatRange } from '../time/range.ts';

/** All filters that take samples away, taken back. */
const ALL: Partial<ViewState> = {
  threads: [],
  pid: null,
  cpu: null,
  inTurnsOver: null,
  range: null,
  focus: null,
  focusDso: null,
  hidden: [],
  hiddenDsos: [],
  zoom: [],
};

/** The text in place of a view of nothing: why there are no samples, and how to see some. */
export function renderNoSamples(context: ViewContext, state: ViewState): HTMLElement {
  const { store, recording } = context;
  const event = recording.events[state.event];
  if (event === undefined || event.samples === 0) return emptyState(describeNone(context, state));
  const filters = filtersOf(context, state);
  const text =
    filters.length === 0
      ? `No sample of ${event.name} is left.`
      : `No sample of ${event.name} is left: ${filters.join(', ')}.`;
  return emptyState(text, { label: 'Show all samples', go: () => store.change(ALL) });
}

function describeNone({ recording }: ViewContext, { event: index }: ViewState): string {
  const event = recording.events[index];
  if (event === undefined) return 'The recording has no samples.';
  const none = `The recording has no samples of ${event.name}`;
  const { lostSamples, counted, unit } = event;
  if (lostSamples > 0) {
    return (
      `${none}: all ${formatCount(lostSamples)} were lost, as the kernel had no room to write them. ` +
      'A larger buffer (record -m) or a lower rate (-F) helps.'
    );
  }
  if (counted !== null && counted > 0) {
    return (
      `${none}, though ${formatWeight(counted, unit)} were counted: fewer than lie between two ` +
      'samples. A shorter period (record -c) or a higher rate (-F) helps.'
    );
  }
  return `${none}: it did not happen while it was recorded.`;
}

/** The filters that are set, in words. */
function filtersOf({ recording }: ViewContext, state: ViewState): string[] {
  const filters: string[] = [];
  if (state.pid !== null) filters.push(`process ${state.pid} only`);
  if (state.threads.length > 0) {
    filters.push(`${state.threads.map((row) => nameThread(recording, row)).join(', ')} only`);
  }
  if (state.cpu !== null) filters.push(`CPU ${state.cpu} only`);
  if (state.inTurnsOver !== null) filters.push(`turns over ${state.inTurnsOver} ms only`);
  if (state.range !== null) filters.push(`from ${formatRange(state.range)} only`);
  const func = (index: number) => recording.funcNames[index] ?? 'an unknown function';
  const dso = (index: number) => recording.dsoNames[index] ?? 'an unknown DSO';
  if (state.focus !== null) filters.push(`stacks with ${func(state.focus)} only`);
  if (state.focusDso !== null) filters.push(`stacks with DSO ${dso(state.focusDso)} only`);
  if (state.hidden.length > 0) filters.push(`without ${state.hidden.map(func).join(', ')}`);
  if (state.hiddenDsos.length > 0) filters.push(`without ${state.hiddenDsos.map(dso).join(', ')}`);
  return filters;
}

function nameThread({ threads }: ViewContext['recording'], row: number): string {
  const thread = threads[row];
  if (thread === undefined) return 'a thread that this recording does not have';
  return `thread ${thread.name} (tid ${thread.tid})`;
}
