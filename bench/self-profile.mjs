// Measures the cost of a profile of the own process: requests per second of the example server, without a
// profile and while it is sampled or its profile is made, in turn.
//   node bench/self-profile.mjs [PAIRS [SECONDS]]

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [pairs = 7, seconds = 4] = process.argv.slice(2).map(Number);
const program = fileURLToPath(
  new URL('../examples/debug-profile-server/server.mjs', import.meta.url),
);
const server = spawn(process.execPath, [program, '0'], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const [line] = await once(createInterface({ input: server.stdout }), 'line');
const port = Number(/\d+$/.exec(line)[0]);
const agent = new Agent({ keepAlive: true });

function ask(path) {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
}

/** Nanoseconds that the thread which answers was on a CPU; ticks of 10 ms of the whole process. */
function cpuSoFar() {
  const [ns] = readFileSync(`/proc/${server.pid}/schedstat`, 'utf8').split(' ');
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return { thread: Number(ns) / 1e3, process: (Number(stat[11]) + Number(stat[12])) * 1e4 };
}

/**
 * Requests one after the other until `isOver`: how many a second, the longest in milliseconds, and
 * microseconds of CPU time for each.
 */
async function load(isOver) {
  const start = performance.now();
  const cpu = cpuSoFar();
  let count = 0;
  let longest = 0;
  let before = start;
  do {
    await ask('/');
    const now = performance.now();
    longest = Math.max(longest, now - before);
    before = now;
    count++;
  } while (!isOver(before - start));
  const after = cpuSoFar();
  return {
    rate: (count * 1000) / (before - start),
    longest,
    thread: (after.thread - cpu.thread) / count,
    process: (after.process - cpu.process) / count,
  };
}

const forSeconds = (elapsedMs) => elapsedMs >= seconds * 1000;
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const rounds = [];

await load(forSeconds);
for (let round = 0; round < pairs; round++) {
  const quiet = await load(forSeconds);
  let isDone = false;
  const profile = ask(`/debug/profile?format=pprof&seconds=${seconds + 1}`).then((status) => {
    if (status !== 200) throw new Error(`the profile's status is ${status}`);
    isDone = true;
  });
  // The events are open by then.
  await load((elapsedMs) => elapsedMs >= 1000);
  const sampled = await load((elapsedMs) => elapsedMs >= (seconds - 1) * 1000);
  const written = await load(() => isDone);
  await profile;
  rounds.push({ quiet, sampled, written });
}
const ratio = (phase, key) =>
  median(rounds.map((round) => round[phase][key] / round.quiet[key])).toFixed(2);
const of = (phase, key) => median(rounds.map((round) => round[phase][key])).toFixed(0);
console.log(`${pairs} pairs of ${seconds} s, medians; of the ratios pair by pair in brackets`);
console.log('| | no profile | sampled | the profile is made |');
console.log('| --- | --- | --- | --- |');
for (const [name, key] of [
  ['requests a second', 'rate'],
  ['CPU µs a request, of the thread that answers', 'thread'],
  ['CPU µs a request, of the whole process', 'process'],
  ['longest request, ms', 'longest'],
]) {
  const cells = ['sampled', 'written'].map((phase) => `${of(phase, key)} (${ratio(phase, key)})`);
  console.log(`| ${name} | ${of('quiet', key)} | ${cells.join(' | ')} |`);
}
server.kill();
agent.destroy();
