import { expect, test } from 'vitest';
import { foldFrames } from '../../../../src/profile/analysis/stacks/fold-frames.ts';
import { funcLabel } from '../../../../src/profile/func-label.ts';
import type { EventIndex, Profile } from '../../../../src/profile/types.ts';
import { checkProfile } from '../../../helpers/check-profile.ts';
import { profileFromText } from '../../../helpers/profile-from-text.ts';

const DRAWN = `
  main    main    main    LoadIC  -
  work    work    Load    leaf
  LoadIC  LoadIC  LoadIC
  leaf
`;

/** A stack per sample, `main;work`, then that of what was lost; empty where there is none. */
function folded(profile: Profile, goes: string, takes: readonly string[]): string[] {
  const flags = (names: readonly string[]) =>
    Uint8Array.from({ length: profile.funcs.length }, (_, func) =>
      names.includes(funcLabel(profile, func)) ? 1 : 0,
    );
  const result = foldFrames(profile, flags([goes]), flags(takes));
  checkProfile(result);
  const { stacks, frames, samples, lostStack } = result;
  const path = (row: number): string => {
    if (row < 0) return '';
    const name = funcLabel(result, frames.func[stacks.frame[row]]);
    return stacks.prefix[row] < 0 ? name : `${path(stacks.prefix[row])};${name}`;
  };
  return [...Array.from(samples.stack, path), path(lostStack)];
}

test('folding a frame moves its callees to its caller; an innermost frame stays', () => {
  expect(folded(profileFromText(DRAWN), 'LoadIC', [])).toEqual([
    ...['main;work;leaf', 'main;work;LoadIC', 'main;Load;LoadIC', 'LoadIC;leaf', '', ''],
  ]);
});

test('an innermost frame goes where its caller takes it, an outermost one stays', () => {
  expect(folded(profileFromText(DRAWN), 'LoadIC', ['work'])).toEqual([
    ...['main;work;leaf', 'main;work', 'main;Load;LoadIC', 'LoadIC;leaf', '', ''],
  ]);
});

test('folding frames leaves [lost] and samples without a stack alone', () => {
  const event = 0 as EventIndex;
  const profile = profileFromText('LoadIC  -', {}, [{ event, lostRecords: 3, lostSamples: 3 }]);
  expect(folded(profile, 'LoadIC', ['LoadIC'])).toEqual(['LoadIC', '', '[lost]']);
});
