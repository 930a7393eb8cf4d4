// A recorded Node program prints and ends as it does alone, and its functions have their names.

import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cleanEnvironment, keepingNames, perfTs, scratchDirectory } from '../helpers/cli.ts';
import { describeLive } from '../helpers/live.ts';

const scratch = scratchDirectory();

/** Everything that a program easily sees of its surroundings. */
const LOOK = `
const { spawnSync, execSync } = require('node:child_process');
const { Worker, isMainThread } = require('node:worker_threads');
const listeners = Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
const look = () => JSON.stringify([Object.entries(process.env).filter(([name]) => name !== '_'), process.execArgv, listeners,
  process._preload_modules, Object.keys(require.cache).length, process.getActiveResourcesInfo(),
  require('node:v8').cachedDataVersionTag()]);
console.log(look());
if (isMainThread && process.argv.length < 3) {
  console.log(Worker.prototype.constructor === Worker, Worker.name, Object.getOwnPropertySymbols(process).length);
  for (const env of [undefined, {}, { A: '1' }, { NODE_OPTIONS: '--no-deprecation' }])
    console.log(String(spawnSync(process.execPath, [__filename, 'child'], { env }).stdout));
  for (const options of [{}, { env: {} }, { execArgv: ['--no-warnings'] }]) new Worker(__filename, options);
  process.on('exit', () => { process.exitCode = 7; });
}
`;

const HOT = (name: string): string =>
  `function ${name}(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; }
   for (let i = 0; i < 150; i++) ${name}(300_000);`;

describeLive('a recorded Node program', () => {
  it.each([
    ['as it is', []],
    ['without machine code made at run time', ['--jitless']],
    ['that throws deprecations', ['--pending-deprecation', '--throw-deprecation']],
    ['with frozen intrinsics', ['--frozen-intrinsics', '--no-warnings']],
    ['that makes no code of strings', ['--disallow-code-generation-from-strings']],
  ])('%s prints and ends as it does alone', (_, flags) => {
    const script = join(scratch, 'look.cjs');
    writeFileSync(script, LOOK);
    const env = { PATH: process.env.PATH, XDG_DATA_HOME: process.env.XDG_DATA_HOME, HOME: scratch };
    const command = [process.execPath, ...flags, script];
    const alone = spawnSync(command[0], command.slice(1), { cwd: scratch, encoding: 'utf8', env });
    const out = join(scratch, 'look.data');
    const recorded = perfTs(['record', '-q', '-e', 'cpu-clock:u', '-o', out, '--', ...command], {
      cwd: scratch,
      env,
    });
    const sorted = (text: string) => text.split('\n').sort();
    expect(recorded.status).toBe(alone.status);
    expect(alone.status).toBe(7);
    expect(sorted(recorded.stdout)).toEqual(sorted(alone.stdout));
    expect(recorded.stderr).toBe(alone.stderr);
  });

  it('the program has the descriptors that it has alone where perf-ts keeps its caches', () => {
    const script = join(scratch, 'descriptors.cjs');
    writeFileSync(
      script,
      `console.log(require('fs').readdirSync('/proc/self/fd').map(Number).filter((fd) => fd < 48).join());`,
    );
    const env = { ...keepingNames(), XDG_CACHE_HOME: join(scratch, 'caches') };
    const alone = spawnSync(process.execPath, [script], { encoding: 'utf8', env });
    const words = ['record', '-q', '-e', 'cpu-clock:u', '-o', join(scratch, 'descriptors.data')];
    const recorded = perfTs([...words, '--', process.execPath, script], { env });
    expect(readdirSync(join(scratch, 'caches/perf-ts'))).not.toEqual([]);
    expect(recorded.stdout).toBe(alone.stdout);
  });

  it('the program has the folder of NODE_V8_COVERAGE to itself', () => {
    const coverage = join(scratch, 'coverage');
    const env = { ...cleanEnvironment(), NODE_V8_COVERAGE: coverage };
    const words = ['record', '-q', '-e', 'cpu-clock:u', '-o', join(scratch, 'coverage.data')];
    expect(perfTs([...words, '--', process.execPath, '-e', '0'], { env }).status).toBe(0);
    expect(readdirSync(coverage)).toHaveLength(1);
  });

  it('record names functions of children and workers with options and environments of their own', () => {
    const script = join(scratch, 'own.cjs');
    writeFileSync(
      script,
      `const { spawnSync } = require('node:child_process');
       const { Worker, isMainThread } = require('node:worker_threads');
       if (process.argv[2] === 'child') { ${HOT('hotChild')} }
       else if (process.argv[2] === 'own') { ${HOT('hotOwnOptions')} }
       else if (!isMainThread) { ${HOT('hotWorker')} }
       else {
         spawnSync(process.execPath, [__filename, 'child'], { env: {} });
         spawnSync(process.execPath, [__filename, 'own'], { env: { NODE_OPTIONS: '--no-deprecation' } });
         new Worker(__filename, { env: {} });
       }`,
    );
    const out = join(scratch, 'own.data');
    const options = ['-g', '-e', 'cpu-clock:u', '-F', '997', '-o', out];
    const { status, stderr } = perfTs(['record', ...options, '--', process.execPath, script]);
    expect({ status, missing: /no names/.test(stderr) }).toEqual({ status: 0, missing: false });
    const { stdout } = perfTs(['report', '--limit', '0', out]);
    for (const name of ['hotChild', 'hotOwnOptions', 'hotWorker']) {
      expect(stdout).toMatch(new RegExp(`own\\.cjs:\\d+ +${name}$`, 'm'));
    }
  });
});
