// Runs the core cases on kernels that people have: Debian's, each in a virtual machine; one that a command
// boots; or the one of this machine. README.md has the options. Exit status 1 if a case failed.

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, release, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPrograms, makeCoreApp } from './core-app.mjs';
import { CoreRun, printTable } from './core-results.mjs';
import { fetchKernel, SUITES } from './debian-kernel.mjs';
import { boot, checkNeeded, makeRoot } from './x86-guest.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const USAGE = `usage: npm run test:kernels -- [--case NAME]... [--cache DIR] [--limit SECONDS] [KERNEL...]
       npm run test:kernels -- --command TEXT [--cache DIR] [--limit SECONDS] KERNEL
       npm run test:kernels -- --start TEXT [--case NAME]...
       KERNEL: ${Object.keys(SUITES).join(', ')} (default: all of these), or here`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    case: { type: 'string', multiple: true, default: [] },
    cache: { type: 'string' },
    limit: { type: 'string', default: '900' },
    command: { type: 'string' },
    start: { type: 'string' },
  },
});
const isKnown = (name) => name === 'here' || SUITES[name] !== undefined;
if (!positionals.every(isKnown) || (values.start !== undefined && positionals.length > 0)) {
  console.error(USAGE);
  process.exit(2);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`kernels: ${error.stderr || error.message}`);
  process.exitCode = 1;
}

async function main() {
  const runs = [];
  if (values.start !== undefined) {
    runs.push(await inFolder(runStarted));
  } else {
    const kernels = positionals.length > 0 ? positionals : Object.keys(SUITES);
    if (kernels.some((name) => name !== 'here')) checkNeeded();
    for (const name of kernels) {
      const isHere = name === 'here';
      runs.push(await inFolder(isHere ? runHere : (folder) => runGuest(name, folder)));
    }
  }
  if (values.command === undefined) printTable(runs);
  return runs.every(({ isOk }) => isOk) ? 0 : 1;
}

/** Hands a new folder to a run, and removes it. */
async function inFolder(run) {
  const folder = mkdtempSync(join(tmpdir(), 'perf-ts-kernel-'));
  // A case runs perf-ts from a shared folder as another user.
  chmodSync(folder, 0o755);
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The words that run the cases, with the app in a folder. */
function coreCommand(app) {
  return ['node', `${app}/core-run.mjs`, app, '/tmp/out', `${app}/programs`, ...values.case];
}

/** Boots Debian's kernel of a version and runs the cases, or the command, in the guest. */
async function runGuest(name, folder) {
  const inCache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const cache = resolve(values.cache ?? join(inCache, 'perf-ts/kernels'));
  mkdirSync(cache, { recursive: true });
  const kernel = fetchKernel(name, cache);
  const archive = makeRoot(folder, values.command ?? coreCommand('/app').join(' '));
  const consoleFile = join(folder, 'console.log');
  const run = new CoreRun(name);
  console.log(`kernel ${name}: ${kernel}`);
  const limitSeconds = Number(values.limit);
  const onLine = (line) => run.take(line);
  const status = await boot({ kernel, archive, consoleFile, limitSeconds, onLine });
  run.isFinished = status !== null;
  if (status === null) {
    console.log(`the guest ended without a status, or took longer than ${limitSeconds} s:`);
    console.log(readFileSync(consoleFile, 'utf8').split('\n').slice(-20).join('\n'));
  }
  return run;
}

/**
 * An arm64 guest that a command boots, with the packaged addon. In the command's text {share} stands for
 * the folder that it has to share as /share, and {command} for what to run there, as one quoted word.
 */
async function runStarted(folder) {
  const addon = 'prebuilds/linux-arm64/perf-ts.glibc.node';
  makeCoreApp(join(folder, 'app'), { addon, compiler: 'aarch64-linux-gnu-gcc' });
  const text = values.start
    .replaceAll('{share}', folder)
    .replaceAll('{command}', `'${coreCommand('/share/app').join(' ')}'`);
  return await runLines('arm64', 'sh', ['-c', text]);
}

/** The same cases on this machine, which keeps its settings. */
async function runHere(folder) {
  const programs = join(folder, 'programs');
  buildPrograms(programs, 'gcc');
  const script = join(root, 'test/guest/core-run.mjs');
  const names = values.case.length > 0 ? values.case : ['all-but:user'];
  const args = [script, root, join(folder, 'out'), programs, ...names];
  return await runLines(`${release()}, here`, process.execPath, args);
}

/** Runs a program whose lines are those of core-run.mjs. Its status 0 and 1 are those of the cases. */
async function runLines(name, program, args) {
  const run = new CoreRun(name);
  console.log(`kernel ${name}`);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done, fail) => child.on('error', fail).on('exit', done));
  for await (const line of createInterface({ input: child.stdout })) run.take(line);
  run.isFinished = [0, 1].includes(await ended);
  return run;
}
