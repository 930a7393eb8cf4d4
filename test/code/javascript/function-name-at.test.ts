import { describe, expect, test } from 'vitest';
import { functionNameAt } from '../../../src/code/javascript/function-name-at.ts';

/** The name at the `^` of a text. */
function nameAt(marked: string): string | null {
  const offset = marked.indexOf('^');
  return functionNameAt(marked.slice(0, offset) + marked.slice(offset + 1), offset);
}

describe('the name of a function in its source', () => {
  test.each([
    ['^function work(a: number) {}', 'work'],
    ['function ^work(a) {}', 'work'],
    ['function work(^a, b) {}', 'work'],
    ['function work<T extends Key>^(a: T): T {}', 'work'],
    ['function work(\n  ^{ a, b }: Pair,\n): void {}', 'work'],
    ['export async ^function* work() {}', 'work'],
    ['^export default function (a) {}', 'default'],
    ['export ^default function (a) {}', 'default'],
    ['export default ^(a) => a;', 'default'],
  ])('the name of a function is that of a declaration: %s', (text, name) => {
    expect(nameAt(text)).toBe(name);
  });

  test.each([
    ['const work = ^(a: number): number => a;', 'work'],
    ['const work = (^a: number): number => a;', 'work'],
    ['const work = ^a => a;', 'work'],
    ['let other = 1, work = async ^(a) => a;', 'work'],
    ['const work: Handler<A, B> = ^(a) => a;', 'work'],
    ['const work: (a: A, b: B) => void = ^(a) => a;', 'work'],
    ['function outer(first: A, work: Work = ^(a) => a) {}', 'work'],
    ['exports.work = ^function (a) {}', 'work'],
    ['shop.cart ??= ^(a) => a', 'cart'],
    ['class A {\n  readonly work = ^(a: number) => a;\n}', 'work'],
    ['class A {\n  #work = ^() => 1;\n}', '#work'],
    ['({ other: 1, work: ^function (a) {} })', 'work'],
    [`({ 'on message': ^(a) => a })`, 'on message'],
    ['/** That is: done. */\nconst work = ^(a) => a;', 'work'],
  ])('the name of a function is that of a value: %s', (text, name) => {
    expect(nameAt(text)).toBe(name);
  });

  test.each([
    ['class A { ^work(a) { return 1; } }', 'work'],
    ['class A {\n  public static async ^work(a: A): Promise<B> {', 'work'],
    ['class A { ^static override work(a) {} }', 'work'],
    ['class A { ^get size(): number {} }', 'get size'],
    ['class A { work(^a: number): number {} }', 'work'],
    ['/** Adds. */ ^#add(a) {}', '#add'],
    ['class A extends B { size = 1; ^constructor(a) { super(); } }', 'A'],
    ['var A = class extends B { constructor^(a) {} }', 'A'],
    ['class B { f() { if (a) { b(); } } }\nclass A { constructor(^a) {} }', 'A'],
  ])('the name of a function is that of a method: %s', (text, name) => {
    expect(nameAt(text)).toBe(name);
  });

  test.each([
    'list.map(^(a) => a)',
    'list.map((^a) => a)',
    'const x = list.map(^a => a)',
    'const x = list.map(^function (a) { return a; })',
    'const x = (^function () { return 1; })()',
    'const x = a ? b : ^(c) => c',
    // The name would be `count`, never the key.
    'const { other, size: count = ^() => 1 } = a',
    'module.exports = ^function () {}',
    'use(a);\n^work((b) => b);\n{',
    'list.^map((a) => a)',
    'if ^(a) { b(); }',
    '^while (a) { b(); }',
    'return ^work(a) + b',
    'class { ^constructor(a) {} }',
    '^',
    '^(((((((((',
  ])('none where the text does not say it: %s', (text) => {
    expect(nameAt(text)).toBeNull();
  });

  test('a hostile text takes no time that grows with its square', () => {
    const text = `${'class A { constructor('.repeat(50_000)}`;
    for (let i = 0; i < 200; i++) functionNameAt(text, text.length - i);
    const names = `const a: ${'<'.repeat(5000)} = ${' '.repeat(5000)}`;
    expect(functionNameAt(`${names}(`, names.length)).toBeNull();
  });
});
