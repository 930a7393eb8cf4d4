import { groupOfKey, keyOfGroup } from '../messages/frame-key.ts';
import type { FrameKey, SearchResult, TreeResult } from '../messages/messages.ts';

/** The request with groups in place of keys. */
export function withGroups<Params extends { readonly zoom: readonly FrameKey[] }>(
  params: Params,
  funcs: number,
): Params {
  return { ...params, zoom: params.zoom.map((key) => groupOfKey(key, funcs)) };
}

/** The tree with keys in place of groups. */
export function treeWithKeys(tree: TreeResult, funcs: number): TreeResult {
  const { labels, zoom } = tree;
  return {
    ...tree,
    labels: { ...labels, key: labels.key.map((group) => keyOfGroup(group, funcs)) },
    zoom: zoom.map((crumb) => ({ ...crumb, key: keyOfGroup(crumb.key, funcs) })),
  };
}

/** The hits with keys in place of groups. */
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
