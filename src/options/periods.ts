import { OPTION_GROUP } from './groups.ts';
import { oneOf, text, yesNo } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';
import { INPUT, STRICT } from './reading.ts';

/** `perf-ts periods`. */
export const PERIODS = options({
  ...INPUT,
  ...STRICT,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    json: commandOption(yesNo, { flags: '--json', help: 'as JSON' }),
  }),
  ...inGroup('Streams:', {
    streams: commandOption(text, {
      flags: '--streams <n>',
      help: 'how many streams to show, or all',
      configurable: true,
      default: '20',
    }),
  }),
  ...inGroup(OPTION_GROUP.SAMPLES, {
    time: commandOption(text, {
      flags: '--time <ranges>',
      help: 'streams with samples of this time, as in report',
    }),
    cpu: commandOption(text, {
      flags: '-C, --cpu <cpus>',
      help: 'streams with samples of these CPUs',
    }),
    pid: commandOption(text, {
      flags: '--pid <pids>',
      help: 'streams with samples of these processes',
    }),
    tid: commandOption(text, {
      flags: '--tid <tids>',
      help: 'streams with samples of these threads',
    }),
    comm: commandOption(text, {
      flags: '-c, --comm <names>',
      help: 'streams with samples of threads with these names',
    }),
  }),
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
