// Functions that V8 inlines: shares of JavaScript functions in recordings with a perf map and with a
// jitdump, against two references: `node --cpu-prof`, and the same program with V8's inlining off, where
// each function has code of its own. Each sample counts for the innermost function of JavaScript on its
// stack; "again" is how far runs of the reference differ by themselves.
//
//     node bench/js-inlined.mjs [milliseconds] [node …]       default 2000 and this Node; needs the registry

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProfile } from '../dist/index.js';
import { INLINED_FUNCTIONS } from './inlined-functions.mjs';
import { root } from './measure.mjs';

const [milliseconds = '2000', ...given] = process.argv.slice(2);
const nodes = given.length > 0 ? given : [process.execPath];
const PACKAGES = ['acorn@8.15.0', 'marked@16.2.0', 'prettier@3.6.2', 'three@0.179.1'];
const TOP = 10;
const RUNS = 2;

const LOOP = `
const end = Date.now() + ${milliseconds};
while (Date.now() < end) await work();`;
const readText = (path) => `import { readFileSync } from 'node:fs';
const text = readFileSync(new URL('./node_modules/${path}', import.meta.url), 'utf8');`;

const PROGRAMS = {
  'outer → middle → leafSqrt': `
${INLINED_FUNCTIONS}
const work = () => outer(1000);${LOOP}`,
  'acorn, three.module.js': `import { parse } from 'acorn';
${readText('three/build/three.module.js')}
const work = () => parse(text, { ecmaVersion: 'latest', sourceType: 'module' });${LOOP}`,
  'marked, its README': `import { marked } from 'marked';
${readText('marked/README.md')}
const work = () => marked.parse(text.repeat(5));${LOOP}`,
  'prettier, Matrix4.js': `import { format } from 'prettier';
${readText('three/src/math/Matrix4.js')}
const work = () => format(text, { parser: 'babel' });${LOOP}`,
};

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-js-inlined-'));
writeFileSync(join(scratch, 'package.json'), '{"type":"module"}');
execFileSync('npm', ['install', '--silent', ...PACKAGES], { cwd: scratch, stdio: 'inherit' });

/** Shares by the place where a function begins, with its name. */
function sharesOf(weights) {
  const all = [...weights.values()].reduce((sum, { weight }) => sum + weight, 0);
  return new Map(
    [...weights].map(([key, { name, weight }]) => [key, { name, share: weight / all }]),
  );
}

function add(weights, key, name, weight) {
  const known = weights.get(key);
  weights.set(key, { name, weight: (known?.weight ?? 0) + weight });
}

function cpuProfile(node, script, weights) {
  const folder = join(scratch, 'profiles');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval', '500'];
  execFileSync(node, [...flags, script], { cwd: scratch, stdio: 'ignore' });
  const [file] = readdirSync(folder);
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const byId = new Map(profile.nodes.map((one) => [one.id, one]));
  for (const { id, children = [] } of profile.nodes) {
    for (const child of children) byId.get(child).parent = id;
  }
  for (const sample of profile.samples) {
    let one = byId.get(sample);
    // Code of V8 and of C++ counts for its caller; idle time, V8's collector and the rest for nobody.
    if (/^\((?:idle|program|garbage collector)\)$/.test(one.callFrame.functionName)) continue;
    while (one !== undefined && one.callFrame.url === '') one = byId.get(one.parent);
    if (one === undefined) continue;
    const { url, lineNumber, columnNumber, functionName } = one.callFrame;
    const key = `${url.replace('file://', '')}:${lineNumber + 1}:${columnNumber + 1}`;
    add(weights, key, functionName, 1);
  }
}

const FOR_V8 =
  /v8::internal::(?:Heap|Scaveng|MarkCompact|compiler|maglev|Compiler|OptimizingCompile)/;

