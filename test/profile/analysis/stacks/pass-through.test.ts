import { expect, it } from 'vitest';
import { finish } from '../../../../src/base/slices.ts';
import { withOwners } from '../../../../src/code/javascript/owners.ts';
import { editStacks } from '../../../../src/profile/analysis/stacks/edit-stacks.ts';
import { funcLabel } from '../../../../src/profile/func-label.ts';
import type { Profile } from '../../../../src/profile/types.ts';
import { checkProfile } from '../../../helpers/check-profile.ts';
import { profileFromText } from '../../../helpers/profile-from-text.ts';
import { withScripts } from '../../../helpers/with-scripts.ts';

const OWN = 'JS:*route /srv/app.js:1:1@[JIT] 1';
const layer = (name: string) => `JS:*${name} /srv/node_modules/express/${name}.js:1:1@[JIT] 1`;

/** One stack a column, outermost first. */
function drawn(...columns: readonly (readonly string[])[]): Profile {
  const widths = columns.map((column) => Math.max(...column.map(({ length }) => length)) + 2);
  const depth = Math.max(...columns.map(({ length }) => length));
  const lines = Array.from({ length: depth }, (_, row) =>
    columns
      .map((column, at) => (column[row] ?? '').padEnd(widths[at]))
      .join('')
      .trimEnd(),
  );
  return withOwners(withScripts(profileFromText(lines.join('\n'))));
}

function stacksWithout(profile: Profile): string[] {
  const edited = finish(editStacks(profile, [{ action: 'merge', of: 'passing' }]));
  expect(edited.isLeftOut).toBeNull();
  checkProfile(edited.profile);
  const { samples, stacks, frames } = edited.profile;
  return Array.from({ length: samples.length }, (_, sample) => {
    const names: string[] = [];
    for (let row = samples.stack[sample]; row >= 0; row = stacks.prefix[row]) {
      names.unshift(funcLabel(edited.profile, frames.func[stacks.frame[row]]).split(' ')[0]);
    }
    return names.join(';');
  });
}

it('layers of a package are merged, and stacks that were inlined differently are one', () => {
  const profile = drawn(
    [layer('next'), layer('handle'), layer('dispatch'), OWN],
    [layer('next'), layer('dispatch'), OWN],
  );
  expect(stacksWithout(profile)).toEqual(['route', 'route']);
});

it('own code stays however little it spends, and so does code of a package that spends time', () => {
  const profile = drawn(
    [OWN, layer('next'), layer('parse')],
    [OWN, layer('next'), layer('parse')],
    [OWN, layer('next'), layer('parse'), layer('next'), layer('parse')],
  );
  expect(stacksWithout(profile)).toEqual(['route;parse', 'route;parse', 'route;parse;parse']);
});

it('recursion makes no function one that only passes calls on', () => {
  // Each sample has it once, however deep: it spends all of them.
  const deep = Array.from({ length: 30 }, () => layer('visit'));
  const profile = drawn([OWN, ...deep], [OWN, layer('visit')]);
  expect(stacksWithout(profile)[1]).toBe('route;visit');
});
