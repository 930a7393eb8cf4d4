/** `file:` URLs as paths, all else as it is. */
export function pathOfScript(script: string): string {
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
