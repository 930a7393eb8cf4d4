import {
  type FrameKey,
  MAX_FUNCS,
  type SearchResult,
  type TreeResult,
} from '../messages/messages.ts';

/**
 * Trees have groups where the page has `FrameKey`s:
 *
 *     group   0 … F − 1   F … 2F − 1   2F …          F functions, the same inlined, roots
 *     key     0 …         M …          2M …          M: `MAX_FUNCS`
 *
 * Groups are dense, so columns can be by group. Keys are what the address holds: they stay the same
 * when a live recording has got more functions.
 */
export function groupOfKey(key: FrameKey, funcs: number): number {
  const kind = Math.min(2, Math.floor(key / MAX_FUNCS));
  const row = key - kind * MAX_FUNCS;
  // A function that this recording does not have is not to become an inlined one.
  if (kind < 2 && row >= funcs) return Number.MAX_SAFE_INTEGER;
  return row + kind * funcs;
}

/** A negative group, which stands for none, is its own key. */
export function keyOfGroup(group: number, funcs: number): FrameKey {
  if (group < 0) return group;
  const kind = group < funcs ? 0 : group < 2 * funcs ? 1 : 2;
  return group - kind * funcs + kind * MAX_FUNCS;
}

/** The same request with groups. */
export function withGroups<Params extends { readonly zoom: readonly FrameKey[] }>(
  params: Params,
  funcs: number,
): Params {
  return { ...params, zoom: params.zoom.map((key) => groupOfKey(key, funcs)) };
}

/** The same tree with keys. */
export function treeWithKeys(tree: TreeResult, funcs: number): TreeResult {
  const { labels, zoom } = tree;
  return {
    ...tree,
    labels: { ...labels, key: labels.key.map((group) => keyOfGroup(group, funcs)) },
    zoom: zoom.map((crumb) => ({ ...crumb, key: keyOfGroup(crumb.key, funcs) })),
  };
}

/** The same hits with keys. */
export function hitsWithKeys<Found extends Pick<SearchResult, 'hits'>>(
  found: Found,
  funcs: number,
): Found {
  const hits = found.hits.map((hit) => ({
    ...hit,
    path: hit.path.map((group) => keyOfGroup(group, funcs)),
  }));
  return { ...found, hits };
}
