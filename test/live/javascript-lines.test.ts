// Lines of JavaScript in optimized code, of programs that are launched and that run already.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const LIGHT_LINE = 4;
const HEAVY_LINE = 8;
/**
 * Two loops, of which one runs three times as often: lines 4 and 8 of the text, 7 and 11 of its source. The function
 * calls itself, so that V8 puts it into no other.
 */
const TWO_LOOPS = `function hot(count, depth) {
  let a = 0;
  for (let i = 0; i < count; i++) {
    a = (a * 31 + i) % 1000003;
  }
  let b = 1;
  for (let i = 0; i < 3 * count; i++) {
    b = (b * 17 + i) % 1000033;
  }
  return depth === 0 ? a + b : hot(count, depth - 1) + a + b;
}
let sum = 0;
function turn() { for (let i = 0; i < 30; i++) sum += hot(1000, 5); }
`;
const FIXED = `${TWO_LOOPS}for (let i = 0; i < 250; i++) turn();\n`;
/** A twentieth: other code than optimized is that much slower. */
const SHORT = `${TWO_LOOPS}for (let i = 0; i < 12; i++) turn();\n`;
const ENDLESS = `${TWO_LOOPS}for (let i = 0; i < 30; i++) turn();
require('node:fs').writeSync(1, 'begun\\n');
for (;;) turn();
`;
/** A function whose light line calls 10 functions for the first time, and whose heavy one 30: V8 compiles each then. */
function lazyProgram(): string {
  const body = Array.from({ length: 4000 }, (_, i) => `a[${i}] = b(a, ${i}) + 'x${i}';`).join(' ');
  const functions = Array.from(
    { length: 40 },
    (_, i) => `function f${i}(a, b) { if (a === undefined) return; ${body} }`,
  );
  const callsOf = (first: number, end: number) =>
    Array.from({ length: end - first }, (_, i) => `f${first + i}();`).join(' ');
  const lines = Array<string>(12).fill('');
  lines[0] = 'function main() {';
  lines[LIGHT_LINE - 1] = callsOf(0, 10);
  lines[HEAVY_LINE - 1] = callsOf(10, 40);
  lines[HEAVY_LINE] = '}';
  return [...lines, ...functions, 'main();', ''].join('\n');
}
/** Each line of the text is three further down in its source. */
const MAPPINGS = `AAGA${';AACA'.repeat(16)}`;
const SOURCE_MAP = { version: 3, sources: ['typed.ts'], names: [], mappings: MAPPINGS };

type Row = {
  readonly key?: string;
  readonly name?: string;
  readonly self: number;
  readonly total: number;
};

function rowsOf(recording: string, ...options: string[]): Row[] {
  const report = perfTs(['report', ...options, '--json', '-n', '0', recording]);
  return (JSON.parse(report.stdout) as { events: { rows: Row[] }[] }).events[0].rows;
}

/** Weight of lines of a file, by number. */
function linesOf(
  recording: string,
  file: string,
  weight: 'self' | 'total' = 'self',
): Map<number, number> {
  const lines = new Map<number, number>();
  for (const row of rowsOf(recording, '--sort', 'srcline')) {
    const [, place, line] = /([^\s/]+):(\d+)$/.exec(Object.values(row).find(isPlace) ?? '') ?? [];
    if (place === file) lines.set(Number(line), (lines.get(Number(line)) ?? 0) + row[weight]);
  }
  return lines;
}

const isPlace = (value: unknown): value is string =>
  typeof value === 'string' && /:\d+$/.test(value);

/** The heavy loop's share of both loops, which are lines `shift` further down. */
function heavyShare(lines: ReadonlyMap<number, number>, shift: number): number {
  const of = (line: number) => (lines.get(line + shift) ?? 0) + (lines.get(line + shift - 1) ?? 0);
  return of(HEAVY_LINE) / (of(LIGHT_LINE) + of(HEAVY_LINE));
}

const FLAGS = ['-g', '-e', 'cpu-clock:u', '-F', '997'];

async function startEndless(script: string): Promise<number> {
  const child = spawn(process.execPath, [script], { env: { ...process.env, NODE_OPTIONS: '' } });
  running.push(child);
  await once(child.stdout, 'data');
  return child.pid as number;
}

