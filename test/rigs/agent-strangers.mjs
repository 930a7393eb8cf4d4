// The agent beside hostile processes of another user: windows that it lost and memory that it gained.
//
//   node test/rigs/agent-strangers.mjs [MINUTES]      root; 10 minutes by default
//
// It runs for five minutes beside as many processes of that user (uid 61235) that harm nobody, which is what growth is
// counted from, then beside all programs of hostile-program.mjs and, with the program of test/helpers/silent-fuse.c in
// SILENT_FUSE, beside a process whose file system answers nobody. A line of figures each minute, the sums at the end; it
// exits 1 where weights do not add up to the counters, samples were lost, there is a hole between two windows, the agent has
// grown by more than 20 MB (medians), is held up for more than a second before it answers, or does not end at SIGTERM. The time in which
// it or the rig waits for a CPU, which is the machine's load, holds nobody up: the scheduler counts it of each thread. Windows
// are not counted: each is longer or shorter by up to a fifth, by chance, so that ten minutes may have two more or less.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

const MINUTES = Number(process.argv[2] ?? 10);
const WINDOW_S = 5;
const UID = 61235;
const PORT = 19378;
const MOST_GROWTH_KB = 20_000;
/** V8 collects when it likes, so that a peak has no such bound: it is held to that of test/strangers. */
const MOST_PEAK_GROWTH_KB = 64 * 1024;
const MOST_HELD_MS = 1000;
/** Longer than any machine's load lets a process wait. */
const NO_ANSWER_MS = 120_000;
/** Wall and monotonic clock are read one after the other at the end of each window. */
const MOST_HOLE_US = 10_000;
const KINDS = ['flood', 'names', 'trickle', 'junk', 'sockets', 'map', 'churn'];

const root = resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'perf-ts-agent-strangers-'));
const children = [];
const start = (words, options = {}) => {
  const child = spawn(words[0], words.slice(1), { stdio: 'ignore', ...options });
  children.push(child);
  return child;
};
const asOther = ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups'];
const agent = start(
  [
    process.execPath,
    join(root, 'dist/bin/main.js'),
    'agent',
    '--sink',
    `folder:${scratch}`,
    '--window',
    `${WINDOW_S}`,
    '--listen',
    `127.0.0.1:${PORT}`,
  ],
  // In a session of its own, as a service is: the scheduler would divide ours between the agent and all that harm it.
  { stdio: ['ignore', 'inherit', 'pipe'], detached: true },
);
let sums = null;
createInterface({ input: agent.stderr }).on('line', (line) => {
  console.log(line);
  sums = /samples, lost (\d+); weights add up to (\d+), the counters to (\d+)/.exec(line) ?? sums;
});
const memoryKb = () =>
  Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${agent.pid}/status`, 'utf8'))[1]);
/** Time that the first thread of a process has waited for a CPU: the second field of schedstat, nanoseconds. */
const waitedMs = (pid) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
/** Milliseconds in which the agent answers, apart from what it and this process wait for a CPU. */
async function heldMs() {
  const waited = () => waitedMs(agent.pid) + waitedMs(process.pid);
  const [startMs, before] = [performance.now(), waited()];
  const signal = AbortSignal.timeout(NO_ANSWER_MS);
  const health = await fetch(`http://127.0.0.1:${PORT}/healthz`, { signal }).catch(() => null);
  const tookMs = performance.now() - startMs;
  return health?.status === 200 ? { tookMs, heldMs: tookMs - (waited() - before) } : null;
}
const startHostile = (how) =>
  start([...asOther, process.execPath, join(import.meta.dirname, 'hostile-program.mjs'), how]);
/** A program named like Node whose script, as it says, lies where no name is answered. */
function startInSilentFolder(fuse) {
  const script = `mount -t tmpfs none /mnt; mkdir /mnt/f; tail -f /dev/null | ${fuse} /mnt/f name & sleep 2; exec -a node bash -c 'while :; do :; done' /mnt/f/x.js`;
  start(['unshare', '-m', 'bash', '-c', script], { detached: true });
}
async function metric(name) {
  const answer = await fetch(`http://127.0.0.1:${PORT}/metrics`, {
    signal: AbortSignal.timeout(NO_ANSWER_MS),
  });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await answer.text())?.[1]);
}

