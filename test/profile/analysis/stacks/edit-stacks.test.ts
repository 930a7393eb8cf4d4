import { describe, expect, it } from 'vitest';
import { finish } from '../../../../src/base/slices.ts';
import { editStacks, type FrameEdit } from '../../../../src/profile/analysis/stacks/edit-stacks.ts';
import { computeCallNodes } from '../../../../src/profile/analysis/trees/call-nodes.ts';
import { computeCallTree } from '../../../../src/profile/analysis/trees/call-tree.ts';
import { funcLabel } from '../../../../src/profile/func-label.ts';
import type { Profile } from '../../../../src/profile/types.ts';
import { checkProfile } from '../../../helpers/check-profile.ts';
import { profileFromText, simpleWeights } from '../../../helpers/profile-from-text.ts';

const PROFILE = profileFromText(`
  main  main  main          main  idle
  a     a     read@libc.so  b
  b     b     write@libc.so a
  a     c
  c
`);

const func = (name: string): number =>
  Array.from({ length: PROFILE.funcs.length }, (_, row) => row).find(
    (row) => funcLabel(PROFILE, row) === name,
  ) as number;
const libc = PROFILE.dsos.findIndex(({ name }) => name === 'libc.so');

/** One line per sample: `main;a;b`, `(none)` without frames, `(left out)`. */
function stacksOf(...edits: FrameEdit[]): string[] {
  const { profile, isLeftOut } = finish(editStacks(PROFILE, edits));
  checkProfile(profile);
  return Array.from({ length: profile.samples.length }, (_, sample) =>
    isLeftOut?.[sample] === 1 ? '(left out)' : pathOf(profile, sample),
  );
}

function pathOf(profile: Profile, sample: number): string {
  const names: string[] = [];
  for (let row = profile.samples.stack[sample]; row >= 0; row = profile.stacks.prefix[row]) {
    names.unshift(funcLabel(profile, profile.frames.func[profile.stacks.frame[row]]));
  }
  return names.join(';') || '(none)';
}

describe('edited stacks', () => {
  it('the profile itself is returned without edits', () => {
    expect(finish(editStacks(PROFILE, []))).toEqual({ profile: PROFILE, isLeftOut: null });
  });

  it('samples with a hidden function or DSO are left out', () => {
    expect(stacksOf({ action: 'hide', of: 'func', func: func('c') })).toEqual([
      '(left out)',
      '(left out)',
      'main;read;write',
      'main;b;a',
      'idle',
    ]);
    expect(stacksOf({ action: 'hide', of: 'dso', dso: libc })[2]).toBe('(left out)');
  });

  it('stacks begin at the outermost call of the function in focus', () => {
    expect(stacksOf({ action: 'focus', of: 'func', func: func('a') })).toEqual([
      'a;b;a;c',
      'a;b;c',
      '(left out)',
      'a',
      '(left out)',
    ]);
    expect(stacksOf({ action: 'focus', of: 'dso', dso: libc })[2]).toBe('read;write');
  });

  it('weight of merged frames goes to their callers', () => {
    expect(stacksOf({ action: 'merge', of: 'func', func: func('a') })).toEqual([
      'main;b;c',
      'main;b;c',
      'main;read;write',
      'main;b',
      'idle',
    ]);
    expect(stacksOf({ action: 'merge', of: 'dso', dso: libc })[2]).toBe('main');
    expect(stacksOf({ action: 'merge', of: 'func', func: func('idle') })[4]).toBe('(none)');
  });

  it('stacks have each function once where recursion is merged', () => {
    expect(stacksOf({ action: 'merge', of: 'recursion' })).toEqual([
      'main;a;c',
      'main;a;b;c',
      'main;read;write',
      'main;b;a',
      'idle',
    ]);
  });

  it('the edits are made one after the other', () => {
    expect(
      stacksOf(
        { action: 'hide', of: 'dso', dso: libc },
        { action: 'focus', of: 'func', func: func('b') },
        { action: 'merge', of: 'func', func: func('a') },
      ),
    ).toEqual(['b;c', 'b;c', '(left out)', 'b', '(left out)']);
  });

  it('samples without frames are out of focus', () => {
    const idle = func('idle');
    const merged: FrameEdit = { action: 'merge', of: 'func', func: idle };
    const onA: FrameEdit = { action: 'focus', of: 'func', func: func('a') };
    expect(stacksOf(merged, onA)[4]).toBe('(left out)');
    // The focus stays, however little is left of it.
    const none: FrameEdit = { action: 'merge', of: 'func', func: func('a') };
    expect(stacksOf(onA, none, merged)[3]).toBe('(none)');

    const { samples } = PROFILE;
    const frameless = {
      ...PROFILE,
      samples: { ...samples, stack: Int32Array.from(samples.stack).with(4, -1) },
    };
    expect(finish(editStacks(frameless, [onA])).isLeftOut).toEqual(Uint8Array.of(0, 0, 1, 0, 1));
    expect(finish(editStacks(frameless, [merged])).isLeftOut).toBe(null);
  });

  it('edited stacks keep the weight of all samples not left out', () => {
    const { profile } = finish(editStacks(PROFILE, [{ action: 'merge', of: 'recursion' }]));
    const samples = Int32Array.from(profile.samples.stack, (_, sample) => sample);
    const nodes = finish(computeCallNodes(profile));
    expect(computeCallTree(profile, nodes, simpleWeights(profile), samples).weight).toBe(5);
  });
});
