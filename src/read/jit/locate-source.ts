import { dirname, isAbsolute, join } from 'node:path';
import { pathInBundle } from '../../code/javascript/script-path.ts';

/** A source as a map names it. */
export type NamedSource = {
  readonly named: string;
  /** Against the map's own place. */
  readonly resolved: string;
  /** Path of the map, or of the script around it. */
  readonly url: string;
  /** The source's text, where the map has it. */
  readonly content: string | null;
};

/**
 * The file that a source map means by a source. Bundlers name modules by their place in the project, in
 * a scheme of their own; others count from another folder than that of the map. Where there is no such file,
 * that of the same path is looked for in the map's folder and those around it: the nearest is it, if
 * its text is the one that the map has. A bundler's name that leads out of the project, and to no file, stays as it is.
 * `read` gives null where there is no such file.
 */
export function locateSource(
  { named, resolved, url, content }: NamedSource,
  read: (path: string) => string | null,
): string {
  // Webpack tells modules of one file apart by a hash: `webpack://shop/./src/cart.ts?f00d`.
  const [inBundle] = pathInBundle(resolved)?.split('?') ?? [];
  const path = inBundle ?? (isAbsolute(resolved) ? named : null);
  const isOfBundler = !isAbsolute(resolved);
  const isThere = !isOfBundler && (content === null || read(resolved) !== null);
  const below = path?.replace(LEADING_AWAY, '') ?? '';
  const isBelow = below !== '' && !below.split('/').includes('..');
  const found = isAbsolute(url) && !isThere && isBelow ? nearest(below, url, content, read) : null;
  // Outside of the project, which a URL does not show: its path ends at the root.
  const isAway = pathInBundle(named)?.startsWith('../') === true;
  return found ?? inPackage(isAway ? named : resolved, url);
}

const LEADING_AWAY = /^(?:\.{0,2}\/)+/;

/** The file of this path in the map's folder or the nearest of those around it; null: none with this text. */
function nearest(
  below: string,
  url: string,
  content: string | null,
  read: (path: string) => string | null,
): string | null {
  let folder = dirname(url);
  for (;;) {
    const text = read(join(folder, below));
    if (text !== null && (content === null || isSameText(text, content))) {
      return join(folder, below);
    }
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
}

/** No package begins with a dot: such a folder is a tool's own (Vite's `.vite-temp`), but for the store of Yarn. */
const PACKAGE = /^.*\/node_modules\/(?!\.(?!store\/))(?:@[^/]+\/)?[^/]+\//s;

/**
 * A source of a dependency, whose map leads to where its authors built it: a path, a bundler's name or a URL outside of
 * the package is a path inside of it. What is in some package stays.
 */
function inPackage(resolved: string, url: string): string {
  const [root] = PACKAGE.exec(url) ?? [];
  if (root === undefined || resolved.includes('/node_modules/')) return resolved;
  const path = pathInBundle(resolved) ?? resolved.replace(/^[a-z][a-z+.-]*:\/\/[^/]*/i, '');
  // A commit of a repository on the web.
  const below = path.replace(/^.*\/[0-9a-f]{40}\//, '').replace(LEADING_AWAY, '');
  return below.split('/').includes('..') ? resolved : `${root}${below}`;
}

/** Editors and version control change the ends of lines. */
function isSameText(one: string, other: string): boolean {
  return one === other || one.replaceAll('\r\n', '\n') === other.replaceAll('\r\n', '\n');
}
