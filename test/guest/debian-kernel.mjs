// Debian's cloud kernels for x86-64, fetched by apt from the mirror that this machine uses, in a package
// state of its own: nothing is installed, and no source of the machine is changed.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAptState } from '../rigs/debian-packages.mjs';

/** The suites whose kernel has that version. */
export const SUITES = { '5.10': 'bullseye', 6.1: 'bookworm', 6.12: 'trixie' };

const META_PACKAGE = 'linux-image-cloud-amd64';

/** Fetches the kernel of a version unless the cache has it. Returns the path of its image. */
export function fetchKernel(version, cache) {
  const suite = SUITES[version];
  const folder = join(cache, `linux-${version}`);
  const boot = join(folder, 'boot');
  const found = findImage(boot);
  if (found !== null) return found;
  const environment = { ...process.env, APT_CONFIG: writeAptState(join(folder, 'apt'), suite) };
  const run = (program, ...args) =>
    execFileSync(program, args, { cwd: folder, encoding: 'utf8', env: environment });
  run('apt-get', 'update', '-qq');
  const described = run('apt-cache', 'show', '--no-all-versions', META_PACKAGE);
  const image = /^Depends: (linux-image-[^ ,]+)/m.exec(described)?.[1];
  if (image === undefined) throw new Error(`${suite}: ${META_PACKAGE} names no image`);
  run('apt-get', 'download', '-qq', image);
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
  run('dpkg-deb', '-x', archive, 'unpacked');
  run('mv', join(folder, 'unpacked/boot'), boot);
  for (const used of [archive, 'unpacked', 'apt']) {
    rmSync(join(folder, used), { recursive: true, force: true });
  }
  return findImage(boot);
}

function findImage(boot) {
  if (!existsSync(boot)) return null;
  const name = readdirSync(boot).find((entry) => entry.startsWith('vmlinuz-'));
  return name === undefined ? null : join(boot, name);
}
