import { options } from './option.ts';
import { INPUT, JSON_OUTPUT, RECORD_SELECTION, STRICT } from './reading.ts';

/** `perf-ts info`. */
export const INFO = options({
  ...INPUT,
  ...STRICT,
  ...JSON_OUTPUT,
  ...RECORD_SELECTION,
});
