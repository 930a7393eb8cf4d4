import { expect, test } from 'vitest';
import { nameInFile } from '../../src/profile/script-name.ts';

test('a function of JavaScript stands beside its script and place, other code beside its DSO', () => {
  expect(nameInFile('parse src/a b.ts:4', '/srv/src/a b.ts', '[JIT]')).toEqual([
    'src/a b.ts:4',
    'parse',
  ]);
  expect(nameInFile('get x app.js:4:58', '/srv/app.js', '[JIT]')).toEqual(['app.js:4:58', 'get x']);
  expect(nameInFile('main', '/src/main.c', 'app')).toEqual(['app', 'main']);
  expect(nameInFile('(garbage collector)', '', '')).toEqual(['', '(garbage collector)']);
});
