import { expect, test } from 'vitest';
import { simplifyChain } from '../../../src/code/javascript/simplify-chain.ts';

/** Names leaf first; `?` has none. */
function simplify(...names: string[]): string[] {
  const frames = names.map((name) => ({ symbol: name === '?' ? null : name }));
  return simplifyChain(frames).map(({ symbol }) => symbol ?? '?');
}

test('steps of V8 go into the function of JavaScript above them', () => {
  expect(
    simplify(
      'Builtins_LoadIC',
      'Builtins_GetNamedPropertyHandler',
      'JS:~inner /a.js:9:1',
      'Builtins_InterpreterEntryTrampoline',
      'JS:*outer /a.js:1:1',
      'Builtins_JSEntryTrampoline',
      'node::Start',
      '_start',
    ),
  ).toEqual(['JS:~inner /a.js:9:1', 'JS:*outer /a.js:1:1', 'node::Start', '_start']);
});

test('a V8 step that no JavaScript function called stays', () => {
  expect(simplify('Builtins_LoadIC', 'Builtins_CEntry', 'node::Start')).toEqual([
    'Builtins_LoadIC',
    'node::Start',
  ]);
});

test('frames that are not V8 steps stay: builtins, unnamed code, the outermost frame', () => {
  const all = ['memcpy', '?', 'Builtins_ArrayMap', 'JS:^f /a.js:1:1', 'Builtins_JSEntry'];
  expect(simplify(...all)).toEqual(all);
  expect(simplify('Builtins_LoadIC')).toEqual(['Builtins_LoadIC']);
  expect(simplify()).toEqual([]);
});
