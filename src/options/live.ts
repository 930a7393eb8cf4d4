import { duration } from './kinds.ts';
import { type AtMostOneOf, type OptionsOf, omit, option, options } from './option.ts';
import { RECORD, type RecordTarget } from './record.ts';

/** `live()`: what `record()` takes but for its file. */
export const LIVE = options({
  ...omit(
    RECORD,
    'output',
    'compressionLevel',
    'maxBytes',
    'overwrite',
    'switchOutput',
    'switchMaxFiles',
    'control',
  ),
  /** Longest time that a sample waits before it is handed out, milliseconds. Default 20. */
  latencyMs: option(duration('ms')),
});

/** The options of `record` except those of the file, the target among them. */
export type LiveOptions = AtMostOneOf<OptionsOf<typeof LIVE>, 'freq' | 'count'> & RecordTarget;