async function perfTs(node, script, weights, flags, nodeFlags = []) {
  const file = join(scratch, 'js.data');
  const record = ['record', '-q', '-g', '-F', '1999', '-e', 'cpu-clock:u', ...flags, '-o', file];
  const command = [join(root, 'dist/bin/main.js'), ...record, '--', node, ...nodeFlags, script];
  execFileSync(process.execPath, command, { cwd: scratch, stdio: 'ignore' });
  const { profile } = await openProfile(file, { sourceMaps: false });
  const { samples, stacks, frames, funcs, strings } = profile;
  for (let sample = 0; sample < samples.length; sample++) {
    for (let stack = samples.stack[sample]; stack >= 0; stack = stacks.prefix[stack]) {
      const frame = stacks.frame[stack];
      const func = frames.func[frame];
      const name = strings[funcs.name[func]];
      if (FOR_V8.test(name)) break;
      if (frames.tier[frame] === 0 || funcs.file[func] < 0) continue;
      const key = `${strings[funcs.file[func]]}:${funcs.line[func]}:${funcs.column[func]}`;
      add(weights, key, name.split(' ')[0], 1);
      break;
    }
  }
}

/** Several runs as one. */
async function shares(run) {
  const weights = new Map();
  for (let i = 0; i < RUNS; i++) await run(weights);
  return sharesOf(weights);
}

const top = (shares) =>
  [...shares]
    .sort(([, a], [, b]) => b.share - a.share)
    .slice(0, TOP)
    .map(([key]) => key);

function spearman(keys, a, b) {
  const ranks = (shares) => {
    const values = keys.map((key) => shares.get(key)?.share ?? 0);
    return values.map((value) => {
      const above = values.filter((other) => other > value).length;
      const equal = values.filter((other) => other === value).length;
      return above + (equal - 1) / 2;
    });
  };
  const [x, y] = [ranks(a), ranks(b)];
  const mean = (keys.length - 1) / 2;
  const dot = (p, q) => p.reduce((sum, value, i) => sum + (value - mean) * (q[i] - mean), 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

/** How far `b` is from `a` in the functions that are largest in `a`. */
function compare(a, b) {
  const keys = top(a);
  const differences = keys.map((key) =>
    Math.abs((a.get(key)?.share ?? 0) - (b.get(key)?.share ?? 0)),
  );
  const overlap = top(b).filter((key) => keys.includes(key)).length;
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  const cells = [
    keys.length < 3 ? '–' : spearman(keys, a, b).toFixed(2),
    `${overlap}/${keys.length}`,
    (100 * mean).toFixed(2),
    (100 * Math.max(...differences)).toFixed(1),
  ];
  return cells.join(' | ');
}

console.log('| Node | program | reference | compared | Spearman | largest ten | mean | worst |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const node of nodes) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  const hasMaglev = Number(/\d+/.exec(version)?.[0]) >= 22;
  const apart = ['--no-turbo-inlining', ...(hasMaglev ? ['--no-maglev'] : [])];
  for (const [program, text] of Object.entries(PROGRAMS)) {
    const script = join(scratch, 'program.mjs');
    writeFileSync(script, text);
    const runs = {
      'cpu-prof': () => shares((weights) => cpuProfile(node, script, weights)),
      'not inlined': () => shares((weights) => perfTs(node, script, weights, [], apart)),
      'perf map': () => shares((weights) => perfTs(node, script, weights, [])),
      jitdump: () => shares((weights) => perfTs(node, script, weights, ['--jitdump'])),
    };
    const found = {};
    for (const [name, run] of Object.entries(runs)) found[name] = await run();
    for (const reference of ['cpu-prof', 'not inlined']) {
      const again = await runs[reference]();
      const all = [
        ['again', again],
        ...Object.entries(found).filter(([name]) => name !== reference),
      ];
      for (const [name, compared] of all) {
        const cells = compare(found[reference], compared);
        console.log(`| ${version} | ${program} | ${reference} | ${name} | ${cells} |`);
      }
    }
    const [largest] = top(found['not inlined']);
    const shown = Object.entries(found).map(
      ([name, all]) => `${name} ${(100 * (all.get(largest)?.share ?? 0)).toFixed(1)} %`,
    );
    const { name } = found['not inlined'].get(largest);
    console.error(`${version}, ${program}: ${name}: ${shown.join(', ')}`);
  }
}
rmSync(scratch, { recursive: true });
