// JavaScript named by the jitdump of its engine: functions that V8 inlined, and Bun's and Deno's code.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLiveAsUser } from '../helpers/live.ts';

const scratch = scratchDirectory();
const directory = join(scratch, 'run');

// Lines of their own: a position that functions of two files share is left open where both are inlined.
const LEAF = `${'\n'.repeat(40)}exports.leaf = function leaf(x) {
  let sum = 0;
  for (let i = 0; i < 40; i++) sum += Math.sqrt(x + i * sum);
  return sum;
};
`;
const HOT = `const { leaf } = require('./leaf.cjs');
function middle(x) {
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += leaf(x + i);
  return sum;
}
function outer(count) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += middle(i);
  return sum;
}
let sum = 0;
for (let i = 0; i < 1500; i++) sum += outer(400);
if (process.argv[2] === 'parent') {
  require('node:child_process').spawnSync(process.execPath, [__filename], { cwd: 'below' });
}
`;
const TYPED = `interface Point { readonly x: number }

function weigh(point: Point, count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += Math.sqrt(point.x * i);
  return sum;
}

weigh({ x: 2 }, 300_000_000);
`;

type Row = { readonly name: string; readonly self: number; readonly samples: number };

function record(name: string, options: string[], command: string[]) {
  const file = join(scratch, name);
  const run = perfTs(
    ['record', '-g', '-F', '997', '-e', 'cpu-clock:u', ...options, '-o', file, '--', ...command],
    { cwd: directory, env: { ...process.env, NODE_OPTIONS: '' } },
  );
  expect(run.status).toBe(0);
  const report = perfTs(['report', '--json', file]);
  const { rows } = (JSON.parse(report.stdout) as { events: { rows: Row[] }[] }).events[0];
  return { file, reported: run.stderr, rows };
}

/** The row with most of the samples whose name ends with `file:line`, and its share of them. */
function largest(rows: readonly Row[], place: RegExp): string | undefined {
  const [first] = rows.filter(({ name }) => place.test(name)).sort((a, b) => b.self - a.self);
  return first?.name;
}

describeLiveAsUser('a jitdump of Node', () => {
  beforeAll(() => {
    mkdirSync(join(directory, 'below'), { recursive: true });
    writeFileSync(join(directory, 'leaf.cjs'), LEAF);
    writeFileSync(join(directory, 'hot.cjs'), HOT);
  });

  it('a jitdump names the function that was inlined from another file, and is stored', () => {
    const { file, reported, rows } = record(
      'node.data',
      ['--jitdump'],
      [process.execPath, ...['hot.cjs', 'parent']],
    );
    expect(reported).toMatch(/jitdumps? of .* in the recording/);
    // Files that V8 wrote are gone, also where a child ran.
    expect(readdirSync(directory).sort()).toEqual(['below', 'hot.cjs', 'leaf.cjs']);
    expect(readdirSync(join(directory, 'below'))).toEqual([]);
    expect(largest(rows, /\.cjs:\d+$/)).toMatch(/^leaf \S*leaf\.cjs:41$/);
    const { stdout } = perfTs(['script', '--json', file]);
    const chains = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'SAMPLE')
      .map(({ callchain }) => callchain.slice(0, 2));
    const leaf = { inlined: true, symbol: /^JS:[*+]'?leaf \S*leaf\.cjs:41:29$/ };
    const inlined = chains.filter(
      ([first]) => first?.inlined === true && leaf.symbol.test(first.symbol ?? ''),
    );
    expect(inlined.length).toBeGreaterThan(0);
    for (const [first, second] of inlined) {
      expect(first.file).toMatch(/\/leaf\.cjs$/);
      expect([41, 42, 43, 44]).toContain(first.line);
      expect(second).toMatchObject({
        inlined: false,
        symbol: expect.stringMatching(/(?:outer|middle|hot)/),
      });
    }
    const plain = perfTs(['report', '--json', '--no-inline', file]);
    const { rows: physical } = (JSON.parse(plain.stdout) as { events: { rows: Row[] }[] })
      .events[0];
    const selfOf = (all: readonly Row[]) =>
      all.filter(({ name }) => /^leaf /.test(name)).reduce((sum, { self }) => sum + self, 0);
    expect(selfOf(physical)).toBeLessThan(selfOf(rows));
  });
});

/** Whether a program of this name is installed. */
const has = (name: string) => spawnSync(name, ['--version']).status === 0;

describeLiveAsUser('other runtimes', () => {
  beforeAll(() => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'typed.ts'), TYPED);
  });

  it.skipIf(!has('bun'))('the functions of Bun have names and tiers', () => {
    const before = new Set(readdirSync('/tmp'));
    const { reported, rows } = record('bun.data', [], ['bun', 'typed.ts']);
    expect(reported).toContain('BUN_JSC_useJITDump=1 is set for Bun');
    expect(largest(rows, /^[a-z]+$/i)).toMatch(/^weigh$/);
    const left = readdirSync('/tmp').filter((name) => name.startsWith('jit-') && !before.has(name));
    expect(left).toEqual([]);
  });

  it.skipIf(!has('deno'))('the functions of Deno have the lines of their source', () => {
    const { reported, rows } = record('deno.data', [], ['deno', 'run', 'typed.ts']);
    expect(reported).toContain('DENO_V8_FLAGS got --perf-basic-prof');
    expect(largest(rows, /typed\.ts/)).toMatch(/^weigh \S*typed\.ts:3$/);
    expect(readdirSync(directory).filter((name) => name.startsWith('isolate'))).toEqual([]);
  });
});
