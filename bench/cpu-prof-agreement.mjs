// Whether `node --cpu-prof` and perf-ts name the same functions with the same shares. Both count each
// sample for the innermost function of JavaScript, garbage collection and idle time aside. perf-ts's
// shares are those of `report --frames javascript`, with their 95 % intervals; the two are different runs
// of a program, so that two runs of `--cpu-prof` stand beside them.
//
//     node bench/cpu-prof-agreement.mjs FOLDER [NODE…]        FOLDER as for `node-kinds.mjs`

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './measure.mjs';
import { PROGRAMS } from './node-kinds/programs.mjs';

const [given, ...nodes] = process.argv.slice(2);
if (given === undefined) throw new Error('usage: node bench/cpu-prof-agreement.mjs FOLDER [NODE…]');
const folder = resolve(given);
const file = join(folder, `agreement-${process.pid}.data`);
const CLI = join(root, 'dist/bin/main.js');
const TOP = 10;
const ASIDE = /^\((?:idle|garbage collector)\)$/;
/** Programs whose sources V8 runs as they are: `--cpu-prof` knows no source maps. */
const KINDS = [
  ...['prettier', 'rollup', 'eslint, typescript-eslint', 'express, tsc', 'fastify', 'http'],
  ...['native TypeScript', 'acorn', 'marked', 'WebAssembly', 'addon', 'outer → middle → leafSqrt'],
];

function run(command, args, kind) {
  const { cwd = '.' } = PROGRAMS[kind];
  const env = { ...process.env, MS: '2500' };
  try {
    execFileSync(command, args, { cwd: join(folder, cwd), env, stdio: 'ignore' });
  } catch (error) {
    // Linters and checkers end with 1 where they find something.
    if (error.status !== 1) throw error;
  }
}

/** Shares by `file:line` of where a function begins, of all time in JavaScript and what it called. */
function cpuProfile(node, kind) {
  const profiles = mkdtempSync(join(folder, 'cpu-prof-'));
  const flags = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--cpu-prof-interval', '500'];
  run(node, [...flags, ...PROGRAMS[kind].args], kind);
  const files = readdirSync(profiles).map((name) => readFileSync(join(profiles, name), 'utf8'));
  rmSync(profiles, { recursive: true });
  const { nodes: all, samples } = JSON.parse(files.sort((a, b) => b.length - a.length)[0]);
  const byId = new Map(all.map((one) => [one.id, one]));
  for (const { id, children = [] } of all) {
    for (const child of children) byId.get(child).parent = id;
  }
  const weights = new Map();
  for (const sample of samples) {
    let one = byId.get(sample);
    if (ASIDE.test(one.callFrame.functionName)) continue;
    while (one !== undefined && one.callFrame.url === '') one = byId.get(one.parent);
    if (one === undefined) continue;
    const { url, lineNumber, functionName } = one.callFrame;
    // The wrapper of a module, and its body: perf-ts calls both by line 1.
    const place = `${decodeURI(url.replace('file://', ''))}:${lineNumber + 1}`;
    const key = url.startsWith('wasm://') ? functionName : place;
    const known = weights.get(key);
    weights.set(key, { name: functionName, weight: (known?.weight ?? 0) + 1 });
  }
  return sharesOf(weights);
}

function sharesOf(weights) {
  const sum = [...weights.values()].reduce((total, { weight }) => total + weight, 0);
  return new Map(
    [...weights].map(([key, { name, weight }]) => [key, { name, share: weight / sum }]),
  );
}

/** As `cpuProfile`, by the rows of a report; `low` and `high` are bounds of the share. */
function perfTs(node, kind, flags) {
  const record = ['record', '-q', '-g', '-F', '1999', '-e', 'cpu-clock', ...flags, '-o', file];
  run(process.execPath, [CLI, ...record, '--', node, ...PROGRAMS[kind].args], kind);
  const args = [CLI, 'report', '--json', '--frames', 'javascript', '--no-source-maps', '-i', file];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  rmSync(file);
  // Functions of JavaScript, and those of WebAssembly, which have no file.
  const isScript = ({ dso, line, category }) =>
    dso.startsWith('[JIT]') && (line > 0 || category === 'native');
  const scripts = JSON.parse(text).events[0].rows.filter(isScript);
  const sum = scripts.reduce((total, row) => total + row.selfShare, 0);
  const shares = new Map();
  for (const row of scripts) {
    const key = row.file === null ? row.name : `${row.file}:${row.line}`;
    const known = shares.get(key) ?? { share: 0, low: 0, high: 0 };
    shares.set(key, {
      name: row.name,
      share: known.share + row.selfShare / sum,
      low: known.low + row.selfLow / sum,
      high: known.high + row.selfHigh / sum,
    });
  }
  return shares;
}

/** The largest ten, without those below a hundredth: these are chance in a run of seconds. */
const top = (shares) =>
  [...shares]
    .filter(([, { share }]) => share >= 0.01)
    .sort(([, a], [, b]) => b.share - a.share)
    .slice(0, TOP)
    .map(([key]) => key);

/** How many of the largest of `reference` are among `other`'s, and within its bounds; points apart. */
function compare(reference, other) {
  const keys = top(reference);
  const among = top(other);
  const points = keys.map(
    (key) => 100 * Math.abs(reference.get(key).share - (other.get(key)?.share ?? 0)),
  );
  const within = keys.filter((key) => {
    const found = other.get(key);
    return found?.low <= reference.get(key).share && reference.get(key).share <= found.high;
  });
  const mean = points.reduce((sum, value) => sum + value, 0) / points.length;
  return {
    same: `${keys.filter((key) => among.includes(key)).length}/${keys.length}`,
    mean: mean.toFixed(1),
    worst: Math.max(...points).toFixed(1),
    within: `${within.length}/${keys.length}`,
  };
}

console.log('| program | Node | against --cpu-prof | same of ten | mean | worst | within 95 % |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const node of nodes.length > 0 ? nodes : [process.execPath]) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  for (const kind of KINDS) {
    if (Number(/\d+/.exec(version)[0]) < (PROGRAMS[kind].oldest ?? 0)) continue;
    const reference = cpuProfile(node, kind);
    const others = {
      'itself again': cpuProfile(node, kind),
      'perf-ts': perfTs(node, kind, []),
      'perf-ts --jitdump': perfTs(node, kind, ['--jitdump']),
    };
    for (const [name, other] of Object.entries(others)) {
      const { same, mean, worst, within } = compare(reference, other);
      const cells = [kind, version, name, same, mean, worst, name === 'itself again' ? '' : within];
      console.log(`| ${cells.join(' | ')} |`);
      for (const key of top(reference)) {
        const [a, b] = [reference.get(key), other.get(key)];
        const range =
          b?.low === undefined ? '' : ` (${(100 * b.low).toFixed(1)}–${(100 * b.high).toFixed(1)})`;
        const shown = b === undefined ? 'none' : `${(100 * b.share).toFixed(1)}${range}`;
        console.error(`  ${name}: ${a.name} ${key}: ${(100 * a.share).toFixed(1)}, ${shown}`);
      }
    }
  }
}
