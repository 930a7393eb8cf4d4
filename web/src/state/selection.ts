import type { FrameEdit } from '../../../src/profile/analysis/stacks/edit-stacks.ts';
import type { OpenResult, TreeParams } from '../worker/messages/messages.ts';
import type { Selection } from '../worker/messages/selection.ts';
import type { TracksParams } from '../worker/messages/track-messages.ts';
import { editsOfAll } from './edits.ts';
import type { Range, ViewState } from './state.ts';

/** Which samples a state shows, and how their stacks are changed, as the worker wants it. */
export function selectionOf(state: ViewState): Selection {
  return {
    event: state.event,
    weight: state.weight,
    level: state.frames,
    threads: state.threads,
    pid: state.pid,
    cpu: state.cpu,
    inTurnsOver: state.inTurnsOver,
    fromNs: state.range?.fromNs ?? null,
    toNs: state.range?.toNs ?? null,
    group: state.group,
    edits: editsOf(state),
  };
}

/** The samples that a state shows, as the server's downloads take them; empty: all of them. */
export function selectedPart(state: ViewState, { threads }: OpenResult): URLSearchParams {
  const part = new URLSearchParams();
  const tids = state.threads.flatMap((row) => threads[row]?.tid ?? []);
  if (state.range !== null) {
    part.set('from', String(Math.round(state.range.fromNs)));
    part.set('to', String(Math.round(state.range.toNs)));
  }
  if (tids.length > 0) part.set('tids', tids.join());
  if (state.pid !== null) part.set('pids', String(state.pid));
  if (state.cpu !== null) part.set('cpus', String(state.cpu));
  if (state.inTurnsOver !== null) part.set('turns', String(state.inTurnsOver));
  return part;
}

/** The tracks of the samples that a state shows, at whatever time and of whatever threads, in a window of `cells` cells. */
export function tracksParams(
  state: ViewState,
  { fromNs, toNs }: Range,
  cells: number,
  plan: Pick<TracksParams, 'own' | 'chosen' | 'only' | 'lit' | 'tree'>,
): TracksParams {
  const { threads: _, fromNs: __, toNs: ___, ...filter } = selectionOf(state);
  const grid = { firstNs: fromNs, cellNs: (toNs - fromNs) / cells, length: cells };
  return { ...filter, grid, ...plan };
}

/** The tree that a state shows; nodes below the share `leastPart` of the root are left out. */
export function treeParams(state: ViewState, leastPart: number): TreeParams {
  return {
    ...selectionOf(state),
    roots: state.roots,
    inverted: state.tree === 'callers',
    order: state.sort,
    zoom: state.zoom,
    search: state.search.trim(),
    leastPart,
  };
}

/** The edits of a state. Functions left out come first: a merged function could hide no more. */
function editsOf(state: ViewState): FrameEdit[] {
  const func = (action: FrameEdit['action']) => (index: number) =>
    ({ action, of: 'func', func: index }) as const;
  const dso = (action: FrameEdit['action']) => (index: number) =>
    ({ action, of: 'dso', dso: index }) as const;
  return [
    ...state.hidden.map(func('hide')),
    ...state.hiddenDsos.map(dso('hide')),
    ...(state.focusDso === null ? [] : [dso('focus')(state.focusDso)]),
    ...(state.focus === null ? [] : [func('focus')(state.focus)]),
    ...state.mergedFuncs.map(func('merge')),
    ...state.mergedDsos.map(dso('merge')),
    ...editsOfAll(state),
  ];
}
