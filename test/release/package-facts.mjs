// The packed files themselves: their size, what they bring along, whether tools find their types.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { installByNpm } from './package-managers.mjs';

const MAX_PACKED_BYTES = 5e6;
const MAX_INSTALLED_BYTES = 25e6;
const MAX_PACKAGES = 22;
/** Licences under which what is installed may be handed on. */
const LICENCES = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD']);
const ADDONS = ['linux-arm64', 'linux-x64'].flatMap((platform) => [
  ...['glibc', 'musl'].map((libc) => `prebuilds/${platform}/perf-ts.${libc}.node`),
  `prebuilds/${platform}/code-events.so`,
]);

export async function checkPackage({ root, scratch, tarball }, attempt) {
  const npx = (...words) =>
    execFileSync('npx', ['--yes', ...words], { cwd: root, encoding: 'utf8' });
  await attempt('packed size', () => {
    const { size } = statSync(tarball);
    return atMost(size, MAX_PACKED_BYTES, 'bytes');
  });
  await attempt('packed files', () => {
    const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n');
    const has = (file) => files.includes(`package/${file}`);
    const missing = ADDONS.filter((file) => !has(file));
    if (missing.length > 0) throw new Error(`without ${missing.join(', ')}`);
    // npm would run node-gyp in each project that installs the package.
    if (has('binding.gyp')) throw new Error('binding.gyp is at its root');
    return `${files.length - 1} files, all addons`;
  });
  await attempt('unused files, exports and dependencies', () => {
    execFileSync('npm', ['run', '--silent', 'check:unused'], { cwd: root, encoding: 'utf8' });
  });
  await attempt('publint', () => void npx('publint', '--strict', tarball));
  await attempt('types for ESM and CommonJS', () => {
    npx('-p', '@arethetypeswrong/cli@0.18.5', 'attw', tarball);
  });
  const folder = join(scratch, 'package');
  await attempt('npm install', () => installByNpm(folder, tarball));
  await attempt('installed packages', () => {
    const packages = installedPackages(folder).filter(({ name }) => name !== 'perf-ts');
    return atMost(packages.length, MAX_PACKAGES, 'packages beside perf-ts');
  });
  await attempt('installed size', () => {
    const text = execFileSync('du', ['-sb', join(folder, 'node_modules')], { encoding: 'utf8' });
    return atMost(Number.parseInt(text, 10), MAX_INSTALLED_BYTES, 'bytes');
  });
  await attempt('licences', () => {
    const packages = [...installedPackages(folder), ...bundledPackages(folder)];
    const other = packages.filter(({ licence }) => !LICENCES.has(licence));
    if (other.length > 0) {
      throw new Error(other.map(({ name, licence }) => `${name}: ${licence}`).join(', '));
    }
    return packages.map(({ name, licence }) => `${name} ${licence}`).join(', ');
  });
}

/** The libraries in the page's script, from the list that the build writes beside it. */
function bundledPackages(folder) {
  const list = join(folder, 'node_modules/perf-ts/dist/web/third-party-licenses.md');
  const headings = [...readFileSync(list, 'utf8').matchAll(/^## (\S+) - \S+ \((.+)\)$/gm)];
  if (headings.length === 0) throw new Error(`${list} names nothing`);
  return headings.map(([, name, licence]) => ({ name, licence }));
}

function atMost(value, most, unit) {
  if (value > most) throw new Error(`${value} ${unit}, more than ${most}`);
  return `${value} ${unit}`;
}

function installedPackages(folder) {
  const modules = join(folder, 'node_modules');
  return readdirSync(modules)
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(modules, name)).map((own) => `${name}/${own}`)
        : [name],
    )
    .filter((name) => !name.startsWith('.'))
    .map((name) => {
      const { license } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
      return { name, licence: license };
    });
}
