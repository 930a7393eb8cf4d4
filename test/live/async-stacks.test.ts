// The functions that await the one that a sample ran (`record --async-stacks`), against stretches that the program itself times.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openProfile } from '../../src/index.ts';
import { withoutAsync } from '../../src/profile/async-frame.ts';
import { MARK_KINDS } from '../../src/profile/mark-table.ts';
import { contextOfSamples } from '../../src/profile/request-of-sample.ts';
import { perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';
import { findNode, MAJORS } from '../strangers/nodes.ts';

const scratch = scratchDirectory();
const NODES = MAJORS.filter((major) => major >= 20).flatMap((major) => findNode(major) ?? []);
const MEASURE = MARK_KINDS.indexOf('measure');

/**
 * Two routes burn in one function, which has waited: `leaf`, awaited by `first` through `middle`, and by `second`. Each stretch is a measure with the name
 * of the route's function. Of the stretches in a turn some are long, and many shorter than V8 takes to be interrupted. Eight requests are open at
 * a time, until the process has had three seconds of CPU time. A program's own `prepareStackTrace` and a small `stackTraceLimit` stay as they are.
 */
const PROGRAM = `
const http = require('node:http');
let formatted = 0;
const format = (error) => { formatted++; return String(error); };
Error.prepareStackTrace = format;
Error.stackTraceLimit = 2;
const burn = (route, n) => {
  const start = performance.now();
  let x = 0;
  for (let i = 0; i < n; i++) x = (x * 31 + i) | 0;
  performance.measure(route, { start, end: performance.now() });
  return x;
};
const later = () => new Promise(setImmediate);
async function leaf(route, n) { await later(); return burn(route, n); }
async function middle(route, n) { const x = await leaf(route, n); return x + 1; }
async function first(n) { return (await middle('first', n)) + 1; }
async function second(n) { await later(); return (await leaf('second', n)) + 1; }
const routes = {
  '/first': () => Promise.all([first(2e6), first(2e4), first(2e4)]),
  '/second': async () => { await second(2e4); await second(1e6); },
};
const server = http.createServer(async (request, response) => {
  await routes[request.url]();
  response.end();
}).listen(0, () => {
  const agent = new http.Agent({ keepAlive: true });
  const ask = (path) => http.get({ port: server.address().port, path, agent }, (response) => response.resume().on('end', () => {
    if (process.cpuUsage().user > 3e6) {
      console.log(formatted, Error.prepareStackTrace === format, Error.stackTraceLimit);
      process.exit();
    }
    ask(path);
  }));
  for (let i = 0; i < 8; i++) ask(i % 2 === 0 ? '/first' : '/second');
});
`;
const program = join(scratch, 'server.cjs');
writeFileSync(program, PROGRAM);

/** Samples in the program's stretches, by what their contexts have: the awaiting functions of their route, of the other, or none. */
async function judged(file: string) {
  const { profile } = await openProfile(file);
  const { samples, marks } = profile;
  const contextOf = contextOfSamples(profile);
  if (!marks?.contexts || !marks.asyncStacks || contextOf === null) throw new Error('no stacks');
  const stretches = [...marks.kind.keys()].filter((row) => marks.kind[row] === MEASURE);
  const { thread } = marks.loops[marks.loop[stretches[0]]];
  const counts = { right: 0, wrong: 0, none: 0 };
  let at = 0;
  for (let row = 0; row < samples.length; row++) {
    const timeNs = samples.timeNs[row];
    if (samples.thread[row] !== thread || contextOf[row] < 0) continue;
    while (at < stretches.length && marks.toNs[stretches[at]] < timeNs) at++;
    if (at === stretches.length || marks.fromNs[stretches[at]] > timeNs) continue;
    const stack = marks.asyncStacks[marks.contexts.stack[contextOf[row]]];
    const route = marks.names[marks.name[stretches[at]]];
    const names = stack?.awaiting.map(({ name }) => name) ?? [];
    const expected = route === 'first' ? ['middle', 'first'] : ['second'];
    if (stack === undefined) counts.none++;
    else if (
      stack.resumed.name === 'leaf' &&
      names.slice(0, expected.length).join() === expected.join()
    )
      counts.right++;
    else counts.wrong++;
  }
  return counts;
}

/** The functions that await `leaf` in the tree, the innermost first, with the number of samples. */
async function callersInTree(file: string) {
  const opened = await openProfile(file);
  const { samples, stacks, frames, funcs, strings } = opened.profileAt('own');
  const nameOf = (row: number) => strings[funcs.name[frames.func[stacks.frame[row]]]];
  const counts = new Map<string, number>();
  for (const stack of samples.stack) {
    let row = stack;
    while (row >= 0 && !nameOf(row).startsWith('leaf ')) row = stacks.prefix[row];
    if (row < 0) continue;
    const above: string[] = [];
    for (row = stacks.prefix[row]; row >= 0; row = stacks.prefix[row]) {
      const name = nameOf(row);
      if (withoutAsync(name) === name) break;
      above.push(withoutAsync(name).split(' ')[0]);
    }
    const key = above.join();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

describeLive('functions that await', () => {
  it.each(NODES)(
    'a sample has the functions that await the one it ran, in the tree as well, or none, on Node $major',
    async ({ path, major }) => {
      const file = join(scratch, `node-${major}.data`);
      const run = perfTs(['record', '-q', '--async-stacks', '-o', file, '--', path, program]);
      expect(run).toMatchObject({ status: 0, stdout: '0 true 2\n' });
      const { right, wrong, none } = await judged(file);
      expect(right).toBeGreaterThan(100);
      expect(wrong).toBe(0);
      expect(none).toBeGreaterThan(0);
      const callers = await callersInTree(file);
      const known = [...callers].filter(([names]) => names !== '');
      for (const [names] of known) expect(names).toMatch(/^(?:middle,first,|second,)/);
      const inTree = known.reduce((sum, [, count]) => sum + count, 0);
      expect(inTree).toBeGreaterThan(0.9 * right);
      const report = perfTs(['report', '--by', 'await', file]).stdout;
      expect(report).toMatch(/leaf +middle < first < Promise\.all < /);
      expect(report).toMatch(/leaf +second < /);
    },
  );
});
