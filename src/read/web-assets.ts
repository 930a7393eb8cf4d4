import { readFileSync } from 'node:fs';
import { FailedError } from '../base/errors.ts';
import type { PageAssets } from '../formats/export/html.ts';

/** The built page, seen from src/read and from dist/read. */
const DIRECTORY = new URL('../../dist/web/', import.meta.url);

/** Reads what `npm run build:web` made. */
export function readPageAssets(): PageAssets {
  try {
    return {
      script: readFileSync(new URL('page.js', DIRECTORY), 'utf8'),
      style: readFileSync(new URL('page.css', DIRECTORY), 'utf8'),
      worker: readFileSync(new URL('worker.js', DIRECTORY), 'utf8'),
    };
  } catch (error) {
    throw new FailedError(`the page is not built: ${(error as Error).message}`, [
      'build it with: npm run build:web',
    ]);
  }
}
