import { shorten } from '../controls/frame-actions.ts';
import { element, pushButton } from '../dom/dom.ts';
import { type Edit, editsOfState, removeEdit } from '../state/edits.ts';
import type { ViewState } from '../state/state.ts';
import type { Store } from '../state/store.ts';

/** Names for the chips: by FuncIndex and DsoIndex. */
export type EditNames = {
  readonly func: (index: number) => string;
  readonly dso: (index: number) => string;
};

const DONE = { focus: 'focus', hide: 'hidden', merge: 'merged' } as const;

/** The edits that hide, focus and merge frames at present, in order, each with a button that takes it back. */
export function renderEdits(store: Store, state: ViewState, names: EditNames): HTMLElement[] {
  const edits = editsOfState(state);
  return edits.map((edit, at) => {
    const text = describeEdit(edit, names);
    const button = pushButton('chip', shorten(text, 60), () =>
      store.change(removeEdit(store.get(), edit)),
    );
    button.append(element('span', 'chip-x', '×'));
    button.dataset.key = text;
    button.title = `${text}: take back${at === edits.length - 1 ? ' (u)' : ''}`;
    return button;
  });
}

function describeEdit(edit: Edit, names: EditNames): string {
  const done = DONE[edit.action];
  if (edit.of === 'recursion') return `${done} recursion`;
  if (edit.of === 'passing') return `${done} what only passes calls on`;
  return edit.of === 'func'
    ? `${done} ${names.func(edit.index)}`
    : `${done} DSO ${names.dso(edit.index)}`;
}
