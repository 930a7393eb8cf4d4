// Checks what pages state about folders. Run by `npm run check`; prints each place, and exits 1.
//
// - A folder with sources in src, web/src or native/core has a README.md, or the nearest one above it names the
//   folder (`name/`). A command's folder, `name/name-command.ts`, is described by its declaration.
// - docs/architecture.md and src/README.md name each folder of src.
// - Half of the files of src and web/src have less than 100 lines, none more than 600, as CONTRIBUTING.md states.
// - A path in code in CONTRIBUTING.md, docs/architecture.md or src/README.md that begins with a folder of the root is
//   there. A word of capitals stands for any name.
// - A source file in code in a README, or in a comment of a source, below src, web, native, test or bench is there.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const ROOMS = ['src', 'web/src', 'native/core'];
const SOURCE = /\.(?:[cm]?ts|tsx|mjs|css|cc|h)$/;
const PAGES = ['CONTRIBUTING.md', 'docs/architecture.md', 'src/README.md'];
const ROOM_LISTS = ['docs/architecture.md', 'src/README.md'];
const PLACEHOLDER = /(?:^|\/)[A-Z]+(?![\w]*\.md)/;
/** Headers and sources of the kernel, V8 and Node, which READMEs and comments cite, and of examples; NAME stands for any. */
const OF_OTHERS = /^(?:include|src|linux|\/srv)\/|^napi\.h$|NAME/;
/** The lines of a source that are comments. */
const COMMENT = /^\s*(?:\/\*\*?|\*|\/\/).*$/gm;
const PATH = /^(?:src|web|native|test|docs|bench|examples)\/[\w./-]*$/;

/** Folders below `folder`, and itself, that hold sources. */
function sourceFolders(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const below = entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => sourceFolders(join(folder, name)));
  return entries.some((entry) => entry.isFile() && SOURCE.test(entry.name))
    ? [folder, ...below]
    : below;
}

/** The nearest README.md above a folder, not the root's; null where there is none. */
function readmeAbove(folder, top) {
  for (let above = dirname(folder); above !== top; above = dirname(above)) {
    const readme = join(above, 'README.md');
    if (existsSync(readme)) return readme;
  }
  return null;
}

/** Folders of `rooms`, below `top`, that no README describes. */
export function findUndescribed(top, rooms) {
  return rooms
    .flatMap((room) => sourceFolders(join(top, room)))
    .filter((folder) => !existsSync(join(folder, 'README.md')))
    .filter((folder) => !existsSync(join(folder, `${basename(folder)}-command.ts`)))
    .flatMap((folder) => {
      const readme = readmeAbove(folder, top);
      const name = basename(folder).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      const isNamed = new RegExp(`(?<![\\w-])${name}/`);
      if (readme !== null && isNamed.test(readFileSync(readme, 'utf8'))) return [];
      const missing =
        readme === null ? 'there is none above it' : `${relative(top, readme)} does not name it`;
      return [`${relative(top, folder)}: has no README.md, and ${missing}`];
    });
}

/** Folders of `top`/src that a page, which has to name all, does not name. */
export function findUnlisted(top, page) {
  const text = readFileSync(join(top, page), 'utf8');
  return readdirSync(join(top, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !new RegExp(`\\b${entry.name}\\b`).test(text))
    .map(({ name }) => `${page}: does not name src/${name}`);
}

/** Paths in code of a page that are not below `top`. */
export function findMissingPaths(top, page) {
  return readFileSync(join(top, page), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/`([^`]+)`/g)]
        .map(([, path]) => path)
        .filter(
          (path) => PATH.test(path) && !PLACEHOLDER.test(path) && !existsSync(join(top, path)),
        )
        .map((path) => `${page}:${index + 1}: ${path} is not there`),
    );
}

/** Files that READMEs and comments below `rooms` name by their ends, and that are nowhere in these rooms. */
export function findMissingFiles(top, rooms) {
  const all = rooms
    .flatMap((room) => readdirSync(join(top, room), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => `/${relative(top, join(entry.parentPath ?? entry.path, entry.name))}`);
  return all
    .filter(
      (path) =>
        path.endsWith('/README.md') ||
        /^\/(?:src|web|native)\/.*\.(?:[cm]?ts|mjs|cc|h)$/.test(path),
    )
    .flatMap((path) => {
      const text = readFileSync(join(top, path), 'utf8');
      const prose = path.endsWith('.md') ? text : (text.match(COMMENT) ?? []).join('\n');
      const named = [...prose.matchAll(/`([\w./-]+\.(?:[cm]?ts|mjs|cc|h))`/g)];
      return named
        .map(([, name]) => name.replace(/^(?:\.\.?\/)+/, ''))
        .filter((name) => !OF_OTHERS.test(name) && !all.some((path) => path.endsWith(`/${name}`)))
        .map((name) => `${path.slice(1)}: ${name} is not there`);
    });
}

/** Problems with the lengths of the files below `rooms`. */
export function findWrongLengths(top, rooms) {
  const lengths = rooms
    .flatMap((room) => readdirSync(join(top, room), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }))
    .sort((a, b) => a.lines - b.lines);
  const median = lengths[lengths.length >> 1].lines;
  return [
    ...(median < 100 ? [] : [`CONTRIBUTING.md: half of the files have ${median} lines or more`]),
    ...lengths
      .filter(({ lines }) => lines > 600)
      .map(({ path, lines }) => `${relative(top, path)}: ${lines} lines are more than 600`),
  ];
}

function main() {
  const problems = [
    ...findWrongLengths(root, ['src', 'web/src']),
    ...findUndescribed(root, ROOMS),
    ...ROOM_LISTS.flatMap((page) => findUnlisted(root, page)),
    ...PAGES.flatMap((page) => findMissingPaths(root, page)),
    ...findMissingFiles(root, ['src', 'web', 'native', 'test', 'bench']),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exit(1);
  console.log(
    `each folder with sources is described, and ${PAGES.length} pages and the comments name files that are there`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
