import { describe, expect, test } from 'vitest';
import { pathOfScript, versionedPath } from '../../../src/code/javascript/script-path.ts';
import { formatV8Function, parseV8Name } from '../../../src/code/javascript/v8-name.ts';

/** Tier, kind, name, file, line and column in one line. */
function drawn(text: string): string | null {
  const parsed = parseV8Name(text);
  if (parsed === null) return null;
  const { kind, tier, name, file, line, column } = parsed;
  return `${tier} ${kind} '${name}' ${file}:${line}:${column}`;
}

describe("V8's names", () => {
  test.each([
    ['JS:*fib /home/me/a b/fib.js:3:13', "TurboFan function 'fib' /home/me/a b/fib.js:3:13"],
    ['JS:+fib /srv/fib.js:3:13', "Maglev function 'fib' /srv/fib.js:3:13"],
    ['LazyCompile:^fib /srv/fib.js:3:13', "baseline function 'fib' /srv/fib.js:3:13"],
    ['Function:~fib /srv/fib.js:3:13', "interpreter function 'fib' /srv/fib.js:3:13"],
    ['JS:fib /a.js:3:13', "none function 'fib' /a.js:3:13"],
    ['JS:~ file:///srv/app.mjs:1:20', "interpreter function '' file:///srv/app.mjs:1:20"],
    [
      'JS:^get size node:internal/deps/lru:7:11',
      "baseline function 'get size' node:internal/deps/lru:7:11",
    ],
    ['Script:~ file:///srv/app.mjs:1:1', "interpreter script '' file:///srv/app.mjs:1:1"],
    ['Eval:~ node:fs:1:1', "interpreter script '' node:fs:1:1"],
    ['JS:~f [eval]:1:10', "interpreter function 'f' [eval]:1:10"],
    ['JS:~f evalmachine.<anonymous>:1:10', "interpreter function 'f' evalmachine.<anonymous>:1:10"],
    ["JS:*'fib /a.js:3:13", "TurboFan function 'fib' /a.js:3:13"],
    ["JS:+'fib /a.js:3:13", "Maglev function 'fib' /a.js:3:13"],
    ['JS:o*fib /a.js:3:13', "TurboFan function 'fib' /a.js:3:13"],
    ["JS:o+'fib /a.js:3:13", "Maglev function 'fib' /a.js:3:13"],
    ['JS:o /a.js:3:13', "none function 'o' /a.js:3:13"],
    ["JS:~'fib /a.js:3:13", "interpreter function ''fib' /a.js:3:13"],
    ['JS:wasm-function[20]-20-turbofan', "TurboFan wasm 'wasm-function[20]' :0:0"],
    ['JS:wasm-function[20]-20-liftoff', "baseline wasm 'wasm-function[20]' :0:0"],
    ['JS:wasm/as/pixel-0-turbofan', "TurboFan wasm 'wasm/as/pixel' :0:0"],
    ['JS:a-b-1-2-liftoff', "baseline wasm 'a-b-1' :0:0"],
    ['JS:js-to-wasm:i:ii', "none wasm 'js-to-wasm:i:ii' :0:0"],
    ['JS:*x-1-turbofan /a.js:3:13', "TurboFan function 'x-1-turbofan' /a.js:3:13"],
    ['LazyCompile:*fib /srv/a b/fib.js:3', "TurboFan function 'fib' /srv/a b/fib.js:3:0"],
    ['LazyCompile:~get size node:path:67', "interpreter function 'get size' node:path:67:0"],
    ['Function:^ file:///srv/app.mjs:1', "baseline function '' file:///srv/app.mjs:1:0"],
    ['Script:~ file:///srv/app.mjs:1', "interpreter script '' file:///srv/app.mjs:1:0"],
    ['JS:~ /srv/a.test.ts:1:-195', "interpreter function '' /srv/a.test.ts:1:0"],
    ['Script:~ /srv/a.test.ts:1:-195', "interpreter script '' /srv/a.test.ts:1:0"],
    ['JS:*hidden', "TurboFan function 'hidden' :0:0"],
    ['JS:*fib /srv/a b/fib.js:3', "TurboFan function 'fib' /srv/a b/fib.js:3:0"],
    ['JS:+get size file:///srv/fib.mjs:3', "Maglev function 'get size' file:///srv/fib.mjs:3:0"],
    ['JS:*at:12', "TurboFan function 'at:12' :0:0"],
  ])('%s', (text, expected) => {
    expect(drawn(text)).toBe(expected);
  });

  test('code that was inlined is called as the function itself, also without a column', () => {
    const name = 'fib /srv/fib.js:3';
    const { tier: _, ...own } = parseV8Name(`LazyCompile:*${name}`) ?? {};
    expect(parseV8Name(formatV8Function(name, 'TurboFan'))).toMatchObject(own);
  });

  test.each([
    'Builtin:ArrayMap',
    'BytecodeHandler:Ldar',
    'RegExp:a b',
    'main',
    'JS:fib',
    'py::f:/a.py',
    '',
  ])('a name that is not JavaScript is left alone: %s', (text) => {
    expect(parseV8Name(text)).toBeNull();
  });
});

test.each([
  ['/app/hot.ts?perf-ts-version=1', '/app/hot.ts'],
  ['/app/node_modules/kit/render.js?v=c62ac4c0', '/app/node_modules/kit/render.js'],
  ['file:///app/hot.ts?t=1732933920123', '/app/hot.ts'],
])(
  'the version %s of a script has the path without its mark, and a source map of its own',
  (script, path) => {
    expect(pathOfScript(script)).toBe(path);
    expect(versionedPath(script)).toBe(path + script.slice(script.indexOf('?')));
  },
);

test('a question mark in the name of a file is a part of it', () => {
  expect(pathOfScript('/app/what?/a.js')).toBe('/app/what?/a.js');
  expect(pathOfScript('/app/why?v=yes')).toBe('/app/why?v=yes');
});
