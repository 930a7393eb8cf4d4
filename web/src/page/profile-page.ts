import type { PageSetup } from '../../../src/formats/export/page-profile.ts';
import { answersTogether } from '../ask/answers-together.ts';
import type { LateReport } from '../ask/late-report.ts';
import type { LatestRecording } from '../ask/latest-recording.ts';
import { SearchBar } from '../controls/search-bar.ts';
import { treeSwitch } from '../controls/tree-switches.ts';
import { element, replaceKeepingFocus } from '../dom/dom.ts';
import { createTimeTab } from '../flame-chart/time-tab.ts';
import { FlameView } from '../flame-graph/flame-view.ts';
import { createHeadBar, titleOf } from '../head/head-bar.ts';
import { createViewMenu } from '../head/view-menu.ts';
import { LiveBar } from '../live/live-bar.ts';
import type { LiveFeed } from '../live/live-feed.ts';
import { createPanels } from '../panel/panels.ts';
import { PeriodTab } from '../period/period-tab.ts';
import { createShell } from '../shell/shell.ts';
import type { TabDefinition } from '../shell/tab-view.ts';
import { nextTheme } from '../shell/theme.ts';
import { createFramesSwitch, nextFrames } from '../state/frame-levels.ts';
import { DEFAULT_STATE, type ViewState } from '../state/state.ts';
import { createStore } from '../state/store.ts';
import type { ViewContext } from '../state/view-context.ts';
import { nextWeight } from '../state/weights.ts';
import { createStatusLine } from '../status/status-line.ts';
import { CallTreeView } from '../tables/call-tree-view.ts';
import { DiffView } from '../tables/diff-view.ts';
import { SourceView } from '../tables/source-view.ts';
import { TableView } from '../tables/table-view.ts';
import { fittingColumnNs } from '../time/heat-map.ts';
import { Tracks } from '../tracks/tracks.ts';
import type { AskWorker } from '../worker/messages/requests.ts';
import { firstRoots } from '../worker/recording/thread-names.ts';
import { notebookLink } from './notebook.ts';

/** Builds the page of an opened recording. */
export function createProfilePage(
  page: Document,
  ask: AskWorker,
  latest: LatestRecording,
  report: LateReport,
  { files, firstBefore, open, notebook }: PageSetup,
  feed: LiveFeed | null,
): ViewContext {
  const [file, ...beside] = files.slice(0, firstBefore);
  const before = files.slice(firstBefore);
  if (file === undefined) throw new Error('This page holds no profile.');
  const recording = latest.get();
  const defaults = {
    ...DEFAULT_STATE,
    weight: recording.head.firstWeight,
    frames: recording.head.firstFrames ?? 'all',
    ...(before.length > 0 && { tab: 'diff' as const }),
    diffBy: recording.diffBy,
    roots: firstRoots(recording.threads),
    heatColumnNs: fittingColumnNs(recording.endNs),
  };
  const { startTime } = recording.meta;
  const store = createStore(
    window,
    defaults,
    `${recording.head.exporter.split(' ').at(-1)}-${startTime}`,
  );
  // A link may come from another recording.
  if (recording.events[store.get().event] === undefined) store.change({ event: 0 }, 'adjust');
  const context: ViewContext = {
    store,
    ask,
    askAround: answersTogether(ask),
    get recording() {
      return latest.get();
    },
    onReplaced: (act) => latest.onReplaced(act),
    report,
    file,
    open,
    beside,
    before,
  };
  page.title = `${titleOf(recording, file.title)} · perf-ts`;
  const search = new SearchBar(context, (match) => panel.reveal(match));
  const treeTools = createTreeTools(context, search);
  const tracks = new Tracks(context);
  const live = feed && new LiveBar(context, feed);
  const bars = [...notebookLink(notebook), ...(live === null ? [] : [live.root])];
  const panel = createShell(page, {
    store,
    head: (...tools) => createHeadBar(context, ...bars, ...tools),
    tracks: tracks.root,
    tabs: tabsOf(context),
    tools: [createFramesSwitch(context), createViewMenu(context)],
    treeTools,
    ...createPanels(context),
    status: createStatusLine(context),
    keys: [
      ...search.keys('search (also Ctrl-F)'),
      { key: 'w', does: 'next weight', run: () => store.change({ weight: nextWeight(context) }) },
      {
        key: 'j',
        does: 'next of all frames, JavaScript, my code',
        run: () => store.change(nextFrames(context)),
      },
      ...tracks.keys,
      ...(live?.keys ?? []),
      {
        key: 't',
        does: 'theme',
        run: () => store.change({ theme: nextTheme(store.get()) }, 'adjust'),
      },
    ],
  });
  // After the views: what they wait for is asked by then.
  store.subscribe((state) => search.show(state));
  search.show(store.get());
  return context;
}

/** The tools that trees of calls have: which way round, and the search. */
function createTreeTools({ store }: ViewContext, search: SearchBar): readonly HTMLElement[] {
  const turn = element('div', 'tree-turn');
  const show = (state: ViewState) => {
    replaceKeepingFocus(turn, treeSwitch(store, state));
  };
  store.subscribe((state, previous) => {
    if (state.tree !== previous.tree) show(state);
  });
  show(store.get());
  document.addEventListener('keydown', (event) => {
    if (!search.root.isConnected || !(event.ctrlKey || event.metaKey) || event.key !== 'f') return;
    event.preventDefault();
    search.focus();
  });
  return [turn, search.root];
}

function tabsOf(context: ViewContext): readonly TabDefinition[] {
  return [
    { id: 'flame', label: 'Flame', showsTree: true, create: () => new FlameView(context) },
    { id: 'table', label: 'Functions', create: () => new TableView(context) },
    { id: 'tree', label: 'Tree', showsTree: true, create: () => new CallTreeView(context) },
    { id: 'time', label: 'Over time', create: () => createTimeTab(context) },
    { id: 'source', label: 'Source', create: () => new SourceView(context) },
    { id: 'period', label: 'Sampling', create: () => new PeriodTab(context) },
    {
      id: 'diff',
      label: 'Diff',
      unavailable:
        context.before.length === 0 ? 'perf-ts view OLD NEW compares two recordings' : null,
      create: () => new DiffView(context),
    },
  ];
}
