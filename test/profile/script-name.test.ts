import { expect, test } from 'vitest';
import { scriptName } from '../../src/profile/script-name.ts';

test.each([
  ['handle src/server.ts:12', '/srv/src/server.ts', 'handle'],
  ['handle /srv/a b.js:12:5', '/srv/a b.js', 'handle'],
  ['get size node:internal/deps/lru:7', 'node:internal/deps/lru', 'get size'],
  ['(anonymous) chalk/index.js', '/srv/node_modules/chalk/index.js', '(anonymous)'],
  ['x b.js b.js:1', '/srv/b.js', 'x b.js'],
  ['[interpreter]', '/srv/b.js', '[interpreter]'],
])('the name of %s of the file %s is %s', (label, path, name) => {
  expect(scriptName(label, path)).toBe(name);
});
