// Whether `node --cpu-prof` and perf-ts name the same functions with the same shares. Both count each
// sample for the innermost function of JavaScript, garbage collection and idle time aside: code in C++, of V8
// and of the kernel counts for what called it. perf-ts's shares have their 95 % intervals; the two are
// different runs of a program, so that two runs of `--cpu-prof` stand beside them.
//
// `--cpu-prof` counts a function that V8 has put into another for that other one, perf-ts does not: with
// `--apart` V8 inlines nothing, in either's runs. It follows frame pointers, as `-g` does, which miss who called a
// builtin that has no frame; `--call-graph auto` does not.
//
//     node bench/cpu-prof-agreement.mjs [--apart] FOLDER [NODE…]        FOLDER as for `node-kinds.mjs`

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openProfile } from '../dist/index.js';
import { root } from './measure.mjs';
import { PROGRAMS } from './node-kinds/programs.mjs';

const words = process.argv.slice(2);
const isApart = words[0] === '--apart';
const [given, ...nodes] = isApart ? words.slice(1) : words;
if (given === undefined) {
  throw new Error('usage: node bench/cpu-prof-agreement.mjs [--apart] FOLDER [NODE…]');
}
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

const majorOf = (node) =>
  Number(/\d+/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))[0]);

/** Flags that keep V8 from inlining; Node has Maglev since 22. */
function apart(node) {
  if (!isApart) return [];
  return ['--no-turbo-inlining', ...(majorOf(node) >= 22 ? ['--no-maglev'] : [])];
}

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
  run(node, [...flags, ...apart(node), ...PROGRAMS[kind].args], kind);
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

/** Work that `--cpu-prof` sets aside; what is compiled counts for what loads it. */
const COLLECTION = /v8::internal::(?:Heap|Scaveng|MarkCompact)/;

/**
 * Makes each sample of `profile` one of the innermost function of JavaScript or WebAssembly, as `--cpu-prof`
 * counts: what that called in C++, in V8 and in the kernel is its own. A stack follows what it continues.
 */
function countForCallers({ stacks, frames, funcs, dsos, strings }) {
  const isScript = (frame) =>
    frames.tier[frame] !== 0 && dsos[funcs.dso[frames.func[frame]]]?.kind === 'jit';
  for (let stack = 0; stack < stacks.length; stack++) {
    const frame = stacks.frame[stack];
    const prefix = stacks.prefix[stack];
    if (prefix < 0 || isScript(frame)) continue;
    if (!COLLECTION.test(strings[funcs.name[frames.func[frame]]])) {
      stacks.frame[stack] = stacks.frame[prefix];
    }
  }
}

/** Shares like those of `cpuProfile`, with bounds `low` and `high`. */
async function perfTs(node, kind, flags) {
  const record = ['record', '-q', '-F', '1999', '-e', 'cpu-clock', ...flags, '-o', file];
  const command = [node, ...apart(node), ...PROGRAMS[kind].args];
  run(process.execPath, [CLI, ...record, '--', ...command], kind);
  const opened = await openProfile(file, { sourceMaps: false });
  rmSync(file);
  const { funcs, dsos, strings } = opened.profile;
  countForCallers(opened.profile);
  // Functions of JavaScript, and those of WebAssembly, which have no file.
  const scripts = opened
    .report()
    .bySymbol.filter(({ func, self }) => self > 0 && dsos[funcs.dso[func]]?.kind === 'jit')
    .filter(({ func }) => funcs.line[func] > 0 || funcs.file[func] < 0);
  const sum = scripts.reduce((total, row) => total + row.selfShare, 0);
  const shares = new Map();
  for (const { func, selfShare, selfInterval } of scripts) {
    const name = strings[funcs.name[func]];
    const key = funcs.file[func] < 0 ? name : `${strings[funcs.file[func]]}:${funcs.line[func]}`;
    const known = shares.get(key) ?? { share: 0, low: 0, high: 0 };
    shares.set(key, {
      name,
      share: known.share + selfShare / sum,
      low: known.low + selfInterval.low / sum,
      high: known.high + selfInterval.high / sum,
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
    if (majorOf(node) < (PROGRAMS[kind].oldest ?? 0)) continue;
    const reference = cpuProfile(node, kind);
    const others = {
      'itself again': cpuProfile(node, kind),
      'perf-ts -g': await perfTs(node, kind, ['-g']),
      '-g --jitdump': await perfTs(node, kind, ['-g', '--jitdump']),
      '--call-graph auto': await perfTs(node, kind, ['--call-graph', 'auto']),
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
