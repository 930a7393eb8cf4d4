import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type HtmlFile, renderHtml } from '../formats/export/html.ts';
import { readPageAssets } from '../read/web-assets.ts';
import type { ServedFile } from './served-file.ts';

/** Leaves the thread free for other answers meanwhile. */
const compress = promisify(gzip);

/** One file with the page of these recordings and the sources of their heaviest functions, opened as `view`. */
export async function renderPageFile(
  files: readonly ServedFile[],
  shown: { readonly view: string; readonly firstBefore: number },
): Promise<string> {
  const packed: HtmlFile[] = [];
  for (const file of files) {
    packed.push({
      title: file.name,
      data: await pack(await file.pageData()),
      report: await pack(await file.pageReport()),
      sources: await pack(await file.hotSources()),
    });
  }
  return renderHtml(packed, readPageAssets(), hashText, shown);
}

async function pack(content: Uint8Array | string): Promise<string> {
  return (await compress(content)).toString('base64');
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
