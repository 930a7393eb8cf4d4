import { shorten } from '../controls/frame-actions.ts';
import { element, pushButton } from '../dom.ts';
import type { ViewState } from '../state.ts';
import type { Store } from '../store.ts';

/** Names for the chips: by FuncIndex and DsoIndex. */
export type EditNames = {
  readonly func: (index: number) => string;
  readonly dso: (index: number) => string;
};

/** What hides, focuses and merges frames at present, each with a button that takes it back. */
export function renderEdits(store: Store, state: ViewState, names: EditNames): HTMLElement[] {
  const chips: HTMLElement[] = [];
  const chip = (text: string, changes: Partial<ViewState>) => {
    const button = pushButton('chip', shorten(text, 60), () =>
      store.change({ zoom: [], ...changes }),
    );
    button.append(element('span', 'chip-x', '×'));
    button.dataset.key = text;
    button.title = `${text}: take back`;
    chips.push(button);
  };
  const without = (list: readonly number[], index: number) =>
    list.filter((other) => other !== index);
  const { focus, focusDso, hidden, hiddenDsos, mergedFuncs, mergedDsos } = state;
  if (focus !== null) chip(`focus ${names.func(focus)}`, { focus: null });
  if (focusDso !== null) chip(`focus DSO ${names.dso(focusDso)}`, { focusDso: null });
  for (const func of hidden) {
    chip(`hidden ${names.func(func)}`, { hidden: without(hidden, func) });
  }
  for (const dso of hiddenDsos) {
    chip(`hidden DSO ${names.dso(dso)}`, { hiddenDsos: without(hiddenDsos, dso) });
  }
  for (const func of mergedFuncs) {
    chip(`merged ${names.func(func)}`, { mergedFuncs: without(mergedFuncs, func) });
  }
  for (const dso of mergedDsos) {
    chip(`merged DSO ${names.dso(dso)}`, { mergedDsos: without(mergedDsos, dso) });
  }
  if (state.foldRecursion) chip('merged recursion', { foldRecursion: false });
  return chips;
}
