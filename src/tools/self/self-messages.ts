import type { SentError } from '../../base/sent-error.ts';
import type { SelfProfileOptions } from '../../options/self.ts';

/** Data that the thread begins with. */
export type SelfThreadData = {
  /** An empty folder, for the file that is unlinked as soon as it is open. */
  readonly folder: string;
  readonly options: Omit<SelfProfileOptions, 'signal' | 'onNotice'>;
};

/** A request to it. */
export type SelfRequest = { readonly kind: 'stop' };

/** Its reports; the last two end it. */
export type SelfReply =
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'sampling' }
  | { readonly kind: 'sampled' }
  | { readonly kind: 'finished'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly error: SentError };
