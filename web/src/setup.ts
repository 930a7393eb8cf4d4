import type {
  PageDataPlace,
  PageFile,
  PageProgress,
  PageSetup,
  PageSources,
} from '../../src/formats/export/page-profile.ts';
import { decodePageReport, type PageReport } from '../../src/formats/export/page-report.ts';

/** Data block with the `PageSetup`; in a page that is a file, blocks with data and the worker too. */
const SETUP_ID = 'page-setup';
const WORKER_ID = 'page-worker';

/** The setup of what the page is to show; null for a document without any. */
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

/** The server's progress in reading a recording, in words; empty where it does not know. */
export async function askProgress(
  document: Document,
  { progress }: PageFile,
): Promise<PageProgress | null> {
  if (progress === undefined) return null;
  const response = await fetch(new URL(progress, document.baseURI));
  return response.ok ? ((await response.json()) as PageProgress) : null;
}

/** The report on a recording. Throws as `loadPageData` does. */
export async function loadPageReport(document: Document, file: PageFile): Promise<PageReport> {
  const response = await loadPart(document, file.title, file.report);
  return decodePageReport(await response.text());
}

/** Source files; empty where the page has none inside. */
export async function loadPageSources(
  document: Document,
  { title, sources }: PageFile,
): Promise<PageSources> {
  if (sources === undefined) return {};
  const response = await loadPart(document, title, sources);
  return (await response.json()) as PageSources;
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

/**
 * The page's policy admits no text as code but through this one, which is asked for addresses of
 * workers only: the page's own script, or a blob that the page has made.
 */
type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): string };
};

let policy: { createScriptURL(address: string): string } | null = null;

/** `address` as what `new Worker` takes under Trusted Types; itself in browsers without them. */
function trustedScriptUrl(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return address;
  policy ??= trustedTypes.createPolicy('perf-ts', { createScriptURL: onlyOwn });
  return policy.createScriptURL(address);
}

function onlyOwn(address: string): string {
  const { protocol, origin } = new URL(address);
  const isBlob = protocol === 'blob:';
  if (isBlob || origin === globalThis.location.origin) return address;
  throw new TypeError(`a worker from ${address}, which is not this page's`);
}
