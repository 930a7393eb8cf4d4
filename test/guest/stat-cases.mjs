// Counting on a machine with a PMU: groups, times enabled and running, IPC, scaling. `measureStat` runs
// in the guest, `judgeStat` judges what it found.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** More than any PMU of an arm64 core has counters. */
const MANY = 12;

/** Steps of `phases`: so many turns of one loop, and twice as many. */
const TURNS = 20_000_000;
const WORK = [`a:${TURNS}`];
const TWICE = [`a:${2 * TURNS}`];

/** Runs every case; documents of `stat --json`, and the errors of those that failed. */
export function measureStat(app, program) {
  const statOf = (work, ...args) => {
    const words = [join(app, 'dist/bin/main.js'), 'stat', '--json', '-o', '-', ...args];
    const run = spawnSync(process.execPath, [...words, '--', program, ...work], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const text = run.stdout.slice(run.stdout.indexOf('{'));
    return text.startsWith('{') ? JSON.parse(text) : { failed: run.stderr.trim() };
  };
  const stat = (...args) => statOf(WORK, ...args);
  const many = Array(MANY).fill('instructions:u');
  return {
    group: stat('-e', '{cycles:u,instructions:u}'),
    defaults: stat('-d'),
    exact: stat('-e', 'instructions:u'),
    twice: statOf(TWICE, '-e', 'instructions:u'),
    shared: stat('-e', many.join(',')),
    tooLarge: stat('-e', `{${many.join(',')}}`, '-e', 'task-clock'),
    weak: stat('-e', `{${many.join(',')}}:W`),
    system: stat('-a', '-A', '-e', '{cycles,instructions}'),
    perf: perfCounts(program, WORK),
  };
}

/** What perf counts of the same, null where it is not. */
function perfCounts(program, work) {
  const events = ['-e', '{cycles:u,instructions:u}'];
  const run = spawnSync('perf', ['stat', '-x,', ...events, '--', program, ...work], {
    encoding: 'utf8',
  });
  if (run.error !== undefined || run.status !== 0) return null;
  const counts = [...run.stderr.matchAll(/^(\d+),,(cycles|instructions):u,/gm)];
  return Object.fromEntries(counts.map(([, count, event]) => [event, Number(count)]));
}

/** Checks as `judge.mjs` makes them. Without hardware counters there is nothing to hold against. */
export function judgeStat(found) {
  const { group, defaults, exact, twice, shared, tooLarge, weak, system, perf } = found;
  const countOf = (document, index = 0) => document.events?.[index]?.count ?? null;
  if (countOf(group) === null) {
    const saw = group.failed ?? group.events?.[0]?.reason ?? 'nothing';
    return [{ what: 'group', passed: null, saw }];
  }
  const cycles = countOf(group);
  const instructions = countOf(group, 1);
  const near = (a, b, tolerance) => b !== null && Math.abs(a / b - 1) <= tolerance;
  const ipc = group.events[1].metrics.ipc?.value ?? null;
  const shares = (shared.events ?? []).map(({ runningShare }) => runningShare);
  const scaled = (shared.events ?? []).map(({ count }) => count).filter((count) => count !== null);
  const worst = Math.max(...scaled.map((count) => Math.abs(count / countOf(exact) - 1)));
  const perTurn = (countOf(twice) - countOf(exact)) / TURNS;
  return [
    {
      what: 'sizes',
      passed: Math.abs(perTurn - Math.round(perTurn)) < 1e-5 && perTurn >= 1,
      saw: `${perTurn} instructions in each of ${TURNS} turns more`,
    },
    {
      what: 'group',
      passed: group.events.every(({ runningShare, group: g }) => runningShare === 1 && g === 0),
      saw: `${cycles} cycles, ${instructions} instructions, share ${group.events[0].runningShare}`,
    },
    {
      what: 'ipc',
      passed: ipc !== null && near(ipc, instructions / cycles, 1e-9),
      saw: `${ipc} instructions per cycle`,
    },
    {
      what: 'perf',
      passed: perf === null ? null : near(instructions, perf.instructions, 0.001),
      saw: perf === null ? 'no perf' : `${perf.instructions} instructions by perf stat`,
    },
    {
      what: 'default',
      passed: (defaults.events ?? []).every(
        ({ count, reason }) => (count === null) === (reason !== undefined),
      ),
      saw: (defaults.events ?? [])
        .map(({ event, count }) => `${event} ${count === null ? 'null' : count}`)
        .join(', '),
    },
    {
      what: 'shared',
      passed: shares.length === MANY && shares.some((share) => share < 1) && worst < 0.1,
      saw: `${MANY} events shared the counters, ${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)} of the time; scaled within ${(100 * worst).toFixed(2)} %`,
    },
    {
      what: 'large',
      passed: (tooLarge.events ?? [])
        .slice(0, MANY)
        .every(({ reason }) => /does not fit/.test(reason ?? '')),
      saw: tooLarge.events?.[0]?.reason ?? tooLarge.failed ?? 'it fits',
    },
    {
      what: 'weak',
      passed: new Set((weak.events ?? []).map((row) => row.group)).size === MANY,
      saw: `${new Set((weak.events ?? []).map((row) => row.group)).size} groups of one`,
    },
    {
      what: 'system',
      passed:
        (system.events ?? []).length >= 2 && (system.events ?? []).every(({ count }) => count > 0),
      saw: (system.events ?? [])
        .map(({ part, event, count }) => `${part} ${event} ${count}`)
        .join(', '),
    },
  ];
}
