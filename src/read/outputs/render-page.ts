import { readFileSync } from 'node:fs';
import { FailedError } from '../../base/errors.ts';
import { lateModules } from '../../base/late-modules.ts';
import { type HtmlFile, type PageAssets, renderHtml } from '../../formats/export/html.ts';
import { packageFile } from '../../system/version.ts';

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

/** Reads what `npm run build:web` made. */
function readPageAssets(): PageAssets {
  try {
    return {
      script: readFileSync(packageFile('dist/web/page.js'), 'utf8'),
      style: readFileSync(packageFile('dist/web/page.css'), 'utf8'),
      worker: readFileSync(packageFile('dist/web/worker.js'), 'utf8'),
    };
  } catch (error) {
    throw new FailedError(`the page is not built: ${(error as Error).message}`, [
      'build it with: npm run build:web',
    ]);
  }
}
