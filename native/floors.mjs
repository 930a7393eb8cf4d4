// The oldest C and C++ libraries with which an addon loads, read off the versions of the symbols that it
// asks for.

import { execFileSync } from 'node:child_process';

/** By C library: the libraries that may be named, and the highest version of each kind of symbol. */
const ALLOWED = {
  glibc: {
    libraries: /^(libc|libm|libdl|libpthread|libstdc\+\+|libgcc_s|ld-linux\S*)\.so\.\d+$/,
    versions: { GLIBC: '2.17', GLIBCXX: '3.4.21', CXXABI: '1.3.9', GCC: '4.3.0' },
  },
  musl: { libraries: /^libc\.so$/, versions: {} },
  any: { libraries: /^$/, versions: {} },
};

/**
 * The needs of the addon as text: `GLIBC 2.17, GLIBCXX 3.4.21`. Throws where that is newer than what is
 * promised for `libc`, or a symbol of libuv is asked for, which is no part of Node-API.
 */
export function checkFloors(addon, libc) {
  const { libraries, versions } = ALLOWED[libc];
  const dynamic = readElf('--dynamic', addon);
  for (const [, name] of dynamic.matchAll(/\(NEEDED\).*\[(.+?)\]/g)) {
    if (!libraries.test(name)) throw new Error(`${addon} needs ${name}`);
  }
  const needed = {};
  for (const [, kind, version] of readElf('--version-info', addon).matchAll(
    /Name: ([A-Z]+)_([\d.]+)/g,
  )) {
    const allowed = versions[kind];
    if (allowed === undefined || isNewer(version, allowed)) {
      throw new Error(
        `${addon} needs ${kind}_${version}; at most ${allowed ?? 'none'} is promised`,
      );
    }
    if (needed[kind] === undefined || isNewer(version, needed[kind])) needed[kind] = version;
  }
  const foreign = /\bUND (uv_\w+)/.exec(readElf('--dyn-syms', addon))?.[1];
  if (foreign !== undefined) throw new Error(`${addon} needs ${foreign}, which is not Node-API`);
  return (
    Object.entries(needed)
      .map((entry) => entry.join(' '))
      .join(', ') || (libc === 'any' ? 'no library' : `${libc} alone`)
  );
}

/** Throws where a prebuilt addon exports what Node does not look for: a runtime library that was linked in. */
export function checkExports(addon) {
  const symbols = readElf('--dyn-syms', addon);
  const exported = [...symbols.matchAll(/ (?:GLOBAL|WEAK) +DEFAULT +(?:\d+|ABS) (\S+)/g)].find(
    ([, name]) => !/^n(?:api|ode_api)_/.test(name),
  );
  if (exported !== undefined) throw new Error(`${addon} exports ${exported[1]}: see exports.map`);
}

function readElf(what, file) {
  return execFileSync('readelf', ['--wide', what, file], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 2 ** 26,
  });
}

function isNewer(version, other) {
  const [a, b] = [version, other].map((text) => text.split('.').map(Number));
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) > (b[i] ?? 0);
  }
  return false;
}
