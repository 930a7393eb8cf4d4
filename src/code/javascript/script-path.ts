/** Marks of versions of one path: ours, and those of Vite's module graph (`?v=c62ac4c0`, `?t=1732933920123`). */
const VERSION = /(?:\?(?:perf-ts-version=\d+|[tv]=[\da-f]+))+$/;

/** A script among those of one path, from 1; the first has no mark. */
export function withVersion(script: string, version: number): string {
  return version <= 0 ? script : `${script}?perf-ts-version=${version}`;
}

/** A script's path with the mark of its version, by which its source map is found. */
export function versionedPath(script: string): string {
  return pathOfScript(script) + (VERSION.exec(script)?.[0] ?? '');
}

/** `file:` URLs as paths, all else as it is, without the mark of a version. */
export function pathOfScript(versioned: string): string {
  const script = versioned.replace(VERSION, '');
  if (!script.startsWith('file://')) return script;
  const path = script.slice('file://'.length).replace(/[?#].*$/s, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const MODULES = '/node_modules/';

/**
 * Schemes in which bundlers name modules, the project that follows (`@acme/shop` is one), and the layer or root of it:
 * `webpack://shop/`, `webpack-internal:///(rsc)/`, `turbopack:///[project]/`.
 */
const BUNDLER =
  /^(?:[a-z]+pack|webpack-internal):\/\/(?:@[^/]+\/)?[^/]*\/+(?:\[project\]\/|\([\w-]+\)\/)?/;

/**
 * Path in its project of a module in a bundler's scheme: `./src/cart.ts` of `webpack://shop/./src/cart.ts`; null: no
 * such name.
 */
export function pathInBundle(name: string): string | null {
  return BUNDLER.test(name) ? name.replace(BUNDLER, '') : null;
}

/**
 * A script as it stands in a function's name: below `directory` its path from there, a dependency by
 * its package, Node's own as `node:fs`.
 */
export function shortPath(path: string, directory: string | null): string {
  const at = path.lastIndexOf(MODULES);
  if (at >= 0) return path.slice(at + MODULES.length);
  if (directory !== null && directory !== '/' && path.startsWith(`${directory}/`)) {
    return path.slice(directory.length + 1);
  }
  return pathInBundle(path)?.replace(/^\.\//, '') ?? path;
}

/**
 * The one of the folders in which processes were started that all others are in, as the root of a monorepo is; null where
 * none is.
 */
export function outermostFolder(folders: readonly string[]): string | null {
  const isIn = (folder: string, outer: string) => `${folder}/`.startsWith(`${outer}/`);
  return folders.find((outer) => folders.every((folder) => isIn(folder, outer))) ?? null;
}

/**
 * Whether a function's name is, or ends in, the key under which a bundler keeps a module of a package, whose body the
 * function is: `./node_modules/a/b.js`, `(rsc)/./node_modules/a/b.js`, `[project]/node_modules/a/b.js [app-rsc] (ecmascript)`.
 */
export function isKeyOfPackage(name: string): boolean {
  return /(?:^| )(?:\([\w-]+\)\/|\[project\]\/)?(?:[^ ']*\/)?node_modules\//.test(name);
}