describeLive('lines of JavaScript', () => {
  it('lines of a launched program are those that take the time', () => {
    const script = join(scratch, 'launched.cjs');
    writeFileSync(script, FIXED);
    const recording = join(scratch, 'launched.data');
    const run = perfTs(['record', ...FLAGS, '-o', recording, '--', process.execPath, script]);
    expect(run.status).toBe(0);
    const share = heavyShare(linesOf(recording, 'launched.cjs'), 0);
    expect(share).toBeGreaterThan(0.6);
    expect(share).toBeLessThan(0.9);
  });

  it.each([
    ['baseline code', ['--always-sparkplug', '--no-opt'], 'auto,256'],
    ['the interpreter', ['--no-opt', '--no-sparkplug'], 'auto,256'],
    ['baseline code', ['--always-sparkplug', '--no-opt'], 'fp'],
    ['the interpreter', ['--no-opt', '--no-sparkplug'], 'fp'],
  ])('lines of a program in %s are those that take the time (%s, %s)', (_, tier, way) => {
    const script = join(scratch, 'slow.cjs');
    writeFileSync(script, SHORT);
    const recording = join(scratch, 'slow.data');
    const options = ['--call-graph', way, ...FLAGS.slice(1), '-o', recording];
    const run = perfTs(['record', ...options, '--', process.execPath, ...tier, script]);
    expect(run.status, run.stderr).toBe(0);
    const share = heavyShare(linesOf(recording, 'slow.cjs'), 0);
    expect(share).toBeGreaterThan(0.6);
    expect(share).toBeLessThan(0.9);
  });

  it('code that V8 made before the preload ran is named after the bootstrap of Node', () => {
    const file = join(scratch, 'bootstrap.data');
    const event = ['-e', 'page-faults:u', '-c', '1', '-g'];
    const requireAll = 'for (const each of require("node:module").builtinModules) require(each)';
    expect(
      perfTs(['record', ...event, '-o', file, '--', process.execPath, '-e', requireAll]).status,
    ).toBe(0);
    const rows = rowsOf(file);
    const totalOf = (name: RegExp) =>
      rows.reduce((sum, row) => sum + (name.test(row.name ?? '') ? row.total : 0), 0);
    expect(totalOf(/^\(bootstrap\) node:internal/)).toBeGreaterThan(0);
    expect(totalOf(/^\[JIT\]/)).toBe(0);
  });

  it('an interpreted function is at the lines for whose calls V8 compiles, by frame pointers alone', () => {
    const script = join(scratch, 'lazy.cjs');
    writeFileSync(script, lazyProgram());
    const recording = join(scratch, 'lazy.data');
    const run = perfTs(['record', ...FLAGS, '-o', recording, '--', process.execPath, script]);
    expect(run.status, run.stderr).toBe(0);
    const lines = linesOf(recording, 'lazy.cjs', 'total');
    expect(heavyShare(lines, 0)).toBeGreaterThan(0.6);
    expect(heavyShare(lines, 0)).toBeLessThan(0.9);
  });

  it('lines of code that was optimized before the attach are read as well', async () => {
    const script = join(scratch, 'attached.cjs');
    writeFileSync(script, ENDLESS);
    const pid = await startEndless(script);
    const recording = join(scratch, 'attached.data');
    const options = [...FLAGS, '--attach-js', '-p', `${pid}`, '--duration', '2'];
    expect(perfTs(['record', ...options, '-o', recording]).status).toBe(0);
    const share = heavyShare(linesOf(recording, 'attached.cjs'), 0);
    expect(share).toBeGreaterThan(0.6);
    expect(share).toBeLessThan(0.9);
  });

  it('lines of a script with its source map inside are those of the source, also after an attach', async () => {
    const url = Buffer.from(JSON.stringify(SOURCE_MAP)).toString('base64');
    const script = join(scratch, 'typed.cjs');
    // The code that runs is not that of the file, as with a loader.
    const program = `${ENDLESS}//# sourceMappingURL=data:application/json;base64,${url}\n`;
    const load = `new (require('node:module'))(__filename)._compile(${JSON.stringify(program)}, __filename.replace('loader', 'typed'));`;
    writeFileSync(script, 'throw new Error("the file itself does not run");');
    const loader = join(scratch, 'loader.cjs');
    writeFileSync(loader, load);
    const pid = await startEndless(loader);
    const recording = join(scratch, 'typed.data');
    const options = [...FLAGS, '--attach-js', '-p', `${pid}`, '--duration', '2'];
    const run = perfTs(['record', ...options, '-o', recording]);
    expect(run.status).toBe(0);
    const share = heavyShare(linesOf(recording, 'typed.ts'), 3);
    expect(share, run.stderr).toBeGreaterThan(0.6);
    expect(share).toBeLessThan(0.9);
  });
});

