// How much of a program's counts is its set-up: the whole process against its region of interest, for
// a CPU-bound and a memory-bound program, in C++ and in JavaScript. Writes whole-and-region.csv and
// .svg into bench/out, or the directory named.
//   node bench/count/whole-and-region.mjs [DIRECTORY]

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outDirectory, root } from '../measure.mjs';
import { barChart } from './bar-chart.mjs';

const { openGroup } = await import(`${process.env.PERF_TS_DIST ?? join(root, 'dist')}/index.js`);
const directory = process.argv[2] ?? outDirectory;
const program = join(outDirectory, 'workloads');
const sources = [
  'bench/count/workloads.cc',
  'native/core/counter/counter_group.cc',
  'native/core/event/perf_event.cc',
];
sources.push('native/core/counter/user_counter.cc');
execFileSync('g++', [
  '-std=c++17',
  '-O2',
  '-o',
  program,
  ...sources.map((name) => join(root, name)),
]);

const events = [
  'task-clock',
  'page-faults',
  ...openHere(['cycles', 'instructions', 'cache-misses']),
];
const script = join(root, 'bench/count/workload.mjs');
const programs = [
  { name: 'C++, float', command: [program, 'float', '200000000'] },
  { name: 'C++, matrix', command: [program, 'matrix', '2000'] },
  {
    name: 'JavaScript, float',
    command: [process.execPath, script, 'float', '200000000', ...events],
  },
  { name: 'JavaScript, matrix', command: [process.execPath, script, 'matrix', '2000', ...events] },
];

const rows = [];
for (const { name, command } of programs) {
  const { whole, region } = measure(command);
  for (const event of events) {
    const setUp = 100 * (1 - region[event] / whole[event]);
    rows.push({ program: name, event, whole: whole[event], region: region[event], setUp });
  }
}
const lines = rows.map(({ program: name, event, whole, region, setUp }) =>
  [`"${name}"`, event, whole, region, setUp.toFixed(1)].join(','),
);
writeFileSync(
  join(directory, 'whole-and-region.csv'),
  `${['program,event,whole process,region,set-up %', ...lines].join('\n')}\n`,
);
writeFileSync(
  join(directory, 'whole-and-region.svg'),
  barChart({
    title: 'Share of the whole process that its set-up is',
    unit: '%',
    bars: rows.map(({ program: name, event, setUp }) => ({
      label: `${name}: ${event}`,
      value: setUp,
    })),
  }),
);
console.log('| program | event | whole process | region | set-up |');
console.log('| --- | --- | --- | --- | --- |');
for (const { program: name, event, whole, region, setUp } of rows) {
  console.log(`| ${name} | ${event} | ${whole} | ${region} | ${setUp.toFixed(1)} % |`);
}

/**
 * The child's counts are what this thread and its children counted less what the thread did. From the
 * fork on, so with the fork's own page faults.
 */
function measure(command) {
  const all = openGroup(events, { inherit: true });
  const own = openGroup(events);
  const [path, ...args] = command;
  const run = () =>
    JSON.parse(execFileSync(path, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  const outer = all.measure(() => own.measure(run));
  const inner = outer.value;
  all.close();
  own.close();
  const whole = Object.fromEntries(
    events.map((event) => [event, Number(outer.counts[event] - inner.counts[event])]),
  );
  return { whole, region: inner.value };
}

function openHere(names) {
  try {
    openGroup(names).close();
    return names;
  } catch (error) {
    console.error(`without ${names.join(', ')}: ${error.message}`);
    return [];
  }
}
