// What one reading of a group of four events costs from JavaScript, over the bare read(2) in C++.
//   node bench/count/read-cost.mjs [ROUNDS]

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { median, outDirectory, root } from '../measure.mjs';

const dist = process.env.PERF_TS_DIST ?? join(root, 'dist');
const { openGroup } = await import(`${dist}/index.js`);
const EVENTS = ['task-clock', 'page-faults', 'context-switches', 'cpu-migrations'];
const TIMES = 200_000;
const rounds = Number(process.argv[2] ?? 9);

const program = join(outDirectory, 'native-cost');
const sources = ['bench/count/native-cost.cc', 'native/core/event/perf_event.cc'];
execFileSync('g++', [
  '-std=c++17',
  '-O2',
  '-o',
  program,
  ...sources.map((name) => join(root, name)),
]);

const group = openGroup(EVENTS);
const into = new Float64Array(EVENTS.length);
group.enable();

/**
 * A reader in user space over an event that is in no register: what calling it costs, up to the look
 * at the first control page.
 */
async function userReader() {
  const { loadBinding } = await import(`${dist}/native/binding.js`);
  const { encodeAttr, newAttr } = await import(`${dist}/perf-event/attr.js`);
  const dummy = encodeAttr(newAttr({ type: 1, config: 9n }));
  const { CounterGroup } = loadBinding();
  return new CounterGroup({ events: [dummy], pid: 0, cpu: -1 }).mapUserPages();
}

/** Nanoseconds of CPU time of one call; machines are shared. */
function cost(call) {
  const before = process.cpuUsage();
  for (let i = 0; i < TIMES; i++) call();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / TIMES;
}

const reader = await userReader();
const found = {
  crossing: [],
  userGroup: [],
  bare: [],
  userRead: [],
  readInto: [],
  over: [],
  read: [],
  pair: [],
};
for (let round = 0; round < rounds; round++) {
  const { read, userRead } = JSON.parse(execFileSync(program, [`${TIMES}`], { encoding: 'utf8' }));
  const readInto = cost(() => group.readInto(into));
  found.bare.push(read);
  found.userRead.push(userRead);
  found.readInto.push(readInto);
  found.over.push(readInto - read);
  const crossing = cost(() => reader.read());
  found.crossing.push(crossing);
  found.userGroup.push(crossing + EVENTS.length * userRead);
  found.read.push(cost(() => group.read()));
}
group.disable();
for (let round = 0; round < rounds; round++) {
  found.pair.push(
    cost(() => {
      group.enable();
      group.disable();
    }),
  );
}

const ns = (name) => `${median(found[name]).toFixed(0)} ns`;
const verdict = (name, most) => (median(found[name]) <= most ? 'met' : 'NOT MET');
console.log('| what | CPU time, median | reach | |');
console.log('| --- | --- | --- | --- |');
console.log(`| read(2) of four events, C++ | ${ns('bare')} | | |`);
console.log(`| readInto(Float64Array) | ${ns('readInto')} | | |`);
console.log(
  `| … over the bare read(2) of the same round | ${ns('over')} | ≤ 1000 ns | ${verdict('over', 1000)} |`,
);
console.log(`| read(): bigint, scaled, an object | ${ns('read')} | | |`);
console.log(`| enable() and disable() | ${ns('pair')} | | |`);
console.log(`| one control page, rdtsc standing in for rdpmc, C++ | ${ns('userRead')} | | |`);
console.log(`| calling the reader in user space from JavaScript | ${ns('crossing')} | | |`);
console.log(
  `| … both, for four events: the stand-in of a read by rdpmc | ${ns('userGroup')} | ≤ 100 ns | ${verdict('userGroup', 100)} |`,
);
