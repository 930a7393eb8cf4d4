import type { EncodedProfile, EncodedWindow, WindowFormat } from '../encode/encoded-window.ts';

/** The outcome of a request. */
export type SinkAnswer =
  | { readonly kind: 'taken' }
  /** It may be taken later. `afterMs`: not before, as the sink says; null: it does not say. */
  | {
      readonly kind: 'later';
      readonly why: string;
      readonly afterMs: number | null;
      /** The sink has failed at this request, and may work on others. */
      readonly isOfRequest?: boolean;
    }
  /** This one is never taken. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Nothing is taken until something changes: a token, an address, an ingress whose backend comes. */
  | { readonly kind: 'shut'; readonly why: string };

/** A destination of windows. */
export type Sink = {
  readonly name: string;
  readonly format: WindowFormat;
  /** The same profile sent twice is there once. */
  readonly isRepeatable: boolean;
  /** Changes when the token does; absent: there is none that could. */
  tokenStamp?(): string;
  /** The profiles of a window that go out as one, by their rows. */
  requestsOf(window: EncodedWindow): readonly (readonly EncodedProfile[])[];
  send(profiles: readonly EncodedProfile[], window: EncodedWindow): Promise<SinkAnswer>;
};
