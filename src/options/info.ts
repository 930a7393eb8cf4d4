import { callback } from './kinds.ts';
import { type OptionsOf, option, options, pick } from './option.ts';
import { INPUT, JSON_OUTPUT, RECORD_SELECTION, STRICT } from './reading.ts';

/** `readInfo()`. */
export const READ_INFO = options({
  ...RECORD_SELECTION,
  ...pick(STRICT, 'maxUnpacked'),
  /** Hears of the share of the file, 0 … 1, that was read. */
  onShare: option(callback<(share: number) => void>()),
});

/** Which records `readInfo` counts, and how it reads them. */
export type ReadInfoOptions = OptionsOf<typeof READ_INFO>;

/** `perf-ts info`. */
export const INFO = options({
  ...INPUT,
  ...STRICT,
  ...JSON_OUTPUT,
  ...RECORD_SELECTION,
});
