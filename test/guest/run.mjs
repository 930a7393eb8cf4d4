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
import { judgeStat } from './stat-cases.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const USAGE = `usage: node test/guest/run.mjs --local [--stat-only] [--json FILE]
       node test/guest/run.mjs [--share DIR] [--seen-as DIR] [--stat-only] [--json FILE] -- COMMAND...
       in COMMAND, {share} is the shared directory and {command} what to run in the guest`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    local: { type: 'boolean', default: false },
    share: { type: 'string' },
    'seen-as': { type: 'string', default: '/share' },
    'tool-prefix': { type: 'string', default: 'aarch64-linux-gnu-' },
    arch: { type: 'string', default: 'arm64' },
    json: { type: 'string' },
    'stat-only': { type: 'boolean', default: false },
  },
});
if (values.local === positionals.length > 0) {
  console.error(USAGE);
  process.exit(2);
}

const part = values['stat-only'] ? ['stat'] : [];
const measured = JSON.parse(values.local ? measureHere() : await measureInGuest());
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(measured, null, 1)}\n`);
process.exitCode = printVerdicts(measured);

/** The build of this directory, on this machine. */
function measureHere() {
  const directory = mkdtempSync(join(tmpdir(), 'perf-ts-guest-'));
  try {
    buildProgram(join(directory, 'phases'), 'gcc');
    const measure = join(root, 'test/guest/measure.mjs');
    const options = [measure, root, directory, join(directory, 'phases'), ...part];
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
  });
  const seen = values['seen-as'];
  const inGuest = [
    `node ${seen}/app/measure.mjs ${seen}/app /tmp/perf-ts-out ${seen}/app/phases`,
    ...part,
  ].join(' ');
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
function printVerdicts({ kernel, arch, results, stat }) {
  console.log(`kernel ${kernel}, ${arch}`);
  let failures = 0;
  const verdicts = results.map((result, index) => ({
    title: `${result.name}: ${result.samples ?? 0} samples`,
    checks: judgeCase(CASES[index], result, arch),
  }));
  verdicts.push({ title: 'stat', checks: judgeStat(stat) });
  for (const { title, checks } of verdicts) {
    console.log(`\n${title}`);
    for (const { what, passed, saw } of checks) {
      if (passed === false) failures++;
      const mark = passed === null ? '–' : passed ? 'ok' : 'FAILED';
      console.log(`  ${what.padEnd(7)} ${mark.padEnd(6)} ${saw}`);
    }
  }
  console.log(`\n${failures} checks failed`);
  return failures > 0 ? 1 : 0;
}
