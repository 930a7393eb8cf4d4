// How right the names of JavaScript are, for kinds of Node programs and Nodes: the share of frames whose
// name and line agree with the source (`node-kinds/names.mjs`), and of code without a name.
//
//     node bench/node-kinds.mjs FOLDER [--node PATH]… [--kind NAME]… [--attach] [--verbose]
//
// The programs are installed into FOLDER, which must not be in a repository; needs the registry. Launched
// by default; with --attach programs run without perf-ts for a second, and are attached to by --attach-js.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openProfile } from '../dist/index.js';
import { root } from './measure.mjs';
import { countInnermost, countNames, NameChecker } from './node-kinds/names.mjs';
import { PROGRAMS, writePrograms } from './node-kinds/programs.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string', multiple: true, default: [process.execPath] },
    kind: { type: 'string', multiple: true },
    attach: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
if (positionals.length !== 1) throw new Error('usage: node bench/node-kinds.mjs FOLDER [options]');
const folder = resolve(positionals[0]);
const file = join(folder, `kinds-${process.pid}.data`);
const CLI = join(root, 'dist/bin/main.js');
const RECORD = ['record', '-q', '-g', '-F', '1999', '-e', 'cpu-clock', '-o', file];
const LIMIT_MS = 60_000;

const run = (command, args) => execFileSync(command, args, { cwd: folder, stdio: 'inherit' });
writePrograms(folder, run);
const checker = new NameChecker(createRequire(join(folder, 'package.json'))('typescript'));

/** Runs perf-ts to its end; what it said on standard error. */
async function finish(args, cwd, env) {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: 'pipe' });
  let reported = '';
  child.stderr.on('data', (text) => {
    reported += text;
  });
  child.stdout.resume();
  const timer = setTimeout(() => child.kill(), LIMIT_MS);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { code, reported };
}

/** `node` is what `#!` lines and children find. */
const environment = (node, ms, given = {}) => ({
  ...process.env,
  ...given,
  MS: `${ms}`,
  PATH: `${dirname(node)}:${process.env.PATH}`,
});

async function launched(node, { args, cwd = '.', env }) {
  const command = [...RECORD, '--', node, ...args];
  const result = await finish(command, join(folder, cwd), environment(node, 1500, env));
  return { result, counted: countNames((await openProfile(file)).profile, checker) };
}

async function attached(node, { args, cwd = '.', env }) {
  const target = spawn(node, args, {
    ...{ cwd: join(folder, cwd), env: environment(node, 20_000, env), stdio: 'ignore' },
  });
  await sleep(1500);
  const options = ['--attach-js', '-p', `${target.pid}`, '--duration', '2'];
  const result = await finish([...RECORD, ...options], folder, process.env);
  target.kill('SIGKILL');
  const { profile } = await openProfile(file);
  return { result, counted: { ...countNames(profile, checker), ...countInnermost(profile) } };
}

const percent = (value) => (value === null || value === undefined ? '–' : (100 * value).toFixed(1));

function cells({ counted }) {
  const names = [counted.own, counted.ownWrong, counted.all, counted.unnamed].map(percent);
  const innermost = values.attach ? [counted.compiled, counted.javascript].map(percent) : [];
  return [...names, ...innermost, counted.samples];
}

const innermostHeads = values.attach ? ['compiled named', 'JavaScript named'] : [];
const heads = [
  'program',
  'Node',
  'own right',
  'own wrong',
  'all right',
  'unnamed',
  ...innermostHeads,
  'samples',
];
console.log(`| ${heads.join(' | ')} |\n|${' --- |'.repeat(heads.length)}`);
for (const [kind, program] of Object.entries(PROGRAMS)) {
  const isWanted = values.kind?.includes(kind) ?? program.isExtra !== true;
  if (!isWanted && !(values.attach && values.kind === undefined)) continue;
  if (values.attach && program.attach !== true) continue;
  for (const node of values.node) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    if (Number(/\d+/.exec(version)[0]) < (program.oldest ?? 0)) continue;
    try {
      const measured = await (values.attach ? attached : launched)(node, program);
      console.log(`| ${[kind, version, ...cells(measured)].join(' | ')} |`);
      const { result, counted } = measured;
      if (result.code !== 0)
        console.error(`  exit ${result.code}: ${result.reported.trim().slice(0, 300)}`);
      if (!values.verbose) continue;
      for (const { count, name, verdict, isOwn } of counted.wrong) {
        console.error(`  ${count} ${verdict}${isOwn ? ', own' : ''}: ${name}`);
      }
    } catch (error) {
      console.log(`| ${kind} | ${version} | ${error.message.slice(0, 80)} |`);
    }
  }
}
