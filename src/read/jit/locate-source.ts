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
 * its text is the one that the map has. `read` gives null where there is no such file.
 */
export function locateSource(
  { named, resolved, url, content }: NamedSource,
  read: (path: string) => string | null,
): string {
  // Webpack tells modules of one file apart by a hash: `webpack://shop/./src/cart.ts?f00d`.
  const [inBundle] = pathInBundle(resolved)?.split('?') ?? [];
  const path = inBundle ?? (isAbsolute(resolved) ? named : null);
  if (path === null || !isAbsolute(url)) return resolved;
  const isOfBundler = !isAbsolute(resolved);
  if (!isOfBundler && (content === null || read(resolved) !== null)) return resolved;
  const below = path.replace(/^(?:\.{0,2}\/)+/, '');
  if (below === '' || below.split('/').includes('..')) return resolved;
  let folder = dirname(url);
  for (;;) {
    const text = read(join(folder, below));
    if (text !== null && (content === null || isSameText(text, content)))
      return join(folder, below);
    const parent = dirname(folder);
    if (parent === folder) return resolved;
    folder = parent;
  }
}

/** Editors and version control change the ends of lines. */
function isSameText(one: string, other: string): boolean {
  return one === other || one.replaceAll('\r\n', '\n') === other.replaceAll('\r\n', '\n');
}
