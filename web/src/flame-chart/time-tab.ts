import { element, emptyState, replaceKeepingFocus, switcher } from '../dom/dom.ts';
import type { TabView } from '../shell/tab-view.ts';
import type { ViewState } from '../state/state.ts';
import type { ViewContext } from '../state/view-context.ts';
import { HeatMap } from '../time/heat-map.ts';
import { timeProblem } from '../time/time-problem.ts';
import { TimeChart } from './time-chart.ts';
import './chart.css';

const MODES = [
  { value: 'chart', label: 'Chart', hint: 'What one thread did, in the order of time' },
  { value: 'heat', label: 'Heat map', hint: 'Parts of a second: what repeats, and when' },
] as const;

/** The flame chart of a thread, or the heat map. */
export function createTimeTab(context: ViewContext): TabView {
  const root = element('div', 'time-panel');
  let tab: TimeTab | null = null;
  return {
    root,
    get keys() {
      return tab?.keys ?? [];
    },
    show(state) {
      if (tab === null) {
        // Of a live recording there may be something later.
        const problem = timeProblem(context.recording);
        root.replaceChildren(...(problem === null ? [] : [emptyState(problem)]));
        if (problem !== null) return;
        tab = new TimeTab(context);
        root.append(tab.root);
      }
      tab.show(state);
    },
    hide: () => tab?.hide(),
  };
}

class TimeTab implements TabView {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #mode = element('div');
  readonly #chart: TimeChart;
  readonly #heatMap: HeatMap;
  readonly #heat: HTMLElement;
  readonly #chooser: HTMLElement;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#chart = new TimeChart(context);
    this.#heatMap = new HeatMap(context);
    this.#chooser = element('div', 'chart-tools', this.#chart.chooser);
    this.#heat = element('div', 'time-heat', this.#heatMap.root);
    this.root = element(
      'div',
      'time-tab',
      element('div', 'time-mode', this.#mode, this.#chooser),
      this.#chart.root,
      this.#heat,
    );
  }

  get keys() {
    const { timeView } = this.#context.store.get();
    return timeView === 'chart' ? this.#chart.keys : this.#heatMap.keys;
  }

  show(state: ViewState): void {
    const { store } = this.#context;
    const isChart = state.timeView === 'chart';
    const choose = (timeView: ViewState['timeView']) => store.change({ timeView });
    replaceKeepingFocus(this.#mode, switcher('Over time', MODES, state.timeView, choose));
    this.#chart.root.hidden = !isChart;
    this.#chooser.hidden = !isChart;
    this.#heat.hidden = isChart;
    if (isChart) this.#chart.show(state);
    else this.#heatMap.show(state);
  }

  hide(): void {
    this.#chart.hide();
  }
}
