import { describe, expect, test } from 'vitest';
import { ScriptFunctions } from '../../../src/code/javascript/script-functions.ts';
import { parseScript } from '../../../src/read/jit/parse-script.ts';

/** The function that begins at the `^` of a text, and its line and column. */
function functionAt(marked: string, path = 'app.js') {
  const offset = marked.indexOf('^');
  const text = marked.slice(0, offset) + marked.slice(offset + 1);
  const program = parseScript(text, path);
  if (program === null) return null;
  const lines = text.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
  return new ScriptFunctions(text, program).find(lines.length, lines.at(-1)!.length + 1);
}

const nameAt = (marked: string, path?: string) => functionAt(marked, path)?.name ?? null;

describe('what a text calls a function without a name', () => {
  test.each([
    ["api.get('/users', ^(req, res) => {})", "api.get('/users')"],
    ["app.on('GET', '/x', ^(c) => c)", "app.on('GET', '/x')"],
    ["app.get(['/a', '/b'], ^(c) => c)", "app.get(['/a', …])"],
    ["app.get('/x', [check, ^(c) => c])", "app.get('/x')"],
    ["router.route('/users').get(^(c) => c)", "router.route('/users').get()"],
    ["new Hono().get('/a', (c) => c).on('GET', '/b', ^(c) => c)", "new Hono()….on('GET', '/b')"],
    ["api.get('/a', (c) => c).get('/b', (c) => c).get('/c', ^(c) => c)", "api….get('/c')"],
    [
      "app.route({ method: 'GET', url: '/a', handler: ^() => 1 })",
      "handler of app.route('GET', '/a')",
    ],
    [
      "app.route({ path: '/a', method: ['GET', 'PUT'], onSend^() {} })",
      "onSend of app.route(['GET', …], '/a')",
    ],
    [`this.app.get(\`/u/\${id}/x\`, function ^() {})`, "this.app.get('/u/…/x')"],
    ['app.get(/\\/x$/i, async function* ^() {})', 'app.get(/\\/x$/i)'],
    ["(0, vitest_1.test)('adds', ^() => 1)", "vitest_1.test('adds')"],
    ["bus?.on('order', ^() => {})", "bus.on('order')"],
    ["new Task('pay', ^() => {})", "new Task('pay')"],
    [`app.get('/${'x'.repeat(90)}', ^() => {})`, `app.get('/${'x'.repeat(39)}…')`],
    ["app.get('/a\\nb', ^() => {})", "app.get('/a…')"],
  ])('a function is called by the call that it is given to, with its strings: %s', (text, name) => {
    expect(nameAt(text)).toBe(name);
  });

  test.each([
    ['function rank(a) { a.sort(^(x, y) => x - y); }', 'sort callback in rank'],
    ['const main = () => { setInterval(^() => {}, 9); }', 'setInterval callback in main'],
    ['class Shop { run() { a.map(^(x) => x); } }', 'map callback in run'],
    ['class Shop { constructor() { a.map(^(x) => x); } }', 'map callback in Shop'],
    ["api.get('/u', () => { a.sort(^(x) => x); })", "sort callback in api.get('/u')"],
    ['function f() { g(() => { h(^() => 1); }); }', 'h callback in f'],
    ['function f() { return new Promise(^(r) => r()); }', 'new Promise callback in f'],
    ['setInterval(^() => {}, 9)', 'setInterval callback'],
    ['[1, 2].map(^(n) => n)', 'map callback'],
    ['const user = cache(^async () => 1)', 'cache callback of user'],
    ['const makeHandler = () => ^(e) => e', 'returned by makeHandler'],
    ['function makeHandler() { return function ^(e) {}; }', 'returned by makeHandler'],
    ['const log = (a) => (b) => ^(c) => c', 'returned by log'],
    [
      "module.exports = ['[project]/node_modules/a/b.js [app-rsc] (ecmascript) <locals>', (^(t) => { t.s([() => 1]) })]",
      '[project]/node_modules/a/b.js [app-rsc] (ecmascript) <locals>',
    ],
    ["exports.run = ['$scope', ^(a) => 1]", 'exports.run[1]'],
    ['(^() => {})()', 'IIFE'],
    ['function f() { (function ^() {}).call(this); }', 'IIFE in f'],
    ['const next = (() => { let n = 0; return ^() => ++n; })()', 'next'],
    ['const all = [f, ^() => 1]', 'all[1]'],
    ['const bound = function ^() {}.bind(this)', 'bound'],
    ['const one = wide ? a : ^() => 1', 'one'],
    ['exports.one = wide || function ^() {}', 'exports.one'],
    ['class A { field = ^() => 1 }', 'field'],
    ['class A { #field = ^() => 1 }', '#field'],
    ['class A { [Symbol.iterator]^() {} }', '[Symbol.iterator]'],
    ["class A { ['a' + b] = ^() => 1 }", '[…] in A'],
    ['class A { get size^() {} }', 'get size'],
    ["app.use({ url: 'a', handler: ^() => 1 })", 'handler'],
    ['r(this, null, function* ^() {})', 'IIFE'],
    ['({ "on message": ^() => 1 })', 'on message'],
    ['export default ^() => 1', 'default'],
    ['export default wrap(^() => 1)', 'wrap callback of default'],
  ])('a function is described by its role: %s', (text, name) => {
    expect(nameAt(text)).toBe(name);
  });

  test.each([
    [
      'app.ts',
      "api.get<{ id: string }>('/u', ^async (req: Req): Promise<void> => {})",
      "api.get('/u')",
    ],
    ['app.ts', "api.get('/u', function <T>^(a: T) {} as Handler)", "api.get('/u')"],
    [
      'app.ts',
      'enum E { A }\nclass C { constructor(private a: A) { a.each(^() => 1); } }',
      'each callback in C',
    ],
    [
      'app.ts',
      '@dec() class C { @get() list(@q() a: A) { a.map(^(x) => x!); } }',
      'map callback in list',
    ],
    [
      'app.ts',
      "@Controller('api') class Users { @Get('list') @Use() list^() {} }",
      "Users.list @Get('api/list')",
    ],
    [
      'app.ts',
      "@Controller({ path: '/api' }) class Users { @Post() async add^(@Body() a: A) {} }",
      "Users.add @Post('api')",
    ],
    ['app.ts', "class Users { @Cached('a') list^() {} }", 'list'],
    ['app.tsx', 'const Page = () => <a onClick={^() => go()}>x</a>', 'onClick in Page'],
    ['app.js', 'const Page = () => <a onClick={^() => go()}>x</a>', 'onClick in Page'],
    [
      'app.js',
      "#!/usr/bin/env node\nimport a from './a' with { type: 'json' };\nawait a;\nf('x', ^() => 1)",
      "f('x')",
    ],
    ['app.js', "with (a) { f('x', ^() => 010); }", "f('x')"],
    ['app.js', "a;\r\nb;\rc;\u2028f('x', ^() => 1)", "f('x')"],
    ['app.js', 'f("x", function /* ( */ ^() {})', "f('x')"],
  ])('a text is parsed as what its file is: %s %s', (path, text, name) => {
    expect(nameAt(text, path)).toBe(name);
  });

  test.each([
    [
      'TypeScript',
      'function load() { return __awaiter(this, void 0, void 0, function* ^() {}); }',
      'load',
      14,
    ],
    [
      'tslib',
      'const load = () => tslib_1.__awaiter(void 0, void 0, void 0, function* ^() {})',
      'load',
      14,
    ],
    [
      'ES5',
      'function load() { return __awaiter(this, void 0, void 0, function () { return __generator(this, function ^(_a) {}); }); }',
      'load',
      14,
    ],
    ['esbuild', "api.get('/u', () => __async(null, null, function* ^() {}))", "api.get('/u')", 15],
    [
      'SWC',
      'function load() { return _load.apply(this); }\nfunction _load() { _load = _async_to_generator(function* ^() {}); return _load.apply(this); }',
      'load',
      14,
    ],
    [
      'Babel',
      'const load = function () { var _ref = _asyncToGenerator(function* ^() {}); return function load() { return _ref.apply(this); }; }();',
      'load',
      95,
    ],
    [
      'a method by Babel',
      'class A { list() { return (0, _asyncToGenerator2.default)(function* ^() {})(); } }',
      'list',
      15,
    ],
    [
      'Babel for ES5',
      'function _load() { _load = _asyncToGenerator(_regenerator().m(function _callee^() {})); }',
      '_load',
      15,
    ],
  ])('a lowered body is the function that it was: %s', (_, text, name, column) => {
    expect(functionAt(text)).toMatchObject({ name, origin: { line: 1, column } });
  });

  test('callbacks that are nested deeply are described once each', () => {
    const text = `${'f(() => '.repeat(200)}f(^() => 1)${')'.repeat(200)}`;
    expect(nameAt(text)).toBe('f callback');
  });

  test.each([
    ['class Shop ^{ x = 1; static y = 2 }', 'V8 12'],
    ['class Shop { a() {} ^x = 1; y = 2 }', 'V8 13'],
    ['class Shop { x = 1; ^static y = 2 }', 'V8 13'],
    ['class Shop { static a() {} ^static { f(); } }', 'V8 13'],
    ['const Shop = class { ^#x = 1; };', 'V8 13'],
    ["class Shop { ^['x'] = 1; }", 'V8 13'],
  ])(
    'the initializer of fields begins with the body or the first field, and has the name of its class: %s, %s',
    (text) => {
      expect(nameAt(text)).toBe('Shop');
    },
  );

  test('no function begins at a field behind the first one', () => {
    expect(functionAt('class Shop { x = 1; ^y = 2 }')).toBeNull();
  });

  test.each([
    [
      'shop.svelte',
      "<script module>\n  let a = 1;\n</script>\n<p>{it's}</p>\n<script lang='ts'>\n  const b: number = $derived.by(^() => a);\n</script>",
      '$derived.by callback of b',
    ],
    [
      'shop.vue',
      '<template>{{ a < b }}</template>\n<script setup>rank(^(x) => x)</script>',
      'rank callback',
    ],
    [
      'shop.astro',
      '---\nif (!a) return b;\nrank(^(x: N) => x)\n---\n<p>{a > b}</p>',
      'rank callback',
    ],
    ['shop.astro', '<p>\n---\n(^(x) => x)()\n---\n</p>', null],
  ])('functions in the scripts of a component are described: %s', (path, text, name) => {
    expect(nameAt(text, path)).toBe(name);
  });

  test('a function is found on a line only where it is the only one without a name', () => {
    const text = 'f(() => 1); function named() {}\ng(() => 1); g(() => 2);\n';
    const functions = new ScriptFunctions(text, parseScript(text, 'a.js')!);
    expect(functions.findOnLine(1)?.name).toBe('f callback');
    expect(functions.findOnLine(2)).toBeNull();
    expect(functions.findOnLine(9)).toBeNull();
    expect(functions.find(1, 4)).toBeNull();
  });

  test.each([
    ['a syntax error', 'function ( {'],
    ['brackets that are deeper than the stack', '['.repeat(300_000)],
    ['functions that are deeper than the stack', `${'f(()=>'.repeat(100_000)}1`],
  ])('a text that cannot be parsed has no functions: %s', (_, text) => {
    expect(parseScript(text, 'app.js')).toBeNull();
    expect(parseScript(text, 'app.ts')).toBeNull();
  });

  test('a text that the parser of TypeScript reads twice at each level is given up', () => {
    const text = `a = ${'a<(b = '.repeat(40)}1${')'.repeat(40)}`;
    expect(parseScript(text, 'app.ts')).toBeNull();
    expect(parseScript(text, 'app.js')).not.toBeNull();
  });
});
