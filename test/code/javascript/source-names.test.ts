import { expect, test } from 'vitest';
import { hasNoName } from '../../../src/code/javascript/source-names.ts';
import { parseV8Name } from '../../../src/code/javascript/v8-name.ts';

test.each([
  ['JS:* /srv/app.js:7:1', true],
  ['JS:*_callee2$ /srv/app.js:7:1', true],
  // V8 before 12, of a class with fields.
  ['JS:*<instance_members_initializer> /srv/app.js:7:1', true],
  ['JS:*<static_initializer> /srv/app.js:7:1', false],
  ['JS:*handle /srv/app.js:7:1', false],
])('%s is a function without a name of its author: %s', (name, isNameless) => {
  expect(hasNoName(parseV8Name(name)!)).toBe(isNameless);
});
