// Each relative link of a page leads somewhere: from a page that is packed to what is packed too, because
// an installed perf-ts has nothing else; from the others to a file of the checkout.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Folders whose files are not ours. */
const FOREIGN = /(?:^|\/)(?:node_modules|build|dist|out|api|\.[^/]*)$/;

function pagesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return FOREIGN.test(path) ? [] : pagesBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  files: string[];
};
/** npm packs these whatever `files` names. */
const ALWAYS = /^(?:package\.json|readme|licen[cs]e)/i;

/** Whether npm packs a file; of a folder, whether it packs something in it. */
function isPacked(path: string): boolean {
  const isBelow = (entry: string) =>
    path === entry || path.startsWith(`${entry.replace(/\/(?:\*\*)?$/, '')}/`);
  if (files.some((entry) => entry.startsWith('!') && isBelow(entry.slice(1)))) return false;
  return ALWAYS.test(path) || files.some(isBelow);
}

type Link = { readonly page: string; readonly target: string };

/** Links outside of code: `[text](target)` and `[name]: target`. */
function linksOf(page: string): Link[] {
  const text = withoutCode(readFileSync(join(root, page), 'utf8'));
  const inline = text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g);
  const named = text.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm);
  return [...inline, ...named]
    .map(([, target]) => ({ page, target }))
    .filter(({ target }) => !/^[a-z][a-z+.-]*:/i.test(target));
}

function withoutCode(text: string): string {
  return text
    .replace(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2 *$/gm, '')
    .replace(/(`+)[^`]+\1/g, 'code');
}

/** The anchors that GitHub and npm make of headings. */
function anchorsOf(page: string): Set<string> {
  const text = readFileSync(join(root, page), 'utf8').replace(
    /^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2 *$/gm,
    '',
  );
  const anchors = new Set<string>();
  const made = new Map<string, number>();
  for (const [, heading] of text.matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    const count = made.get(slug) ?? 0;
    made.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  for (const [, id] of text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** The obstacle of a link; null: none. */
function obstacleOf({ page, target }: Link): string | null {
  const [file, anchor] = target.split('#');
  const path = file === '' ? page : relative(root, resolve(root, dirname(page), decodeURI(file)));
  if (path.startsWith('..')) return 'leads out of the repository';
  if (!existsSync(join(root, path))) return 'there is no such file';
  if (isPacked(page) && !isPacked(path)) return 'is not packed, and the page is';
  if (anchor === undefined || statSync(join(root, path)).isDirectory()) return null;
  return anchorsOf(path).has(anchor) || !path.endsWith('.md') ? null : 'has no such heading';
}

const links = pagesBelow('').flatMap(linksOf);

it('every relative link of a page leads somewhere, from packed pages to packed files', () => {
  expect(links.length).toBeGreaterThan(100);
  const dead = links.flatMap((link) => {
    const obstacle = obstacleOf(link);
    return obstacle === null ? [] : [`${link.page}: ${link.target} ${obstacle}`];
  });
  expect(dead).toEqual([]);
});

it('the pages that npm packs are known from package.json', () => {
  expect(isPacked('README.md')).toBe(true);
  expect(isPacked('docs/how-to/use-the-library.md')).toBe(true);
  expect(isPacked('src/index.ts')).toBe(false);
  expect(isPacked('native/test/README.md')).toBe(false);
});
