// Names, lines and owners of JavaScript in real programs (`real-programs/programs.mjs`): the time of own code and of
// dependencies that is `(anonymous)`, without a line or without a file, and the owners that are wrong by hand.
//
//     node bench/real-programs.mjs FOLDER [--node PATH]… [--program NAME]… [--attach] [--top N]
//
// The programs are installed into FOLDER, which must not be in a repository; needs the registry. Servers are asked by
// two clients; with --attach they run without perf-ts at first. --top prints the first functions of each program; the first
// with a wrong owner, and own ones without a name, are always printed.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openProfile } from '../dist/index.js';
import { root } from './measure.mjs';
import { countSelf, ownersByHand } from './real-programs/count.mjs';
import { PROGRAMS, writePrograms } from './real-programs/programs.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string', multiple: true, default: [process.execPath] },
    program: { type: 'string', multiple: true },
    attach: { type: 'boolean', default: false },
    top: { type: 'string', default: '0' },
  },
});
if (positionals.length !== 1)
  throw new Error('usage: node bench/real-programs.mjs FOLDER [options]');
const folder = resolve(positionals[0]);
const CLI = join(root, 'dist/bin/main.js');
const MS = 3000;
const LIMIT_MS = 90_000;

const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: 'inherit' });
writePrograms(folder, run);

async function freePort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

const agent = new Agent({ keepAlive: true });

/** The status of an answer; 0 where there is none. */
function ask(port, path) {
  return new Promise((done) => {
    const request = get({ port, agent, path, host: '127.0.0.1' }, (response) => {
      response.resume().on('end', () => done(response.statusCode));
    });
    request.setTimeout(30_000, () => request.destroy()).on('error', () => done(0));
  });
}

async function untilReady(port, path, child) {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(100)) {
    if ((await ask(port, path)) === 200) return;
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode} before ${path}`);
  }
  child.kill('SIGINT');
  throw new Error(`no answer to ${path}`);
}

const until = (ms) => {
  const end = Date.now() + ms;
  return () => Date.now() < end;
};

/** Asks for the paths in turn while `isOn`. */
async function drive(port, paths, isOn) {
  const one = async (first) => {
    for (let i = first; isOn(); i++) await ask(port, paths[i % paths.length]);
  };
  await Promise.all([one(0), one(1)]);
}

const childrenOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).flatMap((tid) =>
    readFileSync(`/proc/${pid}/task/${tid}/children`, 'utf8').split(' ').filter(Boolean),
  );
const treeOf = (pid) => [pid, ...childrenOf(pid).flatMap(treeOf)];

async function ended(child) {
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  clearTimeout(timer);
}

async function recorded(node, program, file) {
  const { args, asked, cwd = 'web' } = program;
  const port = await freePort();
  const options = {
    cwd: join(folder, cwd),
    env: {
      ...process.env,
      MS: `${MS}`,
      PORT: `${port}`,
      PATH: `${dirname(node)}:${process.env.PATH}`,
    },
    stdio: 'ignore',
  };
  const record = ['record', '-q', '-F', '1999', '-e', 'cpu-clock', '-g', '-o', file];
  const launched = [process.execPath, [CLI, ...record, '--', node, ...args]];
  const [command, given] = values.attach ? [node, args] : launched;
  const child = spawn(command, given, options);
  if (asked !== undefined) {
    for (const path of asked) await untilReady(port, path, child);
    if (values.attach) await drive(port, asked, until(1000));
  } else if (values.attach) await sleep(1500);
  let isRecorded = false;
  const isOn = values.attach ? () => !isRecorded : until(MS);
  const driven = asked === undefined ? null : drive(port, asked, isOn);
  if (values.attach) {
    const attach = [
      '--attach-js',
      '-p',
      treeOf(`${child.pid}`).join(','),
      '--duration',
      `${MS / 1000}`,
    ];
    await ended(spawn(process.execPath, [CLI, ...record, ...attach], { stdio: 'ignore' }));
    isRecorded = true;
  }
  await driven;
  if (asked !== undefined || values.attach) {
    if (values.attach)
      for (const pid of treeOf(`${child.pid}`).reverse()) process.kill(Number(pid));
    else child.kill('SIGINT');
  }
  await ended(child);
}

const percent = (part, all) => (all === 0 ? '–' : ((100 * part) / all).toFixed(1));

function cells(counted) {
  const { own, dependency, owners, inJavaScript, unnamed, ownerWrong, placed } = counted;
  const ofKind = ({ all, anonymous, withoutLine }) => [
    percent(anonymous, all),
    percent(withoutLine, all),
  ];
  return [
    ...[counted.samples, inJavaScript],
    ...['user code', 'dependency', 'node internal', 'unknown'].map((owner) =>
      percent(owners[owner], inJavaScript),
    ),
    ...[...ofKind(own), ...ofKind(dependency), percent(unnamed, inJavaScript)],
    percent(placed - ownerWrong, placed),
  ];
}

const HEADS =
  'program|Node|samples|in JavaScript|own|dep|Node’s|unknown|own anonymous|own no line|dep anonymous|dep no line|unnamed|owner right';
console.log(`| ${HEADS.split('|').join(' | ')} |\n|${' --- |'.repeat(HEADS.split('|').length)}`);
for (const [name, program] of Object.entries(PROGRAMS)) {
  if (values.program !== undefined && !values.program.includes(name)) continue;
  for (const node of values.node) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const file = join(
      folder,
      `${name.replace(/\W+/g, '-')}-${version}${values.attach ? '-a' : ''}.data`,
    );
    try {
      await recorded(node, program, file);
      const { profile } = await openProfile(file);
      const byHand = ownersByHand(join(folder, program.cwd ?? 'web'), program);
      const counted = countSelf(profile, byHand);
      console.log(`| ${[name, version, ...cells(counted)].join(' | ')} |`);
      const isFault = ({ name: label, owner, isWrong }) =>
        isWrong || (owner === 'user code' && label.startsWith('(anonymous)'));
      const shown = counted.rows.slice(0, Number(values.top));
      for (const row of [...shown, ...counted.rows.filter(isFault).slice(0, 5)]) {
        const { name: label, owner, count, isWrong } = row;
        const share = percent(count, counted.inJavaScript);
        console.log(`    ${share} ${owner}${isWrong ? ' WRONG' : ''}: ${label.slice(0, 160)}`);
      }
    } catch (error) {
      console.log(`| ${name} | ${version} | ${error.message.slice(0, 80)} |`);
    }
  }
}
agent.destroy();
