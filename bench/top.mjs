// What `top` costs while it runs, beside `perf top` on the same machine at the same time:
//
//     node bench/top.mjs [SECONDS [HZ]]       (root; perf and script(1) installed; dist/ built)
//
// Both sample the whole system with stacks by frame pointer and draw once a second, on
// terminals of their own, while two programs compute and another one starts processes. CPU time is what
// /proc says of each at the end, less what it took to start; of perf all its threads.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const seconds = Number(process.argv[2] ?? 30);
const hz = Number(process.argv[3] ?? 1000);
/** Files are read and programs compiled in the first seconds. */
const START_SECONDS = 6;

for (const tool of ['perf', 'script']) {
  if (spawnSync(tool, ['--version']).status !== 0) {
    console.error(`bench/top: ${tool} is not installed`);
    process.exit(1);
  }
}

const loads = [
  spawn(process.execPath, ['-e', 'for (let i = 0; ; i++) Math.sqrt(i)']),
  spawn('sh', ['-c', 'while :; do ls / >/dev/null; done'], { stdio: 'ignore' }),
];
const ours = `${process.execPath} ${join(root, 'dist/bin/main.js')} top -a -g -F ${hz}`;
const theirs = `perf top --stdio -a -g -F ${hz} -d 1`;
const terminals = [ours, theirs].map((command) =>
  spawn('script', ['-qfc', `stty cols 120 rows 40; exec ${command}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  }),
);
/** The last that each has drawn, to be told if one ends early. */
const drawn = ['', ''];
terminals.forEach((terminal, i) => {
  terminal.stdout.on('data', (data) => {
    drawn[i] = `${drawn[i]}${data}`.slice(-400);
  });
});
try {
  await sleep(START_SECONDS);
  const before = usages();
  await sleep(seconds);
  const after = usages();
  const rows = ['perf-ts top', 'perf top'].flatMap((name, i) => {
    if (before[i] === null || after[i] === null) return [];
    const cpuShare = (after[i].cpuS - before[i].cpuS) / seconds;
    return [{ name, startS: before[i].cpuS, cpuShare, rssMb: after[i].rssMb }];
  });
  console.log('             start s   of a CPU   RSS MB');
  for (const { name, startS, cpuShare, rssMb } of rows) {
    console.log(
      `${name.padEnd(12)} ${startS.toFixed(2).padStart(7)}   ${(cpuShare * 100).toFixed(2).padStart(7)}%   ${rssMb.toFixed(0).padStart(6)}`,
    );
  }
  if (rows.length < 2)
    console.log(`perf top has ended by itself: ${drawn[1].trim().split('\n').at(-1)}`);
  else console.log(`ratio of CPU time: ${(rows[0].cpuShare / rows[1].cpuShare).toFixed(2)}`);
} finally {
  for (const child of [...loads, ...terminals]) child.kill('SIGKILL');
}

/** CPU time and memory of both now; null for a perf that has ended: that of Linux 6.1 aborts on busy machines. Throws where ours has. */
function usages() {
  const pids = terminals.map(({ pid }) => childrenOf(pid)[0]);
  const found = pids.map((pid) =>
    pid !== undefined && existsSync(`/proc/${pid}/stat`) ? usageOf(pid) : null,
  );
  if (found[0] === null) throw new Error(`${ours} has ended: ${drawn[0]}`);
  return found;
}

function sleep(s) {
  return new Promise((resolve) => setTimeout(resolve, s * 1000));
}

/** None of a process that has ended. */
function childrenOf(pid) {
  if (!existsSync(`/proc/${pid}/task`)) return [];
  return readdirSync(`/proc/${pid}/task`).flatMap((tid) =>
    readFileSync(`/proc/${pid}/task/${tid}/children`, 'utf8').trim().split(/\s+/).map(Number),
  );
}

/** CPU time of all threads, user and kernel, in seconds, and memory in use. */
function usageOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return { cpuS: ticks / 100, rssMb: Number(rss?.[1]) / 1024 };
}
