import type { PageFile } from '../../../src/formats/export/page-profile.ts';
import { element } from '../dom.ts';
import { createFilters } from '../filters.ts';
import { FlameView } from '../flame/flame-view.ts';
import { createFramesSwitch, nextFrames } from '../frame-levels.ts';
import type { LateReport } from '../late-report.ts';
import { createLinks } from '../links.ts';
import { PeriodTab } from '../period/period-tab.ts';
import { createRecordingHeader } from '../recording-header.ts';
import { createShell } from '../shell.ts';
import { DEFAULT_STATE } from '../state.ts';
import { createStore } from '../store.ts';
import type { TabDefinition } from '../tab-view.ts';
import { CallTreeView } from '../tables/call-tree-view.ts';
import { DiffView } from '../tables/diff-view.ts';
import { SourceView } from '../tables/source-view.ts';
import { TableView } from '../tables/table-view.ts';
import { nextTheme } from '../theme.ts';
import { fittingColumnNs } from '../time/heat-map.ts';
import { rangeKeys } from '../time/range.ts';
import { Strip } from '../time/strip.ts';
import { createTimeTab } from '../time/time-tab.ts';
import type { ViewContext } from '../view-context.ts';
import { createWeightSwitch, nextWeight } from '../weights.ts';
import type { OpenResult } from '../worker/messages.ts';
import type { AskWorker } from '../worker-client.ts';

/** Builds the page of an opened recording. */
export function createProfilePage(
  page: Document,
  ask: AskWorker,
  recording: OpenResult,
  report: LateReport,
  file: PageFile,
  other: PageFile | null,
): ViewContext {
  const store = createStore(window, {
    ...DEFAULT_STATE,
    weight: recording.head.firstWeight,
    frames: recording.head.firstFrames ?? 'all',
    heatColumnNs: fittingColumnNs(recording.endNs),
  });
  // A link may come from another recording.
  if (recording.events[store.get().event] === undefined) store.change({ event: 0 }, 'adjust');
  const context: ViewContext = { store, ask, recording, report, file, other };
  page.title = recording.head.title || 'perf-ts';
  const controls = element(
    'section',
    'control-bar',
    createFilters(context),
    createWeightSwitch(context),
  );
  controls.setAttribute('aria-label', 'Samples and weight shown');
  const header = createRecordingHeader(context);
  header.append(createLinks(file));
  createShell(page, {
    store,
    header,
    controls: [controls, new Strip(context).root],
    tabs: tabsOf(context),
    choices: createFramesSwitch(context),
    keys: [
      { key: 'w', does: 'next weight', run: () => store.change({ weight: nextWeight(context) }) },
      {
        key: 'j',
        does: 'next of all frames, JavaScript, my code',
        run: () => store.change(nextFrames(context)),
      },
      ...rangeKeys(store, recording.endNs),
      {
        key: 't',
        does: 'theme',
        run: () => store.change({ theme: nextTheme(store.get()) }, 'adjust'),
      },
    ],
  });
  return context;
}

function tabsOf(context: ViewContext): readonly TabDefinition[] {
  return [
    { id: 'flame', label: 'Flame graph', create: () => new FlameView(context) },
    { id: 'table', label: 'Table', create: () => new TableView(context) },
    { id: 'tree', label: 'Call tree', create: () => new CallTreeView(context) },
    { id: 'time', label: 'Time', create: () => createTimeTab(context) },
    { id: 'period', label: 'Period', create: () => new PeriodTab(context) },
    { id: 'source', label: 'Source', create: () => new SourceView(context) },
    {
      id: 'diff',
      label: 'Diff',
      unavailable: context.other === null ? 'perf-ts view NEW OLD compares two recordings' : null,
      create: () => new DiffView(context),
    },
  ];
}
