// Measures how Node programs start with perf-ts: CPU time of an empty program and the wait for its first line, alone, with V8's map
// as it was set before, with the preload that reports V8's code, and with `perf-ts/register` that nobody asks, in
// turn; medians, and the least of each. The recorder is a socket here, which takes the code and keeps none.
//
//     node bench/node-start.mjs [rounds] [node …]       default 15 and this one

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './measure.mjs';

const [rounds = '15', ...given] = process.argv.slice(2);
const nodes = given.length > 0 ? given : [process.execPath];
const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-start-'));
const script = join(scratch, 'empty.cjs');
writeFileSync(
  script,
  `const begun = Date.now() - performance.timeOrigin;
   process.on('exit', () => { const { user, system } = process.cpuUsage(); console.log((user + system) / 1000, begun); });`,
);
const socket = join(scratch, 'code');
const sink = createServer((program) => program.resume()).listen(socket);
await once(sink, 'listening');

const boot = join(root, 'dist/register/boot.cjs');
/** The environment of a recording, as `record` makes it. */
function session(flags, recording) {
  const words = [...flags, '--require', boot].join(' ');
  const program = join(root, 'dist/register/recorded.cjs');
  const facts = { boot, words, program, owner: process.geteuid(), ...recording };
  return { NODE_OPTIONS: words, PERF_TS_SESSION: JSON.stringify(facts) };
}
const MAP = '--perf-basic-prof --interpreted-frames-native-stack';
const VARIANTS = {
  alone: {},
  'map and preload': session([MAP], { recording: 'bench' }),
  'preload reports': session([], { socket }),
  register: { NODE_OPTIONS: `--require ${join(root, 'dist/register/preload.cjs')}` },
};

/** CPU milliseconds until the program exits, and milliseconds of wall time until its first line runs. */
async function startOnce(node, env) {
  const child = spawn(node, [script], {
    cwd: scratch,
    env: { ...process.env, NODE_OPTIONS: undefined, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  await once(child, 'close');
  for (const left of [`perf-${child.pid}.map`, `perf-ts-${child.pid}.notes`]) {
    rmSync(`/tmp/${left}`, { force: true });
  }
  const [cpu, wait] = text.split(' ').map(Number);
  return { cpu, wait };
}

for (const node of nodes) {
  const times = Object.fromEntries(Object.keys(VARIANTS).map((name) => [name, []]));
  for (let round = 0; round < Number(rounds); round++) {
    for (const [name, env] of Object.entries(VARIANTS)) {
      times[name].push(await startOnce(node, env));
    }
  }
  const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
  for (const [name, starts] of Object.entries(times)) {
    const figures = ['cpu', 'wait'].map((kind) => {
      const [ours, alone] = [starts, times.alone].map((of) => of.map((start) => start[kind]));
      const [all, least] = [median, (values) => Math.min(...values)].map(
        (of) => `${of(ours).toFixed(1)} ms, ${(of(ours) / of(alone)).toFixed(2)}×`,
      );
      return `${kind} ${all}; least ${least}`;
    });
    console.log(`${node}  ${name.padEnd(16)} ${figures.join('; ')}`);
  }
}
sink.close();
rmSync(scratch, { recursive: true, force: true });
