// How right the lines of JavaScript are, by the way in which V8 runs a function: loops whose lines take known shares of
// their time, in each tier.
//
//     node bench/javascript-lines.mjs FOLDER [--node PATH]… [--tier NAME]… [--door NAME]… [--kind NAME]… [--verbose]
//
// A body has lines of one to four equal steps, each of which needs the last one's result. Of the function's self time:
//
//     right     on a line, up to that line's share                        none    without a line
//     near      too much on a line beside one with too little             coarse  marked as of several lines
//     wrong     too much on any other; `header` has the part on the loop's own line

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './measure.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string', multiple: true, default: [process.execPath] },
    tier: { type: 'string', multiple: true },
    door: { type: 'string', multiple: true },
    kind: { type: 'string', multiple: true },
    record: { type: 'string', multiple: true, default: [] },
    verbose: { type: 'boolean', default: false },
  },
});
if (positionals.length !== 1)
  throw new Error('usage: node bench/javascript-lines.mjs FOLDER [options]');
const folder = resolve(positionals[0]);
const CLI = join(root, 'dist/bin/main.js');

const STEPS = [1, 2, 4, 3, 1, 4, 2, 3];
/** Line of the loop in the text; its body follows. */
const HEADER = 2;
/** One step of each kind of body; all have the cost of a remainder, and wait for the last one. */
const KINDS = {
  arithmetic: 'a = (a * 31 + 7) % 1000003;',
  property: 'o.x = (o.x * 31 + o.y) % 1000003;',
  element: 'm[1] = (m[1] * 31 + m[2]) % 1000003;',
  builtin: 'a = Math.sin(a + 1.5) + 1;',
};
const TIERS = {
  interpreter: ['--no-opt', '--no-sparkplug', '--no-maglev'],
  baseline: ['--always-sparkplug', '--no-opt', '--no-maglev'],
  maglev: ['--maglev', '--no-turbofan'],
  turbofan: ['--no-maglev'],
};

function programOf(step, seconds) {
  const body = STEPS.map((steps) => `    ${Array(steps).fill(step).join(' ')}`).join('\n');
  return `function work(n, a, o, m) {
  for (let i = 0; i < n; i++) {
${body}
  }
  return a + o.x + m[1];
}
let sum = 0;
const o = { x: 1, y: 7 }, m = [1, 1, 7, 3];
const end = Date.now() + ${1000 * seconds};
let turns = 0;
function turn() { for (let k = 0; k < 50; k++) sum += work(500, k, o, m); }
function main() {
  turn();
  if (turns++ === 20) process.stdout.write('begun\\n');
  if (Date.now() < end) setImmediate(main);
}
main();
`;
}

async function record(node, tier, kind, door) {
  const script = join(folder, `${kind}.cjs`);
  const file = join(folder, `${tier}-${kind}.data`);
  const base = ['record', '-q', '-F', '1999', '-e', 'cpu-clock:u', '-o', file, ...values.record];
  const flags = TIERS[tier];
  writeFileSync(script, programOf(KINDS[kind], door === 'launched' ? 1 : 20));
  if (door === 'launched') {
    const run = spawnSync(process.execPath, [CLI, ...base, '--', node, ...flags, script], {
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(run.stderr);
    return file;
  }
  const register = ['--import', join(root, 'dist/register/listen.mjs')];
  const target = spawn(node, [...flags, ...(door === 'register' ? register : []), script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(target.stdout, 'data');
  const options = [
    ...(door === 'attached' ? ['--attach-js'] : []),
    '-p',
    `${target.pid}`,
    '--duration',
    '1',
  ];
  const run = spawnSync(process.execPath, [CLI, ...base, ...options], { encoding: 'utf8' });
  target.kill('SIGKILL');
  if (run.status !== 0) throw new Error(run.stderr);
  return file;
}

/** Line -> self samples of the function; 0: without a line. */
function linesOf(file) {
  const args = [CLI, 'report', '--sort', 'sym,tier,srcline', '--json', '-n', '0', file];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 64 << 20 });
  if (run.status !== 0) throw new Error(run.stderr);
  const lines = new Map();
  let all = 0;
  for (const row of JSON.parse(run.stdout).events[0].rows) {
    all += row.self;
    const texts = Object.values(row).filter((value) => typeof value === 'string');
    if (values.verbose) console.log(row.self, texts.join(' | '));
    const name = texts.find((text) => /^work\b/.test(text));
    if (name === undefined) continue;
    const place = texts
      .map((text) => /\.cjs:(\d+)(?:[-–](\d+))?$/.exec(text))
      .find((match, at) => match && !/^work\b/.test(texts[at]));
    const line = place == null ? 0 : place[2] ? -1 : Number(place[1]);
    lines.set(line, (lines.get(line) ?? 0) + row.self);
  }
  return { lines, all };
}

function judge({ lines, all }) {
  let of = 0;
  for (const self of lines.values()) of += self;
  const total = STEPS.reduce((sum, steps) => sum + steps, 0);
  const share = (line) => (lines.get(line) ?? 0) / of;
  const excess = STEPS.map((steps, at) => share(HEADER + 1 + at) - steps / total);
  const right = STEPS.reduce(
    (sum, steps, at) => sum + Math.min(steps / total, share(HEADER + 1 + at)),
    0,
  );
  let near = 0;
  const left = [...excess];
  for (let at = 0; at < left.length; at++) {
    for (const beside of [at - 1, at + 1]) {
      if (!(left[at] > 0) || !(left[beside] < 0)) continue;
      const moved = Math.min(left[at], -left[beside]);
      near += moved;
      left[at] -= moved;
      left[beside] += moved;
    }
  }
  const none = share(0);
  const coarse = share(-1);
  const header = share(HEADER);
  return {
    right,
    near,
    wrong: 1 - right - near - none - coarse,
    header,
    coarse,
    none,
    found: of / all,
  };
}

const percent = (value) => `${(100 * value).toFixed(0)}`.padStart(7);
console.log(
  'node  door      tier         kind         ' +
    ['right', 'near', 'wrong', 'header', 'coarse', 'none', 'found']
      .map((text) => text.padStart(7))
      .join(''),
);
for (const node of values.node) {
  const version = spawnSync(node, ['-p', 'process.version'], { encoding: 'utf8' })
    .stdout.slice(1)
    .split('.')[0];
  for (const door of values.door ?? ['launched', 'attached']) {
    for (const tier of values.tier ?? Object.keys(TIERS)) {
      if (tier === 'maglev' && Number(version) < 22) continue;
      for (const kind of values.kind ?? Object.keys(KINDS)) {
        const file = await record(node, tier, kind, door);
        const judged = Object.values(judge(linesOf(file)))
          .map(percent)
          .join('');
        console.log(
          `${version.padEnd(6)}${door.padEnd(10)}${tier.padEnd(13)}${kind.padEnd(13)}${judged}`,
        );
      }
    }
  }
}
