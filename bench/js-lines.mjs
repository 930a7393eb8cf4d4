// Compares the lines of a program of two hot loops: launched, attached to, and by `node --cpu-prof`. The share
// of the first loop in both, with its 95% interval; what of all samples both are; what had no name in the
// last 0.7 s after an attach.
//
//     node bench/js-lines.mjs [--tsx tsx/dist/loader.mjs] [--ts-node ts-node/register/transpile-only] [node …]

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root } from './measure.mjs';

const { values: loaders, positionals: nodes } = parseArgs({
  allowPositionals: true,
  options: { tsx: { type: 'string' }, 'ts-node': { type: 'string' } },
});
const CLI = join(root, 'dist/bin/main.js');
const MS = '1500';
const ENDLESS = '60000';
const FIRST = 9;
const SECOND = 13;
const SOURCE = `interface Options {
  readonly rounds: number;
}

function hot({ rounds }: Options): number {
  let a = 0;
  for (let i = 0; i < rounds; i++) {
    a = (a * 31 + i) % 1000003;
  }
  let b = 1;
  for (let i = 0; i < 3 * rounds; i++) {
    b = (b * 17 + i) % 1000033;
  }
  return a + b;
}

let sum = 0;
const end = process.hrtime.bigint() + BigInt(process.argv[2]) * 1000000n;
while (process.hrtime.bigint() < end) sum += hot({ rounds: 1000 });
console.log(sum);
`;

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-lines-'));
writeFileSync(join(scratch, 'hot.ts'), `// @ts-nocheck\n${SOURCE}`);
const compilerOptions = { module: 'commonjs', target: 'es2022', sourceMap: true, types: [] };
writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', scratch]);
const ways = { tsc: ['hot.js'] };
if (loaders.tsx) ways.tsx = ['--import', loaders.tsx, 'hot.ts'];
if (loaders['ts-node']) ways['ts-node'] = ['-r', loaders['ts-node'], 'hot.ts'];

function perfTs(...words) {
  const settings = { cwd: scratch, encoding: 'utf8', maxBuffer: 1 << 28 };
  return spawnSync(process.execPath, [CLI, ...words], settings).stdout;
}

function shareOf(file) {
  const [{ rows }] = JSON.parse(
    perfTs('report', '--sort', 'srcline', '--json', '-n', '0', file),
  ).events;
  const of = (line) =>
    rows.find(({ srcline }) => srcline?.endsWith(`hot.ts:${line}`))?.samples ?? 0;
  const all = rows.reduce((sum, { samples }) => sum + samples, 0);
  return describe(of(FIRST), of(SECOND), all);
}

function describe(first, second, all) {
  const both = first + second;
  const share = first / both;
  const half = 1.96 * Math.sqrt((share * (1 - share)) / both);
  const percent = (value) => (100 * value).toFixed(1);
  return `${percent(share)} ± ${percent(half)} (${percent(both / all)} % of all)`;
}

function unnamedLately(file) {
  const samples = perfTs('script', '-F', 'time,ip,sym', file)
    .split('\n\n')
    .map((text) => ({
      time: Number.parseFloat(text),
      isNamed: !/^.*\n\s+\w+ \[unknown\]/.test(text),
    }))
    .filter(({ time }) => time > 0);
  const late = samples.filter(({ time }) => time > samples.at(-1).time - 0.7);
  const unnamed = late.filter(({ isNamed }) => !isNamed).length;
  return `${((100 * unnamed) / late.length).toFixed(1)} % unnamed`;
}

/** Ticks of the two lines that have the most, in the code that ran. */
function cpuProf(node, words) {
  const folder = mkdtempSync(join(scratch, 'prof-'));
  const flags = ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', folder];
  spawnSync(node, [...flags, ...words, MS], { cwd: scratch });
  const ticks = new Map();
  for (const file of readdirSync(folder)) {
    for (const { callFrame, positionTicks = [] } of JSON.parse(
      readFileSync(join(folder, file), 'utf8'),
    ).nodes) {
      if (!/hot\.[jt]s$/.test(callFrame.url)) continue;
      for (const { line, ticks: count } of positionTicks) {
        ticks.set(line, (ticks.get(line) ?? 0) + count);
      }
    }
  }
  const most = [...ticks].sort((a, b) => b[1] - a[1]).slice(0, 2);
  const [first = [0, 0], second = [0, 0]] = most.sort((a, b) => a[0] - b[0]);
  return describe(
    first[1],
    second[1],
    [...ticks.values()].reduce((a, b) => a + b, 0),
  );
}

for (const node of nodes.length > 0 ? nodes : [process.execPath]) {
  for (const [way, words] of Object.entries(ways)) {
    const flags = ['record', '-g', '-F', '2000', '-o'];
    perfTs(...flags, 'launched.data', '--', node, ...words, MS);
    const program = spawn(node, [...words, ENDLESS], { cwd: scratch, stdio: 'ignore' });
    await sleep(2500);
    const attach = ['--attach-js', '-p', `${program.pid}`, '--duration', '2'];
    perfTs(...flags, 'attached.data', ...attach);
    program.kill('SIGKILL');
    console.log(
      `${node} ${way}: launched ${shareOf('launched.data')}; attached ${shareOf('attached.data')}, ` +
        `${unnamedLately('attached.data')}; --cpu-prof ${cpuProf(node, words)}`,
    );
  }
}
