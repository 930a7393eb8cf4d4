import { gunzipSync } from 'node:zlib';
import { readCorpus } from './corpora.ts';

/** A text of the corpora, unpacked where it is stored gzipped. */
export function readCorpusText(path: string): string {
  const bytes = readCorpus(path);
  return new TextDecoder().decode(path.endsWith('.gz') ? gunzipSync(bytes) : bytes);
}
