import type { PageDataPlace, PageFile, PageSetup } from '../../src/formats/export/page-profile.ts';
import { decodePageReport, type PageReport } from '../../src/formats/export/page-report.ts';
import { trustedScriptUrl } from './trusted.ts';

/** Data block with the `PageSetup`; in a page that is a file, blocks with data and the worker too. */
const SETUP_ID = 'page-setup';
const WORKER_ID = 'page-worker';

/** What the page is to show; null for a document without any. */
export function readSetup(document: Document): PageSetup | null {
  const text = document.getElementById(SETUP_ID)?.textContent;
  return text ? (JSON.parse(text) as PageSetup) : null;
}

/**
 * The bytes of a recording, ready for `decodePageData`. Throws `Error` with a sentence where the
 * server is gone or the block is damaged.
 */
export async function loadPageData(document: Document, file: PageFile): Promise<Uint8Array> {
  const response = await loadPart(document, file.title, file.data);
  return new Uint8Array(await response.arrayBuffer());
}

/** What is said of a recording. Throws as `loadPageData` does. */
export async function loadPageReport(document: Document, file: PageFile): Promise<PageReport> {
  const response = await loadPart(document, file.title, file.report);
  return decodePageReport(await response.text());
}

async function loadPart(document: Document, title: string, part: PageDataPlace): Promise<Response> {
  if (part.kind === 'url') {
    const response = await fetch(new URL(part.url, document.baseURI)).catch(() => {
      throw new Error('perf-ts no longer answers: was it ended with Ctrl-C?');
    });
    if (!response.ok) throw new Error(`${title}: ${await response.text()}`);
    return response;
  }
  const text = document.getElementById(part.id)?.textContent;
  if (!text) throw new Error(`${title}: this page has no data inside`);
  const packed = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip')));
}

/**
 * The worker that computes. A server has its script beside the page; a page that is a file has it
 * in a block, and starts it from a blob.
 */
export function startWorker(document: Document): Worker {
  const text = document.getElementById(WORKER_ID)?.textContent;
  if (!text) return new Worker(trustedScriptUrl(new URL('worker.js', document.baseURI).href));
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const worker = new Worker(trustedScriptUrl(address));
  // The worker has fetched it by the time it says anything.
  worker.addEventListener('message', () => URL.revokeObjectURL(address), { once: true });
  return worker;
}

export type LiveListener = {
  /** There is more than what `setup` was made for. */
  readonly onChange: () => void;
  /** That was all. */
  readonly onEnd: () => void;
  /** Nobody answers any more. */
  readonly onGone: () => void;
};

/**
 * Tells of each new state of a live profile, while the tab is seen: what came meanwhile is told when
 * it is seen again. Does nothing for a profile that is finished.
 */
export function followLive(document: Document, setup: PageSetup, listener: LiveListener): void {
  const { live } = setup;
  if (live === null) return;
  let source: EventSource | null = null;
  const pause = () => {
    source?.close();
    source = null;
  };
  const stop = () => {
    pause();
    document.removeEventListener('visibilitychange', follow);
  };
  function follow(): void {
    pause();
    if (document.hidden) return;
    source = new EventSource(new URL(live as string, document.baseURI));
    source.addEventListener('profile', listener.onChange);
    source.addEventListener('end', () => {
      stop();
      listener.onEnd();
    });
    // The server of this page is on this machine and starts only once.
    source.addEventListener('error', () => {
      stop();
      listener.onGone();
    });
  }
  document.addEventListener('visibilitychange', follow);
  follow();
}
