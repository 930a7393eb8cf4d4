/**
 * Sends a recording to the server and returns its number there. Throws `Error` with a sentence where it is not
 * taken.
 */
export async function sendFile(open: string, file: File): Promise<number> {
  const address = new URL(open, document.baseURI);
  address.searchParams.set('name', file.name);
  const response = await fetch(address, { method: 'POST', body: file }).catch(() => {
    throw new Error('perf-ts no longer answers: was it ended with Ctrl-C?');
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return Number(text);
}

/** The address of the page of a recording, compared with these. */
export function pageOfFile(file: number, before: readonly number[]): string {
  const address = new URL(document.baseURI);
  address.hash = '';
  address.search = `?files=${file}${before.length === 0 ? '' : `&before=${before.join(',')}`}`;
  return address.href;
}

/** Number of the recording that this page shows. */
export function shownFile(): number {
  const asked = new URL(document.baseURI).searchParams.get('files') ?? '0';
  return Number(asked.split(',')[0]);
}
