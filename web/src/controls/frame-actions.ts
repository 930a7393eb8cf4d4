import { funcOfKey } from '../frame-key.ts';
import type { Store } from '../store.ts';
import type { TreeLabels } from '../worker/messages.ts';
import type { MenuItem } from './frame-menu.ts';

/** The actions that a menu offers for the function and the DSO of a frame. */
export function frameActions(
  store: Store,
  labels: TreeLabels,
  label: number,
  funcs: number,
): MenuItem[] {
  const func = funcOfKey(labels.key[label], funcs);
  if (func < 0) return [];
  const name = shorten(labels.name[label]);
  const dso = labels.dsoIndex[label];
  const dsoName = shorten(labels.dso[label].replace(/^.*\//, ''));
  // Paths of the old stacks lead nowhere in the new ones.
  const change = (changes: Parameters<Store['change']>[0]) =>
    store.change({ zoom: [], ...changes });
  const with_ = (list: readonly number[], index: number) => [...new Set([...list, index])];
  const ofFunc: MenuItem[] = [
    { label: 'Callers and callees', run: () => store.change({ tab: 'table', func }) },
    { label: 'Source', run: () => store.change({ tab: 'source', func }) },
    { label: 'Search for this name', run: () => store.change({ search: labels.name[label] }) },
    { label: `Focus on ${name}`, run: () => change({ focus: func }) },
    {
      label: `Hide samples with ${name}`,
      run: () => change({ hidden: with_(store.get().hidden, func) }),
    },
    {
      label: `Merge ${name} into its callers`,
      run: () => change({ mergedFuncs: with_(store.get().mergedFuncs, func) }),
    },
    { label: 'Merge recursion', run: () => change({ foldRecursion: true }) },
  ];
  if (dso < 0) return ofFunc;
  return [
    ...ofFunc,
    { label: `Focus on DSO ${dsoName}`, run: () => change({ focusDso: dso }) },
    {
      label: `Hide samples with DSO ${dsoName}`,
      run: () => change({ hiddenDsos: with_(store.get().hiddenDsos, dso) }),
    },
    {
      label: `Merge DSO ${dsoName} into its callers`,
      run: () => change({ mergedDsos: with_(store.get().mergedDsos, dso) }),
    },
  ];
}

/** Names of C++ are long; a menu is not. */
export function shorten(name: string, most = 40): string {
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}
