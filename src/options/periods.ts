import { numberOrAll, oneOf, text, whole } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';
import { INPUT, JSON_OUTPUT, RECORD_SELECTION, STRICT } from './reading.ts';

/** Pairs of samples that are shown where no number is given. */
export const USUAL_PAIRS = '32';

/** Streams that are shown where no number is given. */
export const USUAL_STREAMS = 20;

/** `perf-ts periods`. */
export const PERIODS = options({
  ...INPUT,
  ...STRICT,
  ...JSON_OUTPUT,
  ...inGroup('Streams:', {
    streams: commandOption(numberOrAll, {
      flags: '--streams <n>',
      isCommon: true,
      help: `how many streams have a row, or all (default ${USUAL_STREAMS}, of periods that adapt)`,
      configurable: true,
    }),
  }),
  time: RECORD_SELECTION.time.with({ help: 'streams with samples of this time, as in report' }),
  cpus: RECORD_SELECTION.cpus.with({ help: 'streams with samples of these CPUs' }),
  pids: RECORD_SELECTION.pids.with({ help: 'streams with samples of these processes' }),
  tids: RECORD_SELECTION.tids.with({ help: 'streams with samples of these threads' }),
  comms: RECORD_SELECTION.comms.with({
    flags: '-c, --comm <names>',
    help: 'streams with samples of threads with these names',
  }),
  ...inGroup('Streams:', {
    pairs: commandOption(text, {
      flags: '--pairs [n]',
      isCommon: true,
      help: `event rate and sampling rate of the first n pairs of samples, or all (default ${USUAL_PAIRS})`,
      alone: USUAL_PAIRS,
    }),
  }),
  ...inGroup('Simulation:', {
    simulate: commandOption(text, {
      flags: '--simulate <rates>',
      isCommon: true,
      help: "instead of a file, such events: '1M/s for 1s, 10k/s for 1s'",
    }),
    freq: commandOption(whole(1), {
      flags: '-F, --freq <hz>',
      help: 'samples per second asked',
      default: '4000',
    }),
    eventKind: commandOption(oneOf('software', 'hardware'), {
      flags: '--event-kind <kind>',
      help: 'who counts',
      default: 'software',
    }),
    hz: commandOption(oneOf('100', '250', '300', '1000'), {
      flags: '--kernel-hz <ticks>',
      help: 'ticks per second of the kernel',
      default: '250',
    }),
    rounding: commandOption(oneOf('away', 'up'), {
      flags: '--rounding <how>',
      help: 'how the eighth is rounded; up is before August 2024',
      default: 'away',
    }),
  }),
});
