// A program that uses the library: records a command, reads the file back, and prints what there was.
//   RUNTIME record-and-read.mjs FILE

import { readFileSync } from 'node:fs';
import { live, openProfile, record } from 'perf-ts';

const loop = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done';
const [, , file] = process.argv;
const options = { command: ['/bin/sh', '-c', loop], events: ['cpu-clock'], freq: 999 };

const { totals, exit } = await record({ ...options, output: file });
const { profile } = await openProfile(file);
let liveSamples = 0;
for await (const batch of live(options)) liveSamples += batch.length;
console.log(
  JSON.stringify({
    runtime: runtimeName(),
    status: exit?.status,
    recorded: totals.samples,
    lost: totals.lostSamples,
    read: profile.samples.length,
    live: liveSamples,
    addon: /[^/]+\.node$/m.exec(readFileSync('/proc/self/maps', 'latin1'))?.[0],
  }),
);

function runtimeName() {
  const { bun, deno, node } = process.versions;
  if (bun) return `Bun ${bun}`;
  return deno ? `Deno ${deno}` : `Node ${node}`;
}
