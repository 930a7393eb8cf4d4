import type { SentError } from '../base/sent-error.ts';
import type { ReadingStage } from '../options/reading.ts';
import type { DownloadFormat, SamplePart } from './served-file.ts';

/** What is asked of a recording in another thread: the methods of `ServedFile`. */
export type FileQuestion =
  | { readonly kind: 'pageData' }
  | { readonly kind: 'pageReport' }
  | { readonly kind: 'download'; readonly format: DownloadFormat; readonly part: SamplePart }
  | { readonly kind: 'hotSources' }
  | { readonly kind: 'source'; readonly string: number }
  | { readonly kind: 'assembly'; readonly func: number }
  /** Of a recording that grows; the answer is empty. */
  | { readonly kind: 'reread'; readonly path: string; readonly isLast: boolean };

export type FileRequest = { readonly id: number; readonly question: FileQuestion };

export type FileReply =
  | { readonly id: number; readonly kind: 'answer'; readonly value: Uint8Array | string }
  | { readonly id: number; readonly kind: 'failed'; readonly error: SentError };

/** How far the reading has come: nobody has asked. */
export type FileProgress = {
  readonly kind: 'progress';
  readonly stage: ReadingStage;
  readonly share: number | null;
};
