import { expect, test } from 'vitest';
import { funcLabel } from '../../src/profile/func-label.ts';
import { ALL_JIT, joinSameCode } from '../../src/profile/join-same-code.ts';
import type { Dso, Profile } from '../../src/profile/types.ts';
import { checkProfile } from '../helpers/check-profile.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';

/** The functions of a profile with their DSOs, as `name@dso`. */
function functionsOf({ funcs, strings, dsos }: Profile): string[] {
  return Array.from(
    funcs.name,
    (name, func) => `${strings[name]}@${dsos[funcs.dso[func]]?.name ?? ''}`,
  );
}

function withDsos(profile: Profile, change: (dso: Dso) => Partial<Dso>): Profile {
  return { ...profile, dsos: profile.dsos.map((dso) => ({ ...dso, ...change(dso) })) };
}

const jit = ({ name }: Dso): Partial<Dso> => (name.startsWith('jit') ? { kind: 'jit' } : {});

test('a function that ran in the JIT code of three processes is one row', () => {
  const text = `
    main       main       main
    work@jit1  work@jit2  work@jit3`;
  const joined = joinSameCode(withDsos(profileFromText(text), jit));
  checkProfile(joined);
  expect(functionsOf(joined)).toEqual(['main@app', 'work@[JIT]']);
  const frames = [...joined.stacks.frame].map(
    (frame) => joined.dsos[joined.frames.dso[frame]].name,
  );
  expect(new Set(frames)).toEqual(new Set(['app', 'jit1', 'jit2', 'jit3']));
});

test('unnamed JIT code of several processes is labelled by the DSO of all', () => {
  const joined = joinSameCode(withDsos(profileFromText('[unknown]@jit1  [unknown]@jit2'), jit));
  expect(joined.funcs.length).toBe(1);
  expect(funcLabel(joined, 0)).toBe(ALL_JIT.name);
});

test('JIT code of one process keeps its DSO', () => {
  const profile = withDsos(profileFromText('work@jit1  idle@jit1'), jit);
  expect(joinSameCode(profile)).toBe(profile);
});

test('JIT code that stays apart is not joined', () => {
  const profile = withDsos(profileFromText('work@jit1  work@jit2  work@jit3'), jit);
  const joined = joinSameCode(profile, (dso) => profile.dsos[dso].name === 'jit2');
  checkProfile(joined);
  expect(functionsOf(joined)).toEqual(['work@[JIT]', 'work@jit2']);
});

test('files of one name and build ID at two paths are one DSO, other files are not', () => {
  const named = profileFromText('work@one  work@two  work@three  idle@two');
  const profile = withDsos(named, ({ name }) => ({
    name: 'libx.so',
    path: `/${name}/libx.so`,
    buildId: name === 'three' ? 'ffff' : 'abcd',
  }));
  const joined = joinSameCode(profile);
  checkProfile(joined);
  const places = Array.from(joined.funcs.dso, (dso) => joined.dsos[dso].path);
  expect(places).toEqual(['/one/libx.so', '/three/libx.so', '/one/libx.so']);
});

test('files without a build ID stay what they are', () => {
  const profile = profileFromText('work@one  work@two');
  expect(joinSameCode(profile)).toBe(profile);
});
