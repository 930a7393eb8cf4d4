import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { lineStartsOf, ScriptFunctions } from '../../../src/code/javascript/script-functions.ts';
import { SourceMap } from '../../../src/code/javascript/source-map.ts';
import {
  isFunction,
  nodeIn,
  nodesIn,
  type SyntaxNode,
} from '../../../src/code/javascript/syntax-tree.ts';
import { parseScript } from '../../../src/read/jit/parse-script.ts';
import { ScriptMaps } from '../../../src/read/jit/script-maps.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

const FOLDER = join(import.meta.dirname, 'fixtures/compiled');
const SOURCE = join(FOLDER, 'kinds.ts');

type Marked = { readonly mark: string; readonly line: number; readonly node: SyntaxNode };

const source = readFileSync(SOURCE, 'utf8');
const MARKS = new Set(
  [...source.matchAll(/\bmark\((?:'([^']*)'|"([^"]*)")\)/g)].map(([, a, b]) => a ?? b),
);

/** The functions of a text that call `mark`, whatever a compiler calls it, with what they call it with. */
function markedFunctions(text: string, path: string): Marked[] {
  const starts = lineStartsOf(text);
  const found = new Map<SyntaxNode, string>();
  const visit = (node: SyntaxNode, around: SyntaxNode | null): void => {
    const inner = isFunction(node) || node.type === 'StaticBlock' ? node : around;
    if (node.type === 'CallExpression' && nodeIn(node, 'callee')?.type === 'Identifier') {
      const [argument, ...others] = nodesIn(node, 'arguments');
      const mark = argument?.type === 'Literal' ? String(argument.value) : '';
      if (around !== null && others.length === 0 && MARKS.has(mark)) found.set(around, mark);
    }
    for (const field in node) for (const child of nodesIn(node, field)) visit(child, inner);
  };
  visit(parseScript(text, path)!, null);
  return [...found].map(([node, mark]) => {
    return { mark, line: starts.findLastIndex((start) => start <= node.start) + 1, node };
  });
}

const wanted = markedFunctions(source, SOURCE);

type Named = { readonly label: string; readonly mark: string | null };

/** V8's name, the label and the mark of each function of a compiled script; without a mark: it calls none. */
function namesOf(compiler: string): Map<string, Named> {
  const path = join(FOLDER, `${compiler}.mjs`);
  const names = readFileSync(join(FOLDER, `${compiler}.names`), 'utf8')
    .trimEnd()
    .split('\n');
  const drawn = names.map((name) => {
    const [, own = '', place = ''] = /^(.*):(\d+:\d+)$/.exec(name) ?? [];
    return `JS:*${own} file://${path}:${place}@[JIT] tid 1`;
  });
  const maps = new ScriptMaps({ diagnostics: new Diagnostics() });
  const { strings, funcs, stacks, frames } = withScripts(profileFromText(drawn.join('\n')), maps);
  const text = readFileSync(path, 'utf8');
  const starts = lineStartsOf(text);
  const marked = markedFunctions(text, path);
  const markAt = (line: number, column: number): string | null => {
    const offset = starts[line - 1] + column - 1;
    const heads = marked.filter(({ node }) => {
      const end = node.type === 'StaticBlock' ? node.start : nodeIn(node, 'body')!.start;
      return node.start <= offset && offset < end;
    });
    return heads.at(-1)?.mark ?? null;
  };
  return new Map(
    names.map((name, row) => {
      const [line = 0, column = 0] = name.split(':').slice(-2).map(Number);
      const label = strings[funcs.name[frames.func[stacks.frame[row]]]];
      return [name, { label, mark: markAt(line, column) }];
    }),
  );
}

/** Whether a label is MARK kinds.ts:LINE. V8's own names may have an object in front: `Shop.make`. */
function isCalled(label: string, mark: string): boolean {
  const [, text = '', line = ''] =
    /^(.*?) (?:\/.*|\S*)\/kinds\.ts:(\d+)(?::\d+)?$/.exec(label) ?? [];
  const name = /^[A-Za-z]+(?:\.prototype)?\.([^.'(]+)$/.exec(text)?.[1] ?? text;
  const isThere = wanted.some((each) => each.mark === mark && each.line === Number(line));
  // The constructor of a class that was lowered begins with the class.
  const isClass = mark === 'Shop' && source.split('\n')[Number(line) - 1].startsWith('class Shop');
  return (name === mark || text === mark) && (isThere || isClass);
}

/** Functions whose names the maps of these compilers do not lead to. */
const LESS_KNOWN: Readonly<Record<string, readonly string[]>> = {
  'babel-es2016': ['handler'],
  'babel-es5': ['value', 'xY'],
};

describe('functions that a compiler has made others of', () => {
  test.each([
    'tsc-es2022',
    'tsc-es2015',
    'tsc-es5',
    'swc-es2016',
    'babel-es2016',
    'babel-es5',
    'esbuild-es2016',
    'esbuild-minified',
  ])('functions are called as in the source that they were compiled from: %s', (compiler) => {
    const names = [...namesOf(compiler)].filter(([, { mark }]) => mark !== null);
    const others = names.filter(([, { label, mark }]) => !isCalled(label, mark!));
    expect(new Set(names.map(([, { mark }]) => mark)).size).toBeGreaterThanOrEqual(MARKS.size - 1);
    expect(others.map(([, { label }]) => label.split(' ')[0])).toEqual(LESS_KNOWN[compiler] ?? []);
  });

  test('a map of lines leads to the only function of a line that has no name', () => {
    const map = SourceMap.from(
      { version: 3, sources: ['/srv/a.ts'], names: [], mappings: 'AAAA;AACA' },
      '/srv/a.js',
      {
        locate: (_, resolved) => resolved,
        read: () => "on('a', () => 1);\nf(() => 1), f(() => 2);\n",
        functionsOf: (path, text) => new ScriptFunctions(text, parseScript(text, path)!),
      },
    )!;
    expect(map.describe(1, 30)?.name).toBe("on('a')");
    expect(map.describe(2, 30)).toBeNull();
    expect(map.describe(3, 1)).toBeNull();
  });

  test('a lowered body and the function around it are one row', () => {
    for (const compiler of ['tsc-es2015', 'babel-es5', 'esbuild-minified']) {
      const labels = [...namesOf(compiler).values()].map(({ label }) => label);
      const rows = new Set(labels.filter((label) => /^app\.get\('\/users'\)/.test(label)));
      expect(rows.size).toBe(2);
    }
  });
});
