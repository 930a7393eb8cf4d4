import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { HtmlFile } from '../formats/export/html.ts';
import { renderPage } from '../read/outputs/render-page.ts';
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
  return renderPage(packed, shown);
}

async function pack(content: Uint8Array | string): Promise<string> {
  return (await compress(content)).toString('base64');
}
