// What V8's profiling flags cost a TypeScript server: CPU time (user + system, as the process counts it)
// of the same requests with and without each, in turn, the median of the ratios pair by pair. And what
// they write.
//
//     node bench/node-flags.mjs [requests] [rounds]       default 2000 and 5

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './measure.mjs';

const [requests = 2000, rounds = 5] = process.argv.slice(2).map(Number);

const MAP = '--perf-basic-prof';
const INTERPRETED = '--interpreted-frames-native-stack';
const PRELOAD = `--require=${join(root, 'dist/register/preload.cjs')}`;

const VARIANTS = [
  ['none', []],
  ['none again', []],
  ['map', [MAP]],
  ['map, interpreted frames', [MAP, INTERPRETED]],
  ['map, interpreted frames, register', [MAP, INTERPRETED, PRELOAD]],
  ['jitdump, interpreted frames', ['--perf-prof', INTERPRETED]],
];

const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-node-flags-'));
const project = join(root, 'examples/typescript-server');
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', project, '--outDir', scratch]);
writeFileSync(join(scratch, 'package.json'), '{"type":"module"}');

/** CPU milliseconds of a server that answers so many requests, and the bytes that it left. */
function serve(flags, count) {
  const before = new Set(readdirSync('/tmp'));
  const env = {
    ...process.env,
    NODE_OPTIONS: flags.join(' '),
    LOAD_MS: '600000',
    REQUESTS: String(count),
  };
  const options = { cwd: scratch, env, encoding: 'utf8' };
  const { cpuMs } = JSON.parse(execFileSync(process.execPath, ['server.js'], options));
  const pid = newMapPid(before);
  const left = [
    ...readdirSync(scratch)
      .filter((name) => /^jit-\d+\.dump$|-v8\.log$/.test(name))
      .map(inScratch),
    ...(pid === null ? [] : [`/tmp/perf-${pid}.map`, `/tmp/perf-ts-${pid}.notes`]),
  ];
  const bytes = left.reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  for (const path of left) rmSync(path, { force: true });
  return { cpuMs, bytes };
}

const inScratch = (name) => join(scratch, name);

/** The map that appeared meanwhile with the name of a process that is gone. */
function newMapPid(before) {
  for (const name of readdirSync('/tmp')) {
    const pid = /^perf-(\d+)\.map$/.exec(name)?.[1];
    if (pid === undefined || before.has(name)) continue;
    try {
      process.kill(Number(pid), 0);
    } catch {
      return pid;
    }
  }
  return null;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function measure(count) {
  const results = new Map(VARIANTS.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, flags] of VARIANTS) results.get(name).push(serve(flags, count));
  }
  const base = results.get('none').map(({ cpuMs }) => cpuMs);
  return new Map(
    [...results].map(([name, runs]) => [
      name,
      {
        ratio: median(runs.map(({ cpuMs }, round) => cpuMs / base[round])),
        cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
        bytes: median(runs.map(({ bytes }) => bytes)),
      },
    ]),
  );
}

const start = measure(1);
const served = measure(requests);
console.log(`| flags | start-up | ratio | ${requests} requests | ratio | written |`);
console.log('| --- | --- | --- | --- | --- | --- |');
for (const [name] of VARIANTS) {
  const first = start.get(name);
  const all = served.get(name);
  console.log(
    `| ${name} | ${first.cpuMs.toFixed(0)} ms | ${first.ratio.toFixed(2)}× | ` +
      `${(all.cpuMs / 1000).toFixed(2)} s | ${all.ratio.toFixed(3)}× | ` +
      `${(all.bytes / 1024).toFixed(0)} KiB |`,
  );
}
rmSync(scratch, { recursive: true });
