import { expect, test } from 'vitest';
import { outermostFolder } from '../../../src/code/javascript/script-path.ts';

test.each([
  [['/srv/shop', '/srv/shop'], '/srv/shop'],
  [['/srv/shop/packages/a', '/srv/shop', '/srv/shop/packages/b'], '/srv/shop'],
  [['/srv/shop', '/srv/shop-two'], null],
  [['/srv/shop/packages/a', '/srv/shop/packages/b'], null],
  [[], null],
])('the outermost folder of %j is %s', (folders, outermost) => {
  expect(outermostFolder(folders)).toBe(outermost);
});
