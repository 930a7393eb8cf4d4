// Repeats on a machine with a PMU what the fixtures of test/period were recorded for, and judges it.
// README.md has the options. Exit status 1 if a check failed.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildApp, buildProgram } from './build-app.mjs';
import { CASES } from './cases.mjs';
import { judgeCase } from './judge.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const USAGE = `usage: node test/guest/run.mjs --local [--json FILE]
       node test/guest/run.mjs --headers DIR [--share DIR] [--seen-as DIR] [--json FILE] -- COMMAND...
       in COMMAND, {share} is the shared directory and {command} what to run in the guest`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    local: { type: 'boolean', default: false },
    headers: { type: 'string' },
    share: { type: 'string' },
    'seen-as': { type: 'string', default: '/share' },
    'tool-prefix': { type: 'string', default: 'aarch64-linux-gnu-' },
    arch: { type: 'string', default: 'arm64' },
    json: { type: 'string' },
  },
});
if (values.local === positionals.length > 0 || (!values.local && values.headers === undefined)) {
  console.error(USAGE);
  process.exit(2);
}

const measured = JSON.parse(values.local ? measureHere() : await measureInGuest());
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(measured, null, 1)}\n`);
process.exitCode = printVerdicts(measured);

/** The build of this directory, on this machine. */
function measureHere() {
  const directory = mkdtempSync(join(tmpdir(), 'perf-ts-guest-'));
  try {
    buildProgram(join(directory, 'phases'), 'gcc');
    const measure = join(root, 'test/guest/measure.mjs');
    const options = [measure, root, directory, join(directory, 'phases')];
    return execFileSync(process.execPath, options, { encoding: 'utf8', maxBuffer: 1 << 28 });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function measureInGuest() {
  const share = resolve(values.share ?? mkdtempSync(join(tmpdir(), 'perf-ts-guest-')));
  await buildApp({
    app: join(share, 'app'),
    arch: values.arch,
    toolPrefix: values['tool-prefix'],
    headers: values.headers,
  });
  const seen = values['seen-as'];
  const inGuest = `node ${seen}/app/measure.mjs ${seen}/app /tmp/perf-ts-out ${seen}/app/phases`;
  const [program, ...args] = positionals.map((word) =>
    word.replaceAll('{share}', share).replaceAll('{command}', inGuest),
  );
  const run = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (run.status !== 0) throw new Error(`${program} ended with ${run.status ?? run.error}`);
  return run.stdout;
}

/** 1 if anything failed, else 0. */
function printVerdicts({ kernel, arch, results }) {
  console.log(`kernel ${kernel}, ${arch}`);
  let failures = 0;
  for (const [index, result] of results.entries()) {
    const checks = judgeCase(CASES[index], result, arch);
    console.log(`\n${result.name}: ${result.samples ?? 0} samples`);
    for (const { what, passed, saw } of checks) {
      if (passed === false) failures++;
      const mark = passed === null ? '–' : passed ? 'ok' : 'FAILED';
      console.log(`  ${what.padEnd(7)} ${mark.padEnd(6)} ${saw}`);
    }
  }
  console.log(`\n${failures} checks failed`);
  return failures > 0 ? 1 : 0;
}
