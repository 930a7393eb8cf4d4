// Package managers install what was packed: without a compiler, without python, without a script.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The programs that there are: what a package manager and a launcher script need. */
const PROGRAMS = ['node', 'npm', 'npx', 'sh', 'env', 'dirname', 'sed', 'uname', 'basename'];

export async function tryPackageManagers({ scratch, tarball }, attempt) {
  const tools = installTools(join(scratch, 'tools'), ['pnpm', 'yarn@1', 'bun']);
  const managers = {
    'npm ci': (folder, env) => {
      execute('npm', ['install', '--no-audit', '--no-fund', '--package-lock-only'], folder, env);
      return execute('npm', ['ci', '--no-audit', '--no-fund', '--foreground-scripts'], folder, env);
    },
    pnpm: (folder, env) => execute(join(tools, 'pnpm'), ['install'], folder, env),
    yarn: (folder, env) => execute(join(tools, 'yarn'), ['install'], folder, env),
    bun: (folder, env) => execute(join(tools, 'bun'), ['install'], folder, env),
  };
  for (const [name, install] of Object.entries(managers)) {
    await attempt(`${name} without compiler and python`, () => {
      const folder = makeProject(join(scratch, `a project by ${name}`), tarball);
      const env = bareEnvironment(join(scratch, 'bin'));
      const startMs = Date.now();
      const output = install(folder, env);
      const tookMs = Date.now() - startMs;
      if (/node-gyp|rebuild/.test(output)) throw new Error(`it ran a script: ${output}`);
      const program = join(folder, 'node_modules/.bin/perf-ts');
      execute(program, ['record', '-q', '-e', 'cpu-clock', '--', 'sh', '-c', ':'], folder, env);
      execute(program, ['report'], folder, env);
      return `${tookMs} ms, records and reports`;
    });
  }
  await attempt('building from source in an installation', () => {
    const folder = join(scratch, 'a project by npm ci');
    const perfTs = join(folder, 'node_modules/perf-ts');
    execute(process.execPath, [join(perfTs, 'native/build.mjs')], folder, process.env);
    const addon = join(perfTs, 'build/Release/perf_ts.node');
    if (!existsSync(addon)) throw new Error(`no ${addon}`);
    execute(join(folder, 'node_modules/.bin/perf-ts'), ['doctor'], folder, process.env);
  });
}

export function installByNpm(folder, tarball) {
  makeProject(folder, tarball);
  addByNpm(folder);
}

/** Installs packages beside those of the project. */
export function addByNpm(folder, ...packages) {
  const words = ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages];
  execute('npm', words, folder, process.env);
}

/** Installs packages whose programs are tried; returns the folder of these. */
export function installTools(folder, packages) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const words = ['install', '--no-audit', '--no-fund', '--foreground-scripts', ...packages];
  execute('npm', words, folder, process.env);
  return join(folder, 'node_modules/.bin');
}

function makeProject(folder, tarball) {
  mkdirSync(folder, { recursive: true });
  const project = { name: 'app', version: '1.0.0', dependencies: { 'perf-ts': `file:${tarball}` } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  return folder;
}

/** An environment in which little is on the PATH; settings of npm and of the network stay. */
function bareEnvironment(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of PROGRAMS) {
    const found = (process.env.PATH ?? '').split(':').find((path) => existsSync(join(path, name)));
    const link = join(folder, name);
    if (found !== undefined && !existsSync(link))
      symlinkSync(realpathSync(join(found, name)), link);
  }
  const home = join(dirname(folder), 'home');
  mkdirSync(home, { recursive: true });
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_|https?_proxy$|no_proxy$|NODE_EXTRA_CA_CERTS$)/i.test(name),
  );
  return { ...Object.fromEntries(kept), HOME: home, PATH: folder };
}

/** Standard output and errors of a program that has to succeed. */
function execute(program, args, cwd, env) {
  return execFileSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
