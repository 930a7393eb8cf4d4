import { describe, expect, it } from 'vitest';
import {
  addEdit,
  codeOfEdit,
  type Edit,
  editsOfState,
  removeEdit,
} from '../../web/src/state/edits.ts';
import {
  DEFAULT_STATE,
  decodeState,
  encodeState,
  type ViewState,
} from '../../web/src/state/state.ts';

const FOCUS: Edit = { action: 'focus', of: 'func', index: 7 };
const HIDE: Edit = { action: 'hide', of: 'dso', index: 2 };
const MERGE: Edit = { action: 'merge', of: 'func', index: 3 };
const RECURSION: Edit = { action: 'merge', of: 'recursion' };

function make(...edits: readonly Edit[]): ViewState {
  let state = DEFAULT_STATE;
  for (const edit of edits) state = { ...state, ...addEdit(state, edit) };
  return state;
}

describe('edits of stacks', () => {
  it('the edits stay in the order in which they were made, also in an address', () => {
    const state = make(MERGE, HIDE, RECURSION, FOCUS);
    expect(editsOfState(state)).toStrictEqual([MERGE, HIDE, RECURSION, FOCUS]);
    expect(editsOfState(decodeState(encodeState(state)))).toStrictEqual(editsOfState(state));
    expect(state.editOrder).toBe('m3.H2.r.f7');
  });

  it('the edits are taken back one by one until nothing is edited', () => {
    let state = make(FOCUS, HIDE, MERGE, RECURSION);
    for (const edit of [HIDE, RECURSION, FOCUS, MERGE]) {
      state = { ...state, ...removeEdit(state, edit) };
      expect(editsOfState(state).map(codeOfEdit)).not.toContain(codeOfEdit(edit));
    }
    expect(state).toStrictEqual(DEFAULT_STATE);
  });

  it('an edit leaves no zoom: its path is one of other stacks', () => {
    expect(addEdit({ ...DEFAULT_STATE, zoom: [1, 2] }, FOCUS).zoom).toStrictEqual([]);
  });

  it('the edits have one focus: a second one takes its place at the end', () => {
    const other: Edit = { ...FOCUS, index: 9 };
    expect(editsOfState(make(FOCUS, MERGE, other))).toStrictEqual([MERGE, other]);
  });

  it('the edits of a link without an order are in force', () => {
    const state = decodeState('hidden=4.5&focus=7&foldRecursion=1');
    expect(editsOfState(state).map(codeOfEdit)).toStrictEqual(['f7', 'h4', 'h5', 'r']);
  });
});
