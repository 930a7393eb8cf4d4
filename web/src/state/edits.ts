import type { ViewState } from './state.ts';

/** One change of the stacks that a person made. */
export type Edit =
  | {
      readonly action: 'focus' | 'hide' | 'merge';
      readonly of: 'func' | 'dso';
      /** FuncIndex or DsoIndex. */
      readonly index: number;
    }
  | { readonly action: 'merge'; readonly of: 'recursion' }
  | { readonly action: 'merge'; readonly of: 'passing' };

/** The edit that leaves out the layers of packages and runtimes. */
export const PASSING = { action: 'merge', of: 'passing' } as const;

/** The edits that are of no function and no DSO. */
export function editsOfAll({ foldPassing, foldRecursion }: ViewState) {
  return [
    ...(foldPassing ? [PASSING] : []),
    ...(foldRecursion ? [{ action: 'merge', of: 'recursion' } as const] : []),
  ];
}

/** `f12`: as it stands in `ViewState.editOrder`; capitals are of DSOs. */
export function codeOfEdit(edit: Edit): string {
  if (edit.of === 'recursion') return 'r';
  if (edit.of === 'passing') return 'p';
  const letter = edit.action[0];
  return `${edit.of === 'dso' ? letter.toUpperCase() : letter}${edit.index}`;
}

/** The edits in force, in the order in which they were made as far as the state knows it. */
export function editsOfState(state: ViewState): readonly Edit[] {
  const of = (action: 'focus' | 'hide' | 'merge', of: 'func' | 'dso', rows: readonly number[]) =>
    rows.map((index): Edit => ({ action, of, index }));
  const edits: Edit[] = [
    ...of('focus', 'func', state.focus === null ? [] : [state.focus]),
    ...of('focus', 'dso', state.focusDso === null ? [] : [state.focusDso]),
    ...of('hide', 'func', state.hidden),
    ...of('hide', 'dso', state.hiddenDsos),
    ...of('merge', 'func', state.mergedFuncs),
    ...of('merge', 'dso', state.mergedDsos),
    ...editsOfAll(state),
  ];
  const order = state.editOrder.split('.');
  const place = (edit: Edit) => order.indexOf(codeOfEdit(edit));
  return edits.sort((a, b) => place(a) - place(b));
}

/**
 * The change of the state that makes an edit. Paths of the old stacks lead nowhere in the new ones,
 * so nothing is zoomed.
 */
export function addEdit(state: ViewState, edit: Edit): Partial<ViewState> {
  const code = codeOfEdit(edit);
  const others = editsOfState(state).map(codeOfEdit);
  const editOrder = [...others.filter((other) => other !== code), code].join('.');
  return { zoom: [], editOrder, ...valueWith(state, edit, true) };
}

/** The change of the state that takes an edit back. */
export function removeEdit(state: ViewState, edit: Edit): Partial<ViewState> {
  const code = codeOfEdit(edit);
  const others = editsOfState(state).map(codeOfEdit);
  const editOrder = others.filter((other) => other !== code).join('.');
  return { zoom: [], editOrder, ...valueWith(state, edit, false) };
}

function valueWith(state: ViewState, edit: Edit, isIn: boolean): Partial<ViewState> {
  if (edit.of === 'recursion') return { foldRecursion: isIn };
  if (edit.of === 'passing') return { foldPassing: isIn };
  const { action, of, index } = edit;
  const rows = (list: readonly number[]) => [
    ...list.filter((other) => other !== index),
    ...(isIn ? [index] : []),
  ];
  const one = isIn ? index : null;
  switch (action) {
    case 'focus':
      return of === 'func' ? { focus: one } : { focusDso: one };
    case 'hide':
      return of === 'func'
        ? { hidden: rows(state.hidden) }
        : { hiddenDsos: rows(state.hiddenDsos) };
    case 'merge':
      return of === 'func'
        ? { mergedFuncs: rows(state.mergedFuncs) }
        : { mergedDsos: rows(state.mergedDsos) };
  }
}
