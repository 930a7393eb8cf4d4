import { copyText } from '../dom/copy-text.ts';
import type { KeyBinding } from '../dom/keys.ts';
import { addEdit, type Edit, editsOfState, PASSING, removeEdit } from '../state/edits.ts';
import type { Store } from '../state/store.ts';
import { funcOf } from '../worker/messages/frame-key.ts';
import type { TreeLabels } from '../worker/messages/messages.ts';
import type { MenuItem } from './frame-menu.ts';

/** The target of an action: a row of labels. */
export type FrameTarget = {
  readonly labels: TreeLabels;
  readonly label: number;
  /** Names from the outermost frame to this one; absent where no stack is meant. */
  readonly stack?: readonly string[] | undefined;
};

/** The actions that a menu offers for the function and the DSO of a frame. `stack` as in `FrameTarget`. */
export function frameActions(
  store: Store,
  labels: TreeLabels,
  label: number,
  stack?: readonly string[],
): MenuItem[] {
  const func = label < 0 ? -1 : funcOf(labels.key[label]);
  if (func < 0) return [];
  const name = shorten(labels.name[label]);
  const edit = (made: Edit) => () => store.change(addEdit(store.get(), made));
  const ofFunc = (action: 'focus' | 'hide' | 'merge') => edit({ action, of: 'func', index: func });
  const target = { labels, label, stack };
  const items: MenuItem[] = [
    { label: 'Callers and callees', run: () => store.change({ tab: 'table', func }) },
    { label: 'Source', run: () => store.change({ tab: 'source', func }) },
    {
      label: 'Search for this name',
      run: () => store.change({ search: labels.name[label], match: null }),
    },
    { label: `Focus on ${name}`, key: 'f', run: ofFunc('focus') },
    { label: `Hide samples with ${name}`, key: 'd', run: ofFunc('hide') },
    { label: `Merge ${name} into its callers`, key: 'm', run: ofFunc('merge') },
    { label: 'Merge recursion', run: edit({ action: 'merge', of: 'recursion' }) },
    { label: 'Merge what only passes calls on', key: 'x', run: edit(PASSING) },
    { label: 'Copy the name', key: 'c', run: () => copyName(target) },
  ];
  if (stack !== undefined) {
    items.push({ label: 'Copy the stack', key: 'C', run: () => copyStack(target) });
  }
  const dso = labels.dsoIndex[label];
  if (dso < 0) return items;
  const dsoName = shorten(labels.dso[label].replace(/^.*\//, ''));
  const ofDso = (action: 'focus' | 'hide' | 'merge') => edit({ action, of: 'dso', index: dso });
  return [
    ...items,
    { label: `Focus on DSO ${dsoName}`, run: ofDso('focus') },
    { label: `Hide samples with DSO ${dsoName}`, run: ofDso('hide') },
    { label: `Merge DSO ${dsoName} into its callers`, run: ofDso('merge') },
  ];
}

/** Keys that do the same with the frame or row that `target` gives when one is pressed. */
export function frameKeys(store: Store, target: () => FrameTarget | null): KeyBinding[] {
  const edit = (action: 'focus' | 'hide' | 'merge') => () => {
    const at = target();
    const func = at === null || at.label < 0 ? -1 : funcOf(at.labels.key[at.label]);
    if (func >= 0) store.change(addEdit(store.get(), { action, of: 'func', index: func }));
  };
  const withTarget = (act: (at: FrameTarget) => void) => () => {
    const at = target();
    if (at !== null && at.label >= 0) act(at);
  };
  return [
    { key: 'f', does: 'focus: only stacks with this function', run: edit('focus') },
    { key: 'd', does: 'drop: hide samples with this function', run: edit('hide') },
    { key: 'm', does: 'merge this function into its callers', run: edit('merge') },
    {
      key: 'x',
      does: 'merge layers of packages and runtimes that only pass calls on',
      run: () => store.change(addEdit(store.get(), PASSING)),
    },
    { key: 'u', does: 'undo the last of them', run: () => undoEdit(store) },
    { key: 'c', does: 'copy the name', run: withTarget(copyName) },
    { key: 'C', does: 'copy the stack', run: withTarget(copyStack) },
  ];
}

/** Takes the last edit back; false where there is none. */
export function undoEdit(store: Store): boolean {
  const last = editsOfState(store.get()).at(-1);
  if (last === undefined) return false;
  store.change(removeEdit(store.get(), last));
  return true;
}

function copyName({ labels, label }: FrameTarget): void {
  void copyText(labels.name[label], 'the name');
}

/** The innermost function first, one in a line. */
function copyStack({ labels, label, stack = [labels.name[label]] }: FrameTarget): void {
  void copyText(stack.toReversed().join('\n'), 'the stack');
}

/** Names of C++ are long; a menu is not. */
export function shorten(name: string, most = 40): string {
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}
