import { element, emptyState } from '../dom.ts';
import type { TabView } from '../tab-view.ts';
import type { ViewContext } from '../view-context.ts';
import { HeatMap } from './heat-map.ts';
import { Lanes } from './lanes.ts';
import { renderMarkLegend } from './marks.ts';
import { timeProblem } from './time-problem.ts';

/** Threads over time and the heat map, one below the other. */
export function createTimeTab(context: ViewContext): TabView {
  const problem = timeProblem(context.recording);
  if (problem !== null) return { root: emptyState(problem), show() {} };
  const lanes = new Lanes(context);
  const heatMap = new HeatMap(context);
  return {
    root: element('div', 'time-tab', renderMarkLegend(), lanes.root, heatMap.root),
    keys: heatMap.keys,
    show(state) {
      lanes.show();
      heatMap.show(state);
    },
  };
}
