import type { FlameGraphData } from '../../src/export/flame-graph-data.ts';
import { chooser, element, switcher } from './dom.ts';
import { drawFlameChart, type FlameChart } from './flame-chart.ts';
import { formatShare, formatWeight } from './format.ts';
import { renderFigures } from './header.ts';
import { describePruning, renderLegend } from './legend.ts';
import { matchLabels, parseQuery, sumMatches } from './search.ts';

/** What is being shown; every change of it goes through `redraw`. */
type State = {
  eventIndex: number;
  viewIndex: number;
  tree: 'callees' | 'callers';
  shape: 'flame' | 'icicle';
};

/** Builds the flame graph's view inside of `body` and keeps it in step with what the person does. */
export function createPage(data: FlameGraphData, body: HTMLElement): void {
  const state: State = { eventIndex: 0, viewIndex: 0, tree: 'callees', shape: 'flame' };
  if (data.events.length === 0) {
    body.append(element('p', 'empty', 'No samples were recorded.'));
    return;
  }

  const figures = element('dl', 'figures');
  const chartBox = element('div', 'chart');
  const legend = element('div', 'legend');
  const pruned = element('p', 'pruned');
  const search = element('input');
  search.type = 'search';
  search.placeholder = 'Search: text or /regular expression/';
  search.setAttribute('aria-label', 'Search frames');
  const searchResult = element('output', 'search-result');
  const reset = element('button', 'reset', 'Reset zoom');
  reset.type = 'button';
  reset.disabled = true;

  const events = chooser(
    'Event',
    data.events.map((event) => event.name),
    (index) => {
      state.eventIndex = index;
      state.viewIndex = 0;
      views.setOptions(viewTitles());
      redraw();
    },
  );
  const event = () => data.events[state.eventIndex]!;
  const view = () => event().views[state.viewIndex]!;
  const viewTitles = () =>
    event().views.map(({ title, weight }, index) =>
      index === 0
        ? title
        : `${title} — ${formatShare(weight / Math.max(event().views[0]!.weight, 1e-9))}`,
    );
  const views = chooser('Thread', viewTitles(), (index) => {
    state.viewIndex = index;
    redraw();
  });
  const trees = switcher(
    'Tree',
    [
      { value: 'callees', label: 'Callees', hint: 'From the outermost function inwards' },
      { value: 'callers', label: 'Callers', hint: 'From where the weight was spent outwards' },
    ],
    state.tree,
    (tree) => {
      state.tree = tree;
      redraw();
    },
  );
  const shapes = switcher(
    'Shape',
    [
      { value: 'flame', label: 'Flame', hint: 'The root at the bottom' },
      { value: 'icicle', label: 'Icicle', hint: 'The root on top' },
    ],
    state.shape,
    (shape) => {
      state.shape = shape;
      redraw();
    },
  );

  body.append(
    figures,
    element(
      'div',
      'controls',
      events.root,
      views.root,
      trees,
      shapes,
      reset,
      element('div', 'search', searchResult, search),
    ),
    legend,
    chartBox,
    pruned,
    element('p', 'keys', 'Click a frame to zoom. / or Ctrl-F searches, Esc resets.'),
  );

  let chart: FlameChart | null = null;

  function redraw(): void {
    chart?.destroy();
    const shown = view();
    figures.replaceChildren(...renderFigures(event(), shown));
    legend.replaceChildren(...renderLegend(data, shown));
    pruned.textContent = [
      describePruning(shown, state.tree === 'callers'),
      event().threadsWithoutView > 0
        ? `${event().threadsWithoutView} lighter threads are only in "all threads".`
        : '',
    ].join(' ');
    chartBox.replaceChildren();
    reset.disabled = true;
    chart = drawFlameChart(chartBox, {
      data,
      unit: event().unit,
      view: shown,
      tree: shown[state.tree],
      isIcicle: state.shape === 'icicle',
      width: chartBox.clientWidth,
      onZoom: (node) => {
        reset.disabled = node.row < 0;
      },
    });
    if (state.shape === 'flame') chartBox.scrollTop = chartBox.scrollHeight;
    showMatches();
  }

  function showMatches(): void {
    const query = parseQuery(search.value);
    if (query === null) {
      searchResult.textContent = '';
      chart?.highlight(null);
      return;
    }
    const isMatch = matchLabels(data.labels.name, query);
    const shown = view();
    const { weight, rows } = sumMatches(shown[state.tree], isMatch);
    const share = shown.weight === 0 ? 0 : weight / shown.weight;
    const problem = query.problem === null ? '' : ` (${query.problem})`;
    searchResult.textContent =
      rows === 0
        ? `no match${problem}`
        : `matched ${formatShare(share)} · ${formatWeight(weight, event().unit)}${problem}`;
    chart?.highlight(isMatch);
  }

  function resetZoom(): void {
    chart?.resetZoom();
    reset.disabled = true;
  }

  reset.addEventListener('click', resetZoom);
  search.addEventListener('input', showMatches);
  document.addEventListener('keydown', (key) => {
    const isFind = (key.ctrlKey || key.metaKey) && key.key === 'f';
    if (isFind || (key.key === '/' && document.activeElement !== search)) {
      key.preventDefault();
      search.focus();
      search.select();
    } else if (key.key === 'Escape') {
      search.value = '';
      search.blur();
      showMatches();
      resetZoom();
    }
  });
  let drawnWidth = 0;
  new ResizeObserver(() => {
    if (chartBox.clientWidth === drawnWidth) return;
    drawnWidth = chartBox.clientWidth;
    redraw();
  }).observe(chartBox);
}
