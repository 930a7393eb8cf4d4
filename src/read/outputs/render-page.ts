import { lateModules } from '../../base/late-modules.ts';
import { type HtmlFile, renderHtml } from '../../formats/export/html.ts';
import { readPageAssets } from './web-assets.ts';

/** The page of these recordings as one file, as the state `view`; those from `firstBefore` on are compared with. */
export function renderPage(
  files: readonly HtmlFile[],
  shown: { readonly view?: string; readonly firstBefore?: number } = {},
): string {
  return renderHtml(files, readPageAssets(), hashText, shown);
}

function hashText(text: string): string {
  return lateModules.crypto.createHash('sha256').update(text).digest('base64');
}