/** Begin and length of the windows of all profiles, in microseconds: pprof's `time_nanos` and `duration_nanos`. */
function spansOfWindows() {
  const spans = new Map();
  for (const name of readdirSync(scratch, { recursive: true })) {
    if (!name.endsWith('.pb.gz')) continue;
    const { 9: begin, 10: length } = varintsOf(gunzipSync(readFileSync(join(scratch, name))));
    spans.set(begin, length);
  }
  return [...spans].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Fields of a message that are numbers. */
function varintsOf(bytes) {
  const fields = {};
  let at = 0;
  const varint = () => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const value = varint();
    if ((key & 7) === 0) fields[key >> 3] = value;
    else at += Number(value);
  }
  return fields;
}

/** The largest time between the end of a window and the begin of the next, in microseconds. */
function largestHole() {
  const spans = spansOfWindows();
  const holes = spans.slice(1).map(([begin], i) => Number(begin - spans[i][0] - spans[i][1]) / 1e3);
  return Math.round(Math.max(0, ...holes.map(Math.abs)));
}

const median = (sizes) => [...sizes].sort((a, b) => a - b)[sizes.length >> 1];
const wordsOf = (sizes) => `median ${median(sizes)} kB, most ${Math.max(...sizes)} kB`;

let failed = false;
try {
  const calm = KINDS.map(() => startHostile('calm'));
  // Both parts are compared from when the agent has warmed up.
  await sleep(60_000);
  const before = [];
  for (let i = 0; i < 48; i++) {
    await sleep(5000);
    before.push(memoryKb());
  }
  const windowsBefore = await metric('perf_ts_agent_windows_total');
  console.log(`beside others: ${wordsOf(before)}, ${windowsBefore} windows`);
  for (const process of calm) process.kill();
  const hostile = KINDS.map(startHostile);
  const fuse = process.env.SILENT_FUSE;
  if (fuse !== undefined) startInSilentFolder(fuse);
  const beside = [];
  let unanswered = 0;
  let [longestMs, mostHeldMs] = [0, 0];
  for (let minute = 1; minute <= MINUTES; minute++) {
    for (let i = 0; i < 12; i++) {
      await sleep(5000);
      beside.push(memoryKb());
      const answer = await heldMs();
      if (answer === null) unanswered++;
      longestMs = Math.max(longestMs, answer?.tookMs ?? 0);
      mostHeldMs = Math.max(mostHeldMs, answer?.heldMs ?? 0);
      // One that was cut off comes back as another process.
      if (i === 5) {
        const at = minute % hostile.length;
        hostile[at].kill();
        hostile[at] = startHostile(KINDS[at]);
      }
    }
    console.log(
      `${minute} min: ${wordsOf(beside)}, ${await metric('perf_ts_agent_windows_total')} windows`,
    );
  }
  const windows = (await metric('perf_ts_agent_windows_total')) - windowsBefore;
  const late = await metric('perf_ts_agent_windows_late_total');
  const stopMs = performance.now();
  agent.kill('SIGTERM');
  const ends = new Promise((ended) => agent.once('exit', ended));
  await Promise.race([ends, sleep(NO_ANSWER_MS, null, { ref: false })]);
  const ended = agent.exitCode !== null;
  const hole = largestHole();
  const growth = median(beside) - median(before);
  const peakGrowth = Math.max(...beside) - Math.max(...before);
  console.log(
    `${windows} windows, late ${late}, largest hole ${hole} us, growth ${growth} kB, of the peak ${peakGrowth} kB, answers after ` +
      `${Math.round(longestMs)} ms at most, held up for ${Math.round(mostHeldMs)} ms, not answered ${unanswered}, end ${ended ? `after ${Math.round(performance.now() - stopMs)} ms` : 'never'}`,
  );
  const isWhole = sums !== null && sums[1] === '0' && sums[2] === sums[3] && hole < MOST_HOLE_US;
  const isHeld = unanswered > 0 || mostHeldMs > MOST_HELD_MS;
  const hasGrown = growth > MOST_GROWTH_KB || peakGrowth > MOST_PEAK_GROWTH_KB;
  failed = !isWhole || hasGrown || isHeld || !ended;
} finally {
  for (const child of children) {
    if (child.spawnargs[0] === 'unshare') process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  }
  spawnSync('sh', [
    '-c',
    `for p in /proc/[0-9]*; do [ "$(stat -c %u $p 2>/dev/null)" = ${UID} ] && kill -9 $(basename $p); done`,
  ]);
  rmSync(scratch, { recursive: true, force: true });
  for (const name of readdirSync('/tmp').filter((each) => /^perf-\d+\.map$/.test(each))) {
    if (statSync(`/tmp/${name}`).uid === UID) rmSync(`/tmp/${name}`);
  }
  rmSync(`/tmp/perf-ts-${UID}`, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
