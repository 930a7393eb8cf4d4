import { expect, test } from 'vitest';
import { funcPlace } from '../../../src/cli/report/func-place.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

test('a function of JavaScript has its place and owner, another its owner alone', () => {
  const profile = withScripts(
    profileFromText(`
      main
      JS:~work /srv/node_modules/a/app.js:3:14@[JIT] tid 1
    `),
  );
  expect(funcPlace(profile, 0)).toEqual({
    file: null,
    line: null,
    column: null,
    category: 'native',
    v8Name: null,
  });
  expect(funcPlace(profile, 1)).toEqual({
    file: '/srv/node_modules/a/app.js',
    line: 3,
    column: 14,
    category: 'dependency',
    v8Name: null,
  });
});
