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

/** The address of the page of these recordings. */
export function pageOfFiles(files: readonly number[]): string {
  const address = new URL(document.baseURI);
  address.hash = '';
  address.search = `?files=${files.join(',')}`;
  return address.href;
}

/** Numbers of the recordings that this page shows. */
export function shownFiles(count: number): readonly number[] {
  const asked = new URL(document.baseURI).searchParams.get('files');
  return asked === null
    ? Array.from({ length: count }, (_, index) => index)
    : asked.split(',').map(Number);
}