/** Two modules as development servers evaluate them: of one name for a function, one with its source map inside. */
const EVALUATED = `const loop = '(function hot(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 33 + i) % 1000003; return s; })';
const map = ${JSON.stringify({ version: 3, sources: ['webpack://app/./src/b.ts'], names: [], mappings: 'AAMA' })};
const data = Buffer.from(JSON.stringify(map)).toString('base64');
const url = (name) => '\\n//# sourceURL=webpack-internal:///./src/' + name;
const one = (0, eval)(loop + url('a.js'));
const other = (0, eval)(loop + '\\n//# sourceMappingURL=data:application/json;base64,' + data + url('b.js'));
let sum = 0;
for (let i = 0; i < 4000; i++) sum += one(20000) + other(20000);
`;

/** A script as a test runner compiles it while it takes coverage: V8 up to 11 has another object in place of a function's script. */
const COVERED = `const { Session } = require('node:inspector');
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const map = ${JSON.stringify({ version: 3, sources: ['b.ts'], names: [], mappings: 'AAMA' })};
const data = Buffer.from(JSON.stringify(map)).toString('base64');
const code = 'function hot(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 33 + i) % 1000003; return s; }\\nhot';
const text = code + '\\n//# sourceMappingURL=data:application/json;base64,' + data;
const hot = new (require('node:vm')).Script(text, { filename: '/app/covered.ts' }).runInThisContext();
let sum = 0;
for (let i = 0; i < 4000; i++) sum += hot(20000);
`;

describeLive('lines of evaluated JavaScript', () => {
  it('lines of a text that names no file are those of the text', () => {
    const script = join(scratch, 'text.cjs');
    const recording = join(scratch, 'text.data');
    writeFileSync(script, `(0, eval)(${JSON.stringify(FIXED)});`);
    const flags = ['record', ...FLAGS, '-o', recording, '--'];
    const recorded = perfTs([...flags, process.execPath, script]);
    expect(recorded.status, recorded.stderr).toBe(0);
    const share = heavyShare(linesOf(recording, '[evaluated]'), 0);
    expect(share).toBeGreaterThan(0.6);
    expect(share).toBeLessThan(0.9);
  });

  it.each([
    [
      'functions of evaluated modules are those of the URL and source map that the module gives itself',
      EVALUATED,
      ['hot src/a.js:1', 'hot src/b.ts:7'],
    ],
    [
      'functions whose coverage is taken have the lines of the source map inside their script',
      COVERED,
      [expect.stringMatching(/^hot .*b\.ts:7$/)],
    ],
  ])('%s', (_, text, names) => {
    const script = join(scratch, 'mapped.cjs');
    const recording = join(scratch, 'mapped.data');
    writeFileSync(script, text);
    const flags = ['record', '-q', '-e', 'cpu-clock:u', '-F', '997', '-o', recording, '--'];
    const recorded = perfTs([...flags, process.execPath, script]);
    expect(recorded.status, recorded.stderr).toBe(0);
    const report = perfTs(['report', '--json', '-n', '0', recording]);
    const { rows } = (JSON.parse(report.stdout) as { events: { rows: Row[] }[] }).events[0];
    const hot = rows.map(({ name }) => name ?? '').filter((name) => name.startsWith('hot '));
    expect(hot.sort()).toEqual(names);
  });
});
