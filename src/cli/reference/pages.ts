import { packageVersion } from '../../system/version.ts';
import { declareProgram } from '../declare-program.ts';
import { commandPages, commandTerms } from './command-page.ts';
import { manName, manPage } from './man-page.ts';
import { markdownIndex, markdownPage } from './markdown-page.ts';

/** A file of a folder that is written whole. */
export type Page = { readonly file: string; readonly text: string };

/** The pages of docs/reference/commands. */
export function markdownPages(): Page[] {
  const program = declareProgram();
  const [first, ...commands] = commandPages(program);
  return [
    { file: 'README.md', text: markdownIndex(first, commandTerms(program)) },
    ...commands.map((page) => ({
      file: `${page.name.replace(/^\S+ /, '')}.md`,
      text: markdownPage(page),
    })),
  ];
}

/** The pages of man(1), which npm installs with a global perf-ts. */
export function manPages(): Page[] {
  const program = declareProgram();
  const version = packageVersion();
  const [first, ...commands] = commandPages(program);
  const texts = [
    { page: first, text: manPage(first, version, commandTerms(program)) },
    ...commands.map((page) => ({ page, text: manPage(page, version) })),
  ];
  return texts.map(({ page, text }) => ({ file: `${manName(page)}.1`, text }));
}
