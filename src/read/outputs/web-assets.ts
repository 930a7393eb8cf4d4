import { readFileSync } from 'node:fs';
import { FailedError } from '../../base/errors.ts';
import type { PageAssets } from '../../formats/export/html.ts';
import { packageFile } from '../../system/version.ts';

/** Reads what `npm run build:web` made. */
export function readPageAssets(): PageAssets {
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
