// The types of the package in programs of others: the examples of its docstrings, which have a variable of each type of
// options, as ES modules and as CommonJS, under each resolution, with and without @types/node.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { publicExamples } from '../helpers/public-api.ts';
import { compile, makeConsumer } from './consumer.ts';

const RESOLUTIONS = [
  ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext' }],
  ['node16', { module: 'node16', moduleResolution: 'node16' }],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ['bundler, to CommonJS', { module: 'commonjs', moduleResolution: 'bundler' }],
] as const;
const NEEDS_NODE = /from 'node:|AbortSignal/;
/** A program without @types/node and lib.dom has a console of its own. */
const CONSOLE = 'declare const console: { log(...what: unknown[]): void };';

/** The same where nothing can be awaited outside of a function. */
function asCommonJs(code: string): string {
  const lines = code.split('\n');
  const isImport = (line: string) => line.startsWith('import ');
  const body = lines.filter((line) => !isImport(line)).join('\n');
  return `${lines.filter(isImport).join('\n')}\nexport async function example() {\n${body}}\n`;
}

describe.each([true, false])('with @types/node: %s', (withNode) => {
  const folder = makeConsumer(withNode);
  const examples = publicExamples().filter(({ code }) => withNode || !NEEDS_NODE.test(code));
  const files = (ending: string) => [
    ...(withNode ? [] : ['console.d.ts']),
    ...examples.map(({ name }) => `${name}.${ending}`),
  ];
  const given = withNode ? ['node'] : [];

  beforeAll(() => {
    expect(examples.length).toBeGreaterThan(20);
    for (const { name, code } of examples) {
      writeFileSync(join(folder, `${name}.mts`), code);
      writeFileSync(join(folder, `${name}.cts`), asCommonJs(code));
    }
    writeFileSync(join(folder, 'console.d.ts'), CONSOLE);
  });

  it.each(RESOLUTIONS)('programs compile under %s', (name, options) => {
    const modules = name.endsWith('CommonJS') ? [] : files('mts');
    const settings = { ...options, types: given, noEmit: true };
    expect(compile(folder, [...modules, ...files('cts')], settings)).toBe('');
  });

  it('the types that are wanted are those that are checked', () => {
    writeFileSync(
      join(folder, 'wrong.mts'),
      "import { type RecordOptions, record } from 'perf-ts';\n" +
        'const options: RecordOptions = { command: 1 };\nvoid record(options);\n',
    );
    const [, settings] = RESOLUTIONS[0];
    expect(compile(folder, ['wrong.mts'], { ...settings, types: given, noEmit: true })).toContain(
      'wrong.mts(2,34): error TS2322',
    );
  });
});
