import { oneOf, text } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';
import { INPUT, JSON_OUTPUT, RECORD_SELECTION, STRICT } from './reading.ts';

/** `perf-ts periods`. */
export const PERIODS = options({
  ...INPUT,
  ...STRICT,
  ...JSON_OUTPUT,
  ...inGroup('Streams:', {
    streams: commandOption(text, {
      flags: '--streams <n>',
      help: 'how many streams to show, or all',
      configurable: true,
      default: '20',
    }),
  }),
  time: RECORD_SELECTION.time.with({ help: 'streams with samples of this time, as in report' }),
  cpu: RECORD_SELECTION.cpu.with({ help: 'streams with samples of these CPUs' }),
  pid: RECORD_SELECTION.pid.with({ help: 'streams with samples of these processes' }),
  tid: RECORD_SELECTION.tid.with({ help: 'streams with samples of these threads' }),
  comm: RECORD_SELECTION.comm.with({ help: 'streams with samples of threads with these names' }),
  ...inGroup('Streams:', {
    pairs: commandOption(text, {
      flags: '--pairs [n]',
      help: 'event rate and sampling rate of the first n pairs of samples, or all (default 32)',
      alone: true,
    }),
  }),
  ...inGroup('Simulation:', {
    simulate: commandOption(text, {
      flags: '--simulate <rates>',
      help: "instead of a file, such events: '1M/s for 1s, 10k/s for 1s'",
    }),
    freq: commandOption(text, {
      flags: '--freq <hz>',
      help: 'samples per second asked',
      default: '4000',
    }),
    eventKind: commandOption(oneOf('software', 'hardware'), {
      flags: '--event-kind <kind>',
      help: 'who counts',
      default: 'software',
    }),
    hz: commandOption(oneOf('100', '250', '300', '1000'), {
      flags: '--hz <ticks>',
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
