import { FILE_FORMATS } from './export.ts';
import { abortSignal, callback, oneOf, positive, text, texts, yesNo } from './kinds.ts';
import { type OptionsOf, option, options } from './option.ts';

/** `profileSelf()` and `startSelfProfile()`. */
export const SELF = options({
  /** The form of the profile: one of `exportProfile`, or pprof, which is gzipped. */
  format: option(oneOf(...FILE_FORMATS)),
  /** How long; absent: until `signal` is aborted or `stop` is called. */
  seconds: option(positive),
  /**
   * Ends the sampling when it is aborted, as in `record`: the profile is of the time until then. Where it is
   * aborted before sampling has begun, or while the profile is made, that fails with `AbortError`.
   */
  signal: option(abortSignal),
  /** Samples per second of each running thread. Default 999. */
  freq: option(positive),
  /** Events in perf's syntax; absent: `cycles`, or `cpu-clock` where there is no PMU. */
  events: option(texts),
  /** Also how long threads waited, by the stack with which they left the CPU. */
  offCpu: option(yesNo),
  /** Title of the page of `html`. */
  title: option(text),
  /** Gets, in one sentence each, what was substituted, lowered or left out. */
  onNotice: option(callback<(notice: string) => void>()),
});

/** The form of a profile of the own process: one of `exportProfile`, or pprof, which is gzipped. */
export type SelfProfileFormat = NonNullable<OptionsOf<typeof SELF>['format']>;

/** Options of a profile of the own process: what is sampled, for how long, and the format. */
export type SelfProfileOptions = OptionsOf<typeof SELF> & {
  readonly format: SelfProfileFormat;
};
